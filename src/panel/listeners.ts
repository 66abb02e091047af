// The panel's sockets: the main listener, one on trial, and one for links. Finds the first port, and explains failures.
import type { AddressInfo } from 'node:net';
import { type StartRefusal, startRefusal } from '../adapters/start-obstacle.ts';
import { PanelError } from '../core/kernel/panel-error.ts';
import type { CertificateTarget, ListenAddress, Listeners } from '../core/ports/host.ts';
import type { Store } from '../core/ports/ports.ts';
import type { PanelServer, TlsIdentity } from '../http/server.ts';
import { checkPlainHttp, type PanelOptions } from './config.ts';

/** Creates a server for a target; `accepted` is called with each of its sockets. */
export type OpenServer = (target: CertificateTarget, accepted: (socket: object) => void) => PanelServer;

export interface PanelListeners extends Listeners {
  /** Whether a socket was accepted at the address on trial. */
  isOnTrial(socket: object): boolean;
  /** Where the panel listens. */
  address(): AddressInfo | null;
  replaceCertificate(target: CertificateTarget, identity: TlsIdentity): void;
  /** Opens the panel's first socket. Rejects with Node's error. */
  listen(host: string, port: number): Promise<AddressInfo>;
  /** Permanently: a listener that is being opened is closed again. */
  close(graceMs: number): Promise<void>;
}

interface Listening {
  readonly server: PanelServer;
  readonly address: ListenAddress;
}

/** `moved` is called with the new address after a trial is accepted. The previous socket gets `graceMs` to finish replies. */
export function createListeners(
  openServer: OpenServer,
  graceMs: number,
  moved: (address: ListenAddress) => void,
): PanelListeners {
  let present: Listening | null = null;
  let trial: Listening | null = null;
  let links: Listening | null = null;
  let isClosed = false;
  const onTrial = new WeakSet<object>();
  const retired = new Set<PanelServer>();

  const openLinksServer = () => openServer('links', () => {});
  const openTrialServer = () => openServer('panel', (socket) => onTrial.add(socket));

  async function listenAt(
    address: ListenAddress,
    server: PanelServer = openServer('panel', () => {}),
  ): Promise<Listening> {
    if (isClosed) throw new PanelError('unavailable');
    const { port } = await server.listen(address.host, address.port);
    if (isClosed) {
      await server.close(0);
      throw new PanelError('unavailable');
    }
    return { server, address: { host: address.host, port } };
  }

  /** Stops listening at once; running requests are answered, including the change of address itself. */
  function release({ server }: Listening): void {
    retired.add(server);
    void server.retire(graceMs).finally(() => retired.delete(server));
  }

  /** Whether both cannot listen at the same time: same port. */
  function collides({ port }: ListenAddress): boolean {
    return present !== null && present.address.port === port;
  }

  return {
    isOnTrial: (socket) => onTrial.has(socket),
    // During a trial on the same port, only the new address is open.
    address: () => present?.server.address() ?? trial?.server.address() ?? null,
    place: () => present?.address ?? null,
    replaceCertificate(target, identity) {
      const servers = target === 'links' ? [links] : [present, trial];
      for (const listening of servers) listening?.server.replaceCertificate(identity);
    },
    async listen(host, port) {
      present = await listenAt({ host, port });
      return present.server.address() as AddressInfo;
    },
    async tryAt(address) {
      if (trial) throw new PanelError('unavailable');
      const former = present;
      // Prepared before the port is released, to keep the gap short.
      const server = openTrialServer();
      if (former && collides(address)) release(former);
      try {
        trial = await listenAt(address, server);
      } catch {
        if (isClosed) throw new PanelError('unavailable');
        if (former && collides(address)) present = await listenAt(former.address);
        throw new PanelError('address_in_use');
      }
    },
    async acceptTrial() {
      if (!trial) return;
      if (present && !collides(trial.address)) release(present);
      present = trial;
      trial = null;
      moved(present.address);
    },
    async cancelTrial() {
      if (!trial || isClosed) return;
      const cancelled = trial;
      trial = null;
      release(cancelled);
      if (present && collides(cancelled.address)) present = await listenAt(present.address);
    },
    async serveLinksAt(address) {
      const former = links;
      links = null;
      if (former) release(former);
      if (!address) return;
      try {
        links = await listenAt(address, openLinksServer());
      } catch {
        if (isClosed) throw new PanelError('unavailable');
        if (former) links = await listenAt(former.address, openLinksServer());
        throw new PanelError('address_in_use');
      }
    },
    async close(ms) {
      isClosed = true;
      const open = [present, trial, links].filter((listening) => listening !== null);
      const servers = new Set([...open.map(({ server }) => server), ...retired]);
      await Promise.all([...servers].map((server) => server.close(ms)));
    },
  };
}

const FIRST_PORT = 8443;
const PORTS_TRIED = 100;

/**
 * Listens at the given or stored address, at the first start on the first free port, and returns the address. The port is stored, unless it is for
 * this run only. Throws a refusal `address`.
 */
export async function listenFirst(
  server: Pick<PanelServer, 'listen'>,
  options: PanelOptions,
  store: Store,
): Promise<ListenAddress> {
  const { settings } = store;
  const { host: setHost, port: setPort } = settings.get();
  const host = options.host ?? setHost;
  checkPlainHttp(options.plainHttp ?? false, host);
  const isFirst = !settings.has('port');
  const ports = portsFor(options.port, isFirst, setPort);
  const port = await listenOnFirstFree(server, host, ports);
  // Also on a full disk: existing links must work after a restart.
  if (isFirst && options.port !== 0 && options.port !== 'free') store.write(() => settings.set({ port }), 'essential');
  return { host, port };
}

/** Uses the first free port, so that a second panel on a machine needs no option. */
async function listenOnFirstFree(
  server: Pick<PanelServer, 'listen'>,
  host: string,
  ports: readonly number[],
): Promise<number> {
  let last: unknown;
  for (const port of ports) {
    try {
      return (await server.listen(host, port)).port;
    } catch (error) {
      last = toListenRefusal(error, host, port);
      if (getErrorCode(error) !== 'EADDRINUSE') break;
    }
  }
  throw last;
}

function portsFor(given: PanelOptions['port'], isFirst: boolean, set: number): readonly number[] {
  if (given === 'free') return Array.from({ length: PORTS_TRIED }, (_, index) => 1 + ((set + index) % 65_535));
  return given === undefined && isFirst ? firstPorts() : [given ?? set];
}

const firstPorts = () => Array.from({ length: PORTS_TRIED }, (_, index) => FIRST_PORT + index);
const getErrorCode = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : '');

function toListenRefusal(error: unknown, host: string, port: number): StartRefusal {
  const code = getErrorCode(error);
  if (code === 'EADDRINUSE') return startRefusal('portTaken', { host, port });
  if (code === 'EACCES') return startRefusal('portForbidden', { port });
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return startRefusal('addressForeign', { host });
  return startRefusal('addressUnusable', { host, port }, error);
}
