// The panel's TLS certificate: a local authority that clients trust once, and a leaf for the machine's present addresses.
//
// Files in the folder (all 0600): ca.pem and its key last ten years, the key as ca-key.sealed where a vault is open, in clear as ca-key.pem
// until then; server.pem (leaf and authority) and server-key.pem are
// replaced when the addresses change or the end is near, so that clients which trust the authority go on without a question.
// Their names reveal nothing: anyone who connects can read a certificate.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { PanelError } from '../../core/panel-error.ts';
import type { SealedRow } from '../../core/ports/administrator.ts';
import type { Clock, Vault } from '../../core/ports/ports.ts';
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

/** How the authority's key is sealed. */
export interface AuthoritySealing extends Pick<Vault, 'seal' | 'open'> {
  /** Whether the vault is open: what does not open then is lost. */
  isOpen(): boolean;
  /** Whether it is open with a key that will be there again. */
  canSeal(): boolean;
}

/** What the sealed key is bound to. */
const PLACE = 'certificate:authority';

interface Options {
  /** Left out: the key stays in clear. */
  readonly sealing?: AuthoritySealing;
  /** Makes a new leaf in any case. */
  readonly isForced?: boolean;
}

/**
 * Reads the certificate of the folder, or makes what is missing, damaged, ending within 30 days or not for exactly these hosts
 * (IP addresses and DNS names; what is neither is left out). While the authority's key is sealed by a vault that is not open, the last leaf
 * stays. Rejects with the file system's error, or with PanelError `vault_unavailable` where that leaves none to serve.
 */
export async function ensureCertificate(
  folder: string,
  hosts: readonly string[],
  clock: Clock,
  { sealing, isForced = false }: Options = {},
): Promise<Certificate> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const at = (name: string) => join(folder, name);
  const now = clock.now();
  const wanted = normalHosts(hosts);

  const authority = readAuthority(folder, now, sealing) ?? (await makeAuthority(folder, now, sealing));
  const present = readPair(at('server-key.pem'), at('server.pem'));
  const { key } = authority;
  const isGood = present !== null && (key === null || (lasts(present.pem, now) && isFor(present, authority, wanted)));
  if (isGood && !isForced) return describe(present, authority, at('ca.pem'));
  if (key === null) throw new PanelError('vault_unavailable');

  const { issueLeaf } = await import('./issuer.ts');
  const from = now - BACKDATED;
  const to = Math.min(from + LEAF_DAYS * DAY, new X509Certificate(authority.pem).validToDate.getTime());
  const issued = await issueLeaf({ key, pem: authority.pem }, wanted, { from, to });
  const leaf = { key: issued.key, pem: `${issued.pem.trim()}\n${authority.pem}` };
  writePrivateFile(at('server-key.pem'), leaf.key);
  writePrivateFile(at('server.pem'), leaf.pem);
  return describe(leaf, authority, at('ca.pem'));
}

/** null also for a key and a certificate that do not belong together: a kill between the two writes leaves such. */
function readPair(keyPath: string, path: string): Issued | null {
  const key = readIfThere(keyPath);
  const pem = readIfThere(path);
  return key !== null && pem !== null && isPair(key, pem) ? { key, pem } : null;
}

function isPair(key: string, pem: string): boolean {
  try {
    return new X509Certificate(pem).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

function lasts(pem: string, now: number): boolean {
  const { validFromDate, validToDate } = new X509Certificate(pem);
  return validToDate.getTime() - now > RENEW_BEFORE && validFromDate.getTime() <= now;
}

interface Authority {
  readonly pem: string;
  /** null: sealed by a vault that is not open. */
  readonly key: string | null;
}

function readAuthority(folder: string, now: number, sealing: AuthoritySealing | undefined): Authority | null {
  const at = (name: string) => join(folder, name);
  const clear = readPair(at('ca-key.pem'), at('ca.pem'));
  if (clear) {
    if (!lasts(clear.pem, now)) return null;
    storeKey(folder, clear.key, sealing);
    return clear;
  }
  const sealed = readIfThere(at('ca-key.sealed'));
  const pem = readIfThere(at('ca.pem'));
  if (sealed === null || pem === null) return null;
  if (!sealing?.isOpen()) return { pem, key: null };
  try {
    const key = sealing.open(rowOf(sealed));
    return isPair(key, pem) && lasts(pem, now) ? { key, pem } : null;
  } catch {
    // Damaged, or sealed with a master key that no longer exists.
    return null;
  }
}

async function makeAuthority(
  folder: string,
  now: number,
  sealing: AuthoritySealing | undefined,
): Promise<Authority & Issued> {
  const { issueAuthority } = await import('./issuer.ts');
  const { key, pem } = await issueAuthority({ from: now - BACKDATED, to: now + CA_DAYS * DAY });
  const authority = { key, pem: `${pem.trim()}\n` };
  writePrivateFile(join(folder, 'ca-key.pem'), key);
  writePrivateFile(join(folder, 'ca.pem'), authority.pem);
  rmSync(join(folder, 'ca-key.sealed'), { force: true });
  storeKey(folder, key, sealing);
  return authority;
}

/** Replaces the key in clear by the sealed one, where that can be opened again. */
function storeKey(folder: string, key: string, sealing: AuthoritySealing | undefined): void {
  if (!sealing?.canSeal()) return;
  const { keyId, nonce, ciphertext } = sealing.seal(PLACE, key);
  const text = { keyId, nonce: toBase64(nonce), ciphertext: toBase64(ciphertext) };
  writePrivateFile(join(folder, 'ca-key.sealed'), JSON.stringify(text));
  rmSync(join(folder, 'ca-key.pem'), { force: true });
}

/** Throws for what is none. */
function rowOf(text: string): SealedRow {
  const { keyId, nonce, ciphertext } = JSON.parse(text);
  return {
    place: PLACE,
    keyId: String(keyId),
    nonce: Buffer.from(nonce, 'base64'),
    ciphertext: Buffer.from(ciphertext, 'base64'),
  };
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

function isFor(leaf: Issued, authority: Pick<Issued, 'pem'>, hosts: readonly string[]): boolean {
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

function describe({ key, pem }: Issued, authority: Pick<Issued, 'pem'>, caPath: string): Certificate {
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
