// The served certificates: a leaf of the local authority, renewed when the machine's addresses change, one by ACME, or an imported one.
import { X509Certificate } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Authority,
  type AuthoritySealing,
  adoptAuthority,
  findWholeAuthority,
  type KeyedAuthority,
} from '../adapters/certificates/authority.ts';
import { ensureCertificate, type Certificate as LocalCertificate } from '../adapters/certificates/certificate.ts';
import { type Imported, isDamaged, validateImport } from '../adapters/certificates/import.ts';
import { FILES } from '../adapters/data-folder.ts';
import { readIfThere, setAside, writePrivateFile } from '../adapters/private-file.ts';
import type { Certificate } from '../contract/settings/certificates.ts';
import type { Certificates, CertificateTarget } from '../core/ports/host.ts';
import type { Clock, Log, Timers } from '../core/ports/ports.ts';
import type { SettingValues } from '../core/ports/settings.ts';
import { isNearEnd, type Span } from '../domain/acme-schedule.ts';
import type { TlsIdentity } from '../http/server.ts';
import { certificateHosts, type NamedSettings } from './public-origin.ts';

const DAY = 86_400_000;
const WARN_MS = 30 * DAY;
const BY_ACME = 'acme.pem';
const CHECK_MS = 60_000;
/** How often the addresses of the machine are compared, which reads no file: clients refuse the certificate until it has a new one. */
const ADDRESS_CHECK_MS = 3000;
const TARGETS: readonly CertificateTarget[] = ['panel', 'links'];

export interface ServedCertificates extends Certificates {
  /** The certificate that a listener serves now. */
  identity(target: CertificateTarget): TlsIdentity;
  /** Whether the panel serves a publicly trusted certificate. */
  isTrusted(): boolean;
  /** The authority's file, for `curl --cacert`. */
  readonly caPath: string;
  /** The authority with its key, if that can be opened. */
  wholeAuthority(): Authority | null;
  /** Replaces the authority. */
  adopt(authority: KeyedAuthority): Promise<void>;
  /** Reads the imported certificates and the one by ACME again after a restore. Their settings are applied by `follow`. */
  readAgain(): void;
  /** Stops renewals, and waits for a running one. */
  stop(): Promise<void>;
}

interface Parts {
  readonly folder: string;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** Seals the authority's key. */
  readonly sealing?: AuthoritySealing;
  settings(): NamedSettings & Pick<SettingValues, 'acme'>;
  /** Hosts that are listened on, or will be. */
  listensOn(): Iterable<string>;
  /** Whether links have a separate listener. */
  hasLinks(): boolean;
  /** Called when a target's certificate changes. */
  replace(target: CertificateTarget, identity: TlsIdentity): void;
}

