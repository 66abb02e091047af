// The certificates that are served: the local authority's leaf, renewed as the machine's addresses change, or an imported one.
import { X509Certificate } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureCertificate, type Certificate as LocalCertificate } from '../adapters/certificates/certificate.ts';
import { type Imported, judgeImport } from '../adapters/certificates/import.ts';
import { readIfThere, writePrivateFile } from '../adapters/private-file.ts';
import type { Certificate } from '../contract/certificates.ts';
import type { Certificates, CertificateTarget } from '../core/ports/host.ts';
import type { Clock, Log, Timers } from '../core/ports/ports.ts';
import type { TlsIdentity } from '../http/server.ts';
import { FILES } from './data-folder.ts';
import { certificateHosts, type NamedSettings } from './reach.ts';

const DAY = 86_400_000;
const WARN_MS = 30 * DAY;
const CHECK_MS = 60_000;
const TARGETS: readonly CertificateTarget[] = ['panel', 'links'];

export interface ServedCertificates extends Certificates {
  /** What a listener serves now. */
  identity(target: CertificateTarget): TlsIdentity;
  /** The authority's file, for `curl --cacert`. */
  readonly caPath: string;
  /** Stops renewing them. */
  stop(): void;
}

interface Parts {
  readonly folder: string;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  settings(): NamedSettings;
  /** Hosts that are listened on, or are about to be. */
  listensOn(): Iterable<string>;
  /** Whether links have a listener of their own. */
  hasLinks(): boolean;
  /** A target serves another certificate from now on. */
  replace(target: CertificateTarget, identity: TlsIdentity): void;
}

/** Opens the certificates of a data folder, makes missing ones, and renews them from then on. */
export async function openCertificates(parts: Parts): Promise<ServedCertificates> {
  const folder = join(parts.folder, FILES.tls);
  const { clock, log } = parts;
  const ensure = (settings: NamedSettings) =>
    ensureCertificate(folder, certificateHosts(parts.listensOn(), settings), clock);
  let local = await ensure(parts.settings());
  const imported = new Map<CertificateTarget, Imported>();
  for (const target of TARGETS) {
    const found = readImported(folder, target);
    if (found) imported.set(target, found);
  }

  const identity = (target: CertificateTarget): TlsIdentity => {
    const own = imported.get(target);
    return own ? { key: own.key, cert: own.chain } : { key: local.key, cert: local.chain };
  };

  function use(next: LocalCertificate): void {
    if (next.fingerprint === local.fingerprint) return;
    local = next;
    for (const target of TARGETS) if (!imported.has(target)) parts.replace(target, identity(target));
    log.info('certificate renewed', { fingerprint: next.fingerprint });
  }

  function view(target: CertificateTarget): Certificate {
    const own = imported.get(target);
    return describe(target, own ? 'imported' : 'local', own?.chain ?? local.chain, clock.now());
  }

  const stop = parts.timers.every(CHECK_MS, () => {
    ensure(parts.settings())
      .then(use)
      .catch((error: unknown) => log.error('certificate not renewed', { error: String(error) }));
  });

  return {
    identity,
    get caPath() {
      return local.caPath;
    },
    stop,
    served: () => (parts.hasLinks() ? TARGETS : TARGETS.slice(0, 1)).map(view),
    authority() {
      const authority = new X509Certificate(local.caPem);
      return { fingerprint: authority.fingerprint256, endsAt: authority.validToDate.getTime(), pem: local.caPem };
    },
    async import(target, chainPem, keyPem) {
      const judged = judgeImport(chainPem, keyPem, clock.now());
      if (!('key' in judged)) return judged;
      writePrivateFile(importedPath(folder, target), judged.key + judged.chain);
      imported.set(target, judged);
      parts.replace(target, identity(target));
      return view(target);
    },
    async renew(target) {
      imported.delete(target);
      rmSync(importedPath(folder, target), { force: true });
      rmSync(join(folder, 'server.pem'), { force: true });
      use(await ensure(parts.settings()));
      parts.replace(target, identity(target));
      return view(target);
    },
    async follow(settings) {
      use(await ensure(settings));
    },
  };
}

/** Key and chain in one file, so that a kill leaves both old or both new. */
function importedPath(folder: string, target: CertificateTarget): string {
  return join(folder, `imported-${target}.pem`);
}

function readImported(folder: string, target: CertificateTarget): Imported | null {
  const text = readIfThere(importedPath(folder, target));
  const start = text?.indexOf('-----BEGIN CERTIFICATE-----') ?? -1;
  return text === null || start <= 0 ? null : { key: text.slice(0, start), chain: text.slice(start) };
}

function describe(target: CertificateTarget, source: Certificate['source'], chain: string, now: number): Certificate {
  const leaf = new X509Certificate(chain);
  const from = leaf.validFromDate.getTime();
  const to = leaf.validToDate.getTime();
  const names = (leaf.subjectAltName ?? '').split(', ').map((entry) => entry.replace(/^(?:DNS|IP Address):/, ''));
  return {
    target,
    source,
    subject: leaf.subject.replaceAll('\n', ', '),
    issuer: leaf.issuer.replaceAll('\n', ', '),
    names,
    fingerprint: leaf.fingerprint256,
    not_before: new Date(from).toISOString(),
    not_after: new Date(to).toISOString(),
    days_left: Math.floor((to - now) / DAY),
    warning: now >= to ? 'ended' : now < from ? 'not_yet' : to - now <= WARN_MS ? 'ends_soon' : null,
  };
}
