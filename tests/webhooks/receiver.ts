// A receiver of webhooks, whose signatures are verified by the reference library of Standard Webhooks.
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

export interface Received {
  readonly id: string;
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly event: Readonly<Record<string, unknown>>;
}

/** How to answer; null: not at all. */
export type Answer = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

export interface Receiver extends AsyncDisposable {
  readonly url: string;
  /** Every request in the order of arrival. */
  readonly received: Received[];
  /** How requests are answered from now on. */
  answer: (request: Received) => Answer | null;
  /** Resolves when `isDone` holds for what was received. */
  until(isDone: (received: readonly Received[]) => boolean): Promise<void>;
}

export async function openReceiver(): Promise<Receiver> {
  const waiting = new Set<() => void>();
  const server = http.createServer(async (request, reply) => {
    const body = await text(request);
    const event = JSON.parse(body);
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(request.headers)) headers[name] = String(value);
    const one = { id: headers['webhook-id'] ?? '', type: String(event.type), headers, body, event };
    receiver.received.push(one);
    const answer = receiver.answer(one);
    if (answer !== null) reply.writeHead(answer.status, answer.headers).end(answer.body);
    for (const check of waiting) check();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received: [],
    answer: () => ({ status: 204 }),
    until: (isDone) =>
      new Promise((resolve) => {
        const check = () => {
          if (!isDone(receiver.received)) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return receiver;
}

/** Whether the reference library accepts the request under this secret. */
export function isVerified(secret: string, { body, headers }: Received): boolean {
  try {
    new Webhook(secret).verify(body, { ...headers });
    return true;
  } catch {
    return false;
  }
}