/** Opens the certificates of a data folder, creates missing ones, and starts renewals. */
export async function openCertificates(parts: Parts): Promise<ServedCertificates> {
  const folder = join(parts.folder, FILES.tls);
  const { clock, log } = parts;
  const { sealing } = parts;
  const ensure = (settings: NamedSettings, options: Parameters<typeof ensureCertificate>[2] = {}) =>
    ensureCertificate({ folder, clock, log, sealing }, certificateHosts(parts.listensOn(), settings), options);
  let local = await ensure(parts.settings());
  const imported = new Map<CertificateTarget, Imported>();
  /** Targets whose imported certificate cannot be served: the file stays until another certificate replaces it. */
  const damaged = new Set<CertificateTarget>();
  readImported();
  let issued = readIssued();
  const servesIssued = new Set(parts.settings().acme?.targets);

  function readImported(): void {
    for (const target of TARGETS) {
      const found = readKeyAndChain(importedPath(folder, target), clock.now());
      if (found === 'damaged') {
        damaged.add(target);
        log.error('imported certificate is damaged and not served', { target, file: importedPath(folder, target) });
      } else if (found) imported.set(target, found);
    }
  }

  /** The certificate by ACME; null: none. A damaged one is ordered again. */
  function readIssued(): Imported | null {
    const path = join(folder, BY_ACME);
    const found = readKeyAndChain(path, clock.now());
    if (found !== 'damaged') return found;
    log.error('certificate by ACME is damaged: another is ordered', { aside: setAside(path, clock.now()) });
    return null;
  }

  /** The certificate of a target: an imported one, else one by ACME, else the local one. */
  function chooseCertificate(target: CertificateTarget): Imported & { readonly source: Certificate['source'] } {
    const own = imported.get(target);
    if (own) return { ...own, source: 'imported' };
    if (issued && servesIssued.has(target)) return { ...issued, source: 'acme' };
    return { key: local.key, chain: local.chain, source: 'local' };
  }

  const identity = (target: CertificateTarget): TlsIdentity => {
    const { key, chain } = chooseCertificate(target);
    return { key, cert: chain };
  };

  function use(next: LocalCertificate): void {
    if (next.fingerprint === local.fingerprint) return;
    local = next;
    for (const target of TARGETS)
      if (chooseCertificate(target).source === 'local') parts.replace(target, identity(target));
    log.info('certificate renewed', { fingerprint: next.fingerprint });
  }

  function view(target: CertificateTarget): Certificate {
    const { source, chain } = chooseCertificate(target);
    const described = describe(target, source, chain, clock.now());
    return damaged.has(target) ? { ...described, warning: 'import_damaged' } : described;
  }

  function dropImported(target: CertificateTarget): void {
    imported.delete(target);
    damaged.delete(target);
    rmSync(importedPath(folder, target), { force: true });
  }

  function serveIssued(targets: readonly CertificateTarget[]): void {
    servesIssued.clear();
    for (const target of targets) {
      servesIssued.add(target);
      dropImported(target);
    }
    for (const target of TARGETS) parts.replace(target, identity(target));
  }

  let renewing = Promise.resolve();
  const renew = () => {
    // One after the other, so that two do not each make one.
    renewing = renewing
      .then(() => ensure(parts.settings()))
      .then(use)
      .catch((error: unknown) => log.error('certificate not renewed', { error: String(error) }));
  };
  const stopRenewing = parts.timers.every(CHECK_MS, renew);
  const listHosts = () => certificateHosts(parts.listensOn(), parts.settings()).join();
  let hosts = listHosts();
  const stopFollowing = parts.timers.every(ADDRESS_CHECK_MS, () => {
    const present = listHosts();
    if (present === hosts) return;
    hosts = present;
    renew();
  });

  return {
    identity,
    isTrusted: () => chooseCertificate('panel').source !== 'local',
    get caPath() {
      return local.caPath;
    },
    async stop() {
      stopRenewing();
      stopFollowing();
      await renewing;
    },
    served: () => (parts.hasLinks() ? TARGETS : TARGETS.slice(0, 1)).map(view),
    authority() {
      const { caPem: pem } = local;
      return { fingerprint: new X509Certificate(pem).fingerprint256, validity: readValidity(pem), pem };
    },
    wholeAuthority: () => findWholeAuthority({ folder, sealing }),
    async adopt(authority) {
      adoptAuthority({ folder, sealing, log }, clock.now(), authority);
      use(await ensure(parts.settings()));
    },
    async replaceAuthority() {
      use(await ensure(parts.settings(), { replacesAuthority: true }));
    },
    async import(target, chainPem, keyPem) {
      const validation = validateImport(chainPem, keyPem, clock.now());
      if (!('key' in validation)) return validation;
      writePrivateFile(importedPath(folder, target), validation.key + validation.chain);
      imported.set(target, validation);
      damaged.delete(target);
      servesIssued.delete(target);
      parts.replace(target, identity(target));
      return view(target);
    },
    validateIssued({ key, chain }) {
      const validation = validateImport(chain, key, clock.now());
      return 'key' in validation ? [] : validation;
    },
    install(next, targets) {
      writePrivateFile(join(folder, BY_ACME), next.key + next.chain);
      issued = next;
      serveIssued(targets);
      return readValidity(next.chain);
    },
    issuedChain: () => issued?.chain ?? null,
    followAcme: serveIssued,
    dropIssued() {
      issued = null;
      rmSync(join(folder, BY_ACME), { force: true });
      serveIssued([]);
    },
    async renew(target) {
      const next = await ensure(parts.settings(), { isForced: true });
      servesIssued.delete(target);
      dropImported(target);
      use(next);
      parts.replace(target, identity(target));
      return view(target);
    },
    readAgain() {
      readImported();
      issued = readIssued();
      for (const target of TARGETS) parts.replace(target, identity(target));
    },
    async follow(settings) {
      const targets = settings.acme?.targets ?? [];
      const isChanged = TARGETS.some((target) => servesIssued.has(target) !== targets.includes(target));
      if (isChanged) {
        servesIssued.clear();
        for (const target of targets) servesIssued.add(target);
        for (const target of TARGETS) parts.replace(target, identity(target));
      }
      use(await ensure(settings));
    },
  };
}

/** Key and chain are in one file, so that a kill leaves both old or both new. */
function importedPath(folder: string, target: CertificateTarget): string {
  return join(folder, `imported-${target}.pem`);
}

/** null: there is no file. */
function readKeyAndChain(path: string, now: number): Imported | 'damaged' | null {
  const text = readIfThere(path);
  if (text === null) return null;
  const start = Math.max(0, text.indexOf('-----BEGIN CERTIFICATE-----'));
  const found = { key: text.slice(0, start), chain: text.slice(start) };
  return isDamaged(found, now) ? 'damaged' : found;
}

/** Validity of the first certificate. */
function readValidity(chain: string): Span {
  const leaf = new X509Certificate(chain);
  return { from: leaf.validFromDate.getTime(), to: leaf.validToDate.getTime() };
}

function describe(target: CertificateTarget, source: Certificate['source'], chain: string, now: number): Certificate {
  const leaf = new X509Certificate(chain);
  const { from, to } = readValidity(chain);
  const endsSoon = source === 'acme' ? isNearEnd({ from, to }, now) : to - now <= WARN_MS;
  const names = (leaf.subjectAltName ?? '').split(', ').map((entry) => entry.replace(/^(?:DNS|IP Address):/, ''));
  return {
    target,
    source,
    // Public authorities may omit the subject, if all names are alternative names.
    subject: (leaf.subject ?? '').replaceAll('\n', ', '),
    issuer: leaf.issuer.replaceAll('\n', ', '),
    names,
    fingerprint: leaf.fingerprint256,
    not_before: new Date(from).toISOString(),
    not_after: new Date(to).toISOString(),
    days_left: Math.floor((to - now) / DAY),
    warning: now >= to ? 'ended' : now < from ? 'not_yet' : endsSoon ? 'ends_soon' : null,
  };
}
