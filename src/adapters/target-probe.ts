// Probes a site that REALITY is to imitate: TLS 1.3, HTTP/2, a certificate for the name. Connects to checked addresses only.
import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { isIP } from 'node:net';
import { checkServerIdentity, connect, type DetailedPeerCertificate, type TLSSocket } from 'node:tls';
import { domainToASCII } from 'node:url';
import type { TargetFinding } from '../contract/inbounds.ts';
import type { TargetProbe, Timers } from '../core/ports/ports.ts';
import { isAllowedAddress } from './outbound-address.ts';

/** Limit from the DNS look-up to the end of the handshake. */
const TIMEOUT_MS = 3000;

type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

export interface TargetProbeOptions {
  readonly timers: Pick<Timers, 'after'>;
  /** Default: the system's resolver. */
  readonly resolve?: Resolve;
  /** Whether an address may be connected to. Default: public ones. */
  readonly isAllowed?: (address: string) => boolean;
}

const resolveBySystem: Resolve = (host) =>
  new Promise((resolve, reject) => {
    systemLookup(host, { all: true }, (error, found) => (error ? reject(error) : resolve(found)));
  });

export function createTargetProbe({
  timers,
  resolve = resolveBySystem,
  isAllowed = (address) => isAllowedAddress(address, false),
}: TargetProbeOptions): TargetProbe {
  const running = new Set<() => void>();
  let isClosed = false;

  /** Resolves once: with the findings, or null if the target was not contacted. */
  function probeTarget(host: string, port: number, name: string): Promise<readonly TargetFinding[] | null> {
    const { promise, resolve: done } = Promise.withResolvers<readonly TargetFinding[] | null>();
    let socket: TLSSocket | null = null;
    let isOver = false;
    const end = (findings: readonly TargetFinding[] | null) => {
      if (isOver) return;
      isOver = true;
      cancel();
      running.delete(stop);
      socket?.destroy();
      done(findings);
    };
    const stop = () => end(null);
    const cancel = timers.after(TIMEOUT_MS, () => end(['target_unreachable']));
    running.add(stop);
    resolveAddresses(host).then(
      (addresses) => {
        const [first] = addresses;
        if (isOver) return;
        if (first === undefined) return end(['target_unreachable']);
        if (!addresses.every(isAllowed)) return end(null);
        // Connects to the checked address, so that the name cannot change between check and connection (DNS rebinding).
        const opened = connect({
          host: first,
          port,
          ALPNProtocols: ['h2', 'http/1.1'],
          rejectUnauthorized: false,
          minVersion: 'TLSv1.2',
          ...(isIP(name) === 0 && { servername: name }),
        });
        socket = opened;
        opened.on('error', () => end(['target_unreachable']));
        opened.on('close', () => end(['target_unreachable']));
        opened.on('secureConnect', () => end(listFindings(opened, name)));
      },
      () => end(['target_unreachable']),
    );
    return promise;
  }

  async function resolveAddresses(host: string): Promise<readonly string[]> {
    if (isIP(host) !== 0) return [host];
    return (await resolve(host)).map(({ address }) => address);
  }

  return {
    async probeTarget({ host, port, name }) {
      return isClosed ? null : probeTarget(toAscii(host), port, toAscii(name));
    },
    close() {
      isClosed = true;
      for (const stop of running) stop();
    },
  };
}

/** A name in ASCII form, as certificates contain it. One without such a form is returned unchanged, and matches no certificate. */
function toAscii(host: string): string {
  return isIP(host) !== 0 ? host : domainToASCII(host) || host;
}

/** ML-DSA-65 needs so much space in the handshake, which REALITY makes exactly as long as that of the target. */
const MIN_CHAIN_BYTES = 3500;

/** Without the root, which is its own issuer: it is of this machine, servers do not send it. */
function computeChainBytes(socket: TLSSocket): number {
  let bytes = 0;
  let next: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true);
  do {
    bytes += next.raw?.length ?? 0;
    next = next.issuerCertificate;
  } while (next && next !== next.issuerCertificate);
  return bytes;
}

function listFindings(socket: TLSSocket, name: string): readonly TargetFinding[] {
  const findings: TargetFinding[] = [];
  if (socket.getProtocol() !== 'TLSv1.3') findings.push('target_no_tls13');
  if (socket.alpnProtocol !== 'h2') findings.push('target_no_h2');
  if (checkServerIdentity(name, socket.getPeerCertificate()) !== undefined) findings.push('target_other_name');
  if (computeChainBytes(socket) < MIN_CHAIN_BYTES) findings.push('target_short_chain');
  return findings;
}
