// The dates in replies to this thread's HTTPS requests: a second opinion on the machine's clock, without extra requests.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';

/** Published by Node for each reply to a request of `node:http` and `node:https`. */
const CHANNEL = 'http.client.response.finish';

/** Calls `onDate` with the `Date` (epoch ms, whole seconds) of each reply whose server was verified. Returns the function that stops it. */
export function listenForReplyDates(onDate: (at: number) => void): () => void {
  const handle = (message: unknown) => {
    const { response } = message as { readonly request: ClientRequest; readonly response: IncomingMessage };
    const { socket, headers } = response;
    if (!(socket instanceof TLSSocket) || !socket.authorized || headers.date === undefined) return;
    const at = Date.parse(headers.date);
    if (Number.isFinite(at)) onDate(at);
  };
  subscribe(CHANNEL, handle);
  return () => unsubscribe(CHANNEL, handle);
}
