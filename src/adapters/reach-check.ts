// Connects to one of the panel's own addresses, as a bot on the same machine does: does something listen, and is the certificate for that
// name?
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls, rootCertificates } from 'node:tls';
import type { ReachOutcome } from '../core/ports/host.ts';

const TIMEOUT_MS = 3000;

/** `authority`: PEM of the local authority, which is trusted besides the usual ones; null: there is none. */
export function checkReach(origin: string, authority: string | null): Promise<ReachOutcome> {
  const { protocol, hostname, port } = new URL(origin);
  const host = hostname.replace(/^\[|\]$/g, '');
  const isTls = protocol === 'https:';
  const place = { host, port: Number(port) || (isTls ? 443 : 80) };
  const ca = authority === null ? [...rootCertificates] : [...rootCertificates, authority];
  const socket: Socket = isTls
    ? connectTls({ ...place, ca, ...(isIP(host) === 0 && { servername: host }) })
    : connectPlain(place);
  return new Promise((resolve) => {
    const end = (outcome: ReachOutcome) => {
      socket.destroy();
      resolve(outcome);
    };
    socket.setTimeout(TIMEOUT_MS, () => end('unreachable'));
    socket.once(isTls ? 'secureConnect' : 'connect', () => end('reached'));
    // System errors name the call that failed; certificate errors do not.
    socket.on('error', (error) => end('syscall' in error ? 'unreachable' : 'certificate'));
  });
}
