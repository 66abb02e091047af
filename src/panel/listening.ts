// Where a panel listens: what was asked for, else what is set, at the first start the first free port; and why it cannot, in a sentence.
import type { Store } from '../core/ports/ports.ts';
import type { PanelServer } from '../http/server.ts';
import { checkPlainHttp, type PanelOptions } from './config.ts';
import { reasonOf, refusal } from './refusal.ts';

export type Place = { readonly host: string; readonly port: number };

const FIRST_PORT = 8443;
const PORTS_TRIED = 100;

/**
 * Listens and returns where. A port that is none of this run's alone is kept from the first start on. Throws a refusal `address`.
 */
export async function listenFirst(
  server: Pick<PanelServer, 'listen'>,
  options: PanelOptions,
  store: Store,
): Promise<Place> {
  const { settings } = store;
  const { host: setHost, port: setPort } = settings.get();
  const host = options.host ?? setHost;
  checkPlainHttp(options.plainHttp ?? false, host);
  const isFirst = !settings.has('port');
  const ports = portsFor(options.port, isFirst, setPort);
  const port = await listenOnOneOf(server, host, ports);
  // On a full disk too: links that are given out tonight must work tomorrow.
  if (isFirst && options.port !== 0 && options.port !== 'free') store.write(() => settings.set({ port }), 'essential');
  return { host, port };
}

/** The first of them that nobody else listens on: a second panel on one machine needs no flag. */
async function listenOnOneOf(
  server: Pick<PanelServer, 'listen'>,
  host: string,
  ports: readonly number[],
): Promise<number> {
  for (const port of ports) {
    try {
      return (await server.listen(host, port)).port;
    } catch (error) {
      const isLast = port === ports.at(-1);
      if (codeOf(error) !== 'EADDRINUSE' || isLast) throw refusal('address', sentenceOf(error, host, port));
    }
  }
  throw refusal('address', 'There is no port to listen on.');
}

function portsFor(asked: PanelOptions['port'], isFirst: boolean, set: number): readonly number[] {
  if (asked === 'free') return Array.from({ length: PORTS_TRIED }, (_, index) => 1 + ((set + index) % 65_535));
  return asked === undefined && isFirst ? firstPorts() : [asked ?? set];
}

const firstPorts = () => Array.from({ length: PORTS_TRIED }, (_, index) => FIRST_PORT + index);
const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : '');

function sentenceOf(error: unknown, host: string, port: number): string {
  const code = codeOf(error);
  if (code === 'EADDRINUSE')
    return `Port ${port} on ${host} is taken by another program. Name another one with --port.`;
  if (code === 'EACCES') return `This user may not listen on port ${port}. Name one above 1023 with --port.`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return `${host} is not an address of this machine.`;
  return `${host}, port ${port}, cannot be listened on: ${reasonOf(error)}.`;
}
