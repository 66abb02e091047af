// The panel's TLS certificate: a leaf of the panel's own authority, for the machine's present addresses.
//
// Files in the folder (all 0600): those of the authority (authority.ts), and server.pem (leaf and authority) with server-key.pem. These two
// are replaced when the addresses change or the leaf is about to end; clients that trust the authority accept the new one without a prompt.
// Subject names reveal nothing: anyone who connects can read a certificate.
import { X509Certificate } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { PanelError } from '../../core/kernel/panel-error.ts';
import type { Clock } from '../../core/ports/ports.ts';
import { isDnsName } from '../addresses.ts';
import { readIfThere, writePrivateFile } from '../private-file.ts';
import {
  type Authority,
  type AuthorityParts,
  BACKDATED,
  ensureAuthority,
  isPair,
  replaceAuthority,
} from './authority.ts';
import type { Issued, Validity } from './issuer.ts';

export type Certificate = {
  /** Private key, PEM (PKCS #8). */
  readonly key: string;
  /** Leaf and authority, PEM: what a TLS server sends. */
  readonly chain: string;
  /** The authority alone, PEM: what clients import. */
  readonly caPem: string;
  /** Path of the authority, for `curl --cacert`. */
  readonly caPath: string;
  /** SHA-256 of the leaf as browsers show it: upper-case hex pairs with colons. */
  readonly fingerprint: string;
  /** Epoch milliseconds. */
  readonly endsAt: number;
};

const DAY = 86_400_000;
/** Browsers refuse leaves of more than 398 days. */
const LEAF_DAYS = 397;
const RENEW_BEFORE = 30 * DAY;

interface Parts extends AuthorityParts {
  readonly clock: Clock;
}

interface Options {
  /** Makes a new leaf even if the present one is valid. */
  readonly isForced?: boolean;
  /** Makes a new authority as well. */
  readonly replacesAuthority?: boolean;
}

/**
 * Reads the certificate of the folder, or makes a new one if it is missing, damaged, ends within 30 days or is not for exactly these hosts
 * (IP addresses and DNS names; others are left out). While the authority's key is sealed by a vault that is not open, the last leaf stays.
 * Rejects with the file system's error, or with PanelError `vault_unavailable` if there is no leaf to serve.
 */
export async function ensureCertificate(
  { clock, ...parts }: Parts,
  hosts: readonly string[],
  { isForced = false, replacesAuthority = false }: Options = {},
): Promise<Certificate> {
  const { folder } = parts;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const at = (name: string) => join(folder, name);
  const now = clock.now();
  const wanted = normalHosts(hosts);

  const authority = await (replacesAuthority ? replaceAuthority(parts, now, 'requested') : ensureAuthority(parts, now));
  const present = readLeaf(folder);
  const { key, pem } = authority;
  const life = readValidity(pem);
  const isGood =
    present !== null && (key === null || (isFor(present, pem, wanted) && isValidFor(present.pem, life, now)));
  if (isGood && !isForced) return describe(present, authority, at('ca.pem'));
  if (key === null) throw new PanelError('vault_unavailable');

  const { issueLeaf } = await import('./issuer.ts');
  const issued = await issueLeaf({ key, pem }, wanted, leafValidity(present, life, now));
  const leaf = { key: issued.key, pem: `${issued.pem.trim()}\n${pem}` };
  writePrivateFile(at('server-key.pem'), leaf.key);
  writePrivateFile(at('server.pem'), leaf.pem);
  return describe(leaf, authority, at('ca.pem'));
}

/** null also for a key and a certificate that do not belong together, as after a kill between the two writes. */
function readLeaf(folder: string): Issued | null {
  const key = readIfThere(join(folder, 'server-key.pem'));
  const pem = readIfThere(join(folder, 'server.pem'));
  return key !== null && pem !== null && isPair(key, pem) ? { key, pem } : null;
}

function readValidity(pem: string): Validity {
  const { validFromDate, validToDate } = new X509Certificate(pem);
  return { from: validFromDate.getTime(), to: validToDate.getTime() };
}

function isWithin({ from, to }: Validity, now: number): boolean {
  return from <= now && now < to;
}

/**
 * Whether a leaf need not be renewed. Outside the authority's validity the clock is not trusted; a leaf that ends with the authority cannot
 * last longer.
 */
function isValidFor(pem: string, life: Validity, now: number): boolean {
  const { from, to } = readValidity(pem);
  return !isWithin(life, now) || (from <= now && (to - now > RENEW_BEFORE || to >= life.to));
}

/** From now on; if the clock is outside the authority's validity, from the start of the last leaf. */
function leafValidity(present: Issued | null, life: Validity, now: number): Validity {
  const before = present === null ? life : readValidity(present.pem);
  const start = isWithin(life, now) ? now - BACKDATED : before.from;
  const from = Math.min(Math.max(start, life.from), life.to - BACKDATED);
  return { from, to: Math.min(from + LEAF_DAYS * DAY, life.to) };
}

function isFor(leaf: Issued, authorityPem: string, hosts: readonly string[]): boolean {
  const certificate = new X509Certificate(leaf.pem);
  const named = (certificate.subjectAltName ?? '').split(', ').map((entry) => entry.replace(/^(DNS|IP Address):/, ''));
  return certificate.verify(new X509Certificate(authorityPem).publicKey) && normalHosts(named).join() === hosts.join();
}

/** In lower case, IPv6 in its shortest form, sorted, without duplicates and without hosts that a certificate cannot contain. */
function normalHosts(hosts: readonly string[]): readonly string[] {
  const normal = hosts
    .filter((host) => isIP(host) > 0 || isDnsName(host))
    .map((host) => (isIP(host) === 6 ? new URL(`http://[${host}]`).hostname.slice(1, -1) : host.toLowerCase()));
  return [...new Set(normal)].sort();
}

function describe({ key, pem }: Issued, authority: Authority, caPath: string): Certificate {
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
