// The panel's sockets: the one it listens on, one that is being tried, and one for links alone. All share the same doors.
import type { AddressInfo } from 'node:net';
import { PanelError } from '../core/panel-error.ts';
import type { CertificateTarget, Listeners, Place } from '../core/ports/host.ts';
import type { PanelServer, TlsIdentity } from '../http/server.ts';

/** Makes a server for a target that is not listening yet; `accepted` hears of each of its sockets. */
export type OpenServer = (target: CertificateTarget, accepted: (socket: object) => void) => PanelServer;

export interface PanelListeners extends Listeners {
  /** Whether a request's socket came by the place under trial. */
  isOnTrial(socket: object): boolean;
  /** Where the panel listens. */
  address(): AddressInfo | null;
  replaceCertificate(target: CertificateTarget, identity: TlsIdentity): void;
  /** Opens the panel's first socket. Rejects with Node's error. */
  listen(host: string, port: number): Promise<AddressInfo>;
  close(graceMs: number): Promise<void>;
}

interface Listening {
  readonly server: PanelServer;
  readonly place: Place;
}

/** `moved` hears where the panel listens once a trial was kept. A former socket gets `graceMs` to finish its replies. */
export function createListeners(
  openServer: OpenServer,
  graceMs: number,
  moved: (place: Place) => void,
): PanelListeners {
  let present: Listening | null = null;
  let trial: Listening | null = null;
  let links: Listening | null = null;
  const onTrial = new WeakSet<object>();
  const closing = new Set<Promise<void>>();

  async function listenAt(place: Place, target: CertificateTarget = 'panel', isTrial = false): Promise<Listening> {
    const server = openServer(target, (socket) => {
      if (isTrial) onTrial.add(socket);
    });
    const { port } = await server.listen(place.host, place.port);
    return { server, place: { host: place.host, port } };
  }

  /** Lets go of a socket at once; what it still answers may take its time. */
  function release({ server }: Listening): void {
    const done = server.close(graceMs).finally(() => closing.delete(done));
    closing.add(done);
  }

  /** The two cannot listen side by side: the same port, or part of it. */
  function collides(place: Place): boolean {
    return present !== null && present.place.port === place.port;
  }

  return {
    isOnTrial: (socket) => onTrial.has(socket),
    address: () => present?.server.address() ?? null,
    replaceCertificate(target, identity) {
      const servers = target === 'links' ? [links] : [present, trial];
      for (const listening of servers) listening?.server.replaceCertificate(identity);
    },
    async listen(host, port) {
      present = await listenAt({ host, port });
      return present.server.address() as AddressInfo;
    },
    async tryAt(place) {
      if (trial) throw new PanelError('unavailable');
      const former = present;
      if (former && collides(place)) release(former);
      try {
        trial = await listenAt(place, 'panel', true);
      } catch {
        if (former && collides(place)) present = await listenAt(former.place);
        throw new PanelError('address_in_use');
      }
    },
    async keepTrial() {
      if (!trial) return;
      if (present && !collides(trial.place)) release(present);
      present = trial;
      trial = null;
      moved(present.place);
    },
    async dropTrial() {
      if (!trial) return;
      const tried = trial;
      trial = null;
      release(tried);
      if (present && collides(tried.place)) present = await listenAt(present.place);
    },
    async serveLinksAt(place) {
      const former = links;
      links = null;
      if (former) release(former);
      if (!place) return;
      try {
        links = await listenAt(place, 'links');
      } catch {
        if (former) links = await listenAt(former.place, 'links');
        throw new PanelError('address_in_use');
      }
    },
    async close(ms) {
      const open = [present, trial, links].filter((listening) => listening !== null);
      await Promise.all([...open.map(({ server }) => server.close(ms)), ...closing]);
    },
  };
}
