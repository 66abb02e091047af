// The panel's TLS certificate: a local authority that clients trust once, and a leaf for the machine's present addresses.
//
// Files in the folder (all 0600): ca.pem and ca-key.pem last ten years; server.pem (leaf and authority) and server-key.pem are
// replaced when the addresses change or the end is near, so that clients which trust the authority go on without a question.
// Their names reveal nothing: anyone who connects can read a certificate.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { Clock } from '../../core/ports/ports.ts';
import { isDnsName } from '../addresses.ts';
import { readIfThere, writePrivateFile } from '../private-file.ts';
import type { Issued } from './issuer.ts';

export type Certificate = {
  /** Private key, PEM (PKCS #8). */
  readonly key: string;
  /** Leaf and authority, PEM: what a TLS server sends. */
  readonly chain: string;
  /** The authority alone, PEM: what a client is given to trust. */
  readonly caPem: string;
  /** Path of the authority, for `curl --cacert`. */
  readonly caPath: string;
  /** SHA-256 of the leaf as browsers show it: upper-case hex pairs with colons. */
  readonly fingerprint: string;
  /** Epoch milliseconds. */
  readonly endsAt: number;
};

const DAY = 86_400_000;
const CA_DAYS = 3652;
/** Browsers refuse leaves of more than 398 days. */
const LEAF_DAYS = 397;
/** Valid from an hour ago on, for clients whose clocks are behind. */
const BACKDATED = DAY / 24;
const RENEW_BEFORE = 30 * DAY;

/**
 * Reads the certificate of the folder, or makes what is missing, damaged, ending within 30 days or not for exactly these hosts
 * (IP addresses and DNS names; what is neither is left out). Rejects with the file system's error.
 */
export async function ensureCertificate(folder: string, hosts: readonly string[], clock: Clock): Promise<Certificate> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const at = (name: string) => join(folder, name);
  const now = clock.now();
  const wanted = normalHosts(hosts);

  const authority =
    readPair(at('ca-key.pem'), at('ca.pem'), now) ?? (await makeAuthority(at('ca-key.pem'), at('ca.pem'), now));
  const present = readPair(at('server-key.pem'), at('server.pem'), now);
  if (present && isFor(present, authority, wanted)) return describe(present, authority, at('ca.pem'));

  const { issueLeaf } = await import('./issuer.ts');
  const from = now - BACKDATED;
  const to = Math.min(from + LEAF_DAYS * DAY, new X509Certificate(authority.pem).validToDate.getTime());
  const issued = await issueLeaf(authority, wanted, { from, to });
  const leaf = { key: issued.key, pem: `${issued.pem.trim()}\n${authority.pem}` };
  writePrivateFile(at('server-key.pem'), leaf.key);
  writePrivateFile(at('server.pem'), leaf.pem);
  return describe(leaf, authority, at('ca.pem'));
}

/** null also for a key and a certificate that do not belong together: a kill between the two writes leaves such. */
function readPair(keyPath: string, path: string, now: number): Issued | null {
  const key = readIfThere(keyPath);
  const pem = readIfThere(path);
  if (key === null || pem === null) return null;
  try {
    const certificate = new X509Certificate(pem);
    const lasts = certificate.validToDate.getTime() - now > RENEW_BEFORE && certificate.validFromDate.getTime() <= now;
    return lasts && certificate.checkPrivateKey(createPrivateKey(key)) ? { key, pem } : null;
  } catch {
    return null;
  }
}

async function makeAuthority(keyPath: string, path: string, now: number): Promise<Issued> {
  const { issueAuthority } = await import('./issuer.ts');
  const { key, pem } = await issueAuthority({ from: now - BACKDATED, to: now + CA_DAYS * DAY });
  const authority = { key, pem: `${pem.trim()}\n` };
  writePrivateFile(keyPath, key);
  writePrivateFile(path, authority.pem);
  return authority;
}

function isFor(leaf: Issued, authority: Issued, hosts: readonly string[]): boolean {
  const certificate = new X509Certificate(leaf.pem);
  const named = (certificate.subjectAltName ?? '').split(', ').map((entry) => entry.replace(/^(DNS|IP Address):/, ''));
  return certificate.verify(new X509Certificate(authority.pem).publicKey) && normalHosts(named).join() === hosts.join();
}

/** Lower-case, IPv6 in its shortest form, sorted, without duplicates and without what cannot stand in a certificate. */
function normalHosts(hosts: readonly string[]): readonly string[] {
  const normal = hosts
    .filter((host) => isIP(host) > 0 || isDnsName(host))
    .map((host) => (isIP(host) === 6 ? new URL(`http://[${host}]`).hostname.slice(1, -1) : host.toLowerCase()));
  return [...new Set(normal)].sort();
}

function describe({ key, pem }: Issued, authority: Issued, caPath: string): Certificate {
  const leaf = new X509Certificate(pem);
  return {
    key,
    chain: pem,
    caPem: authority.pem,
    caPath,
    fingerprint: leaf.fingerprint256,
    endsAt: leaf.validToDate.getTime(),
  };
}
