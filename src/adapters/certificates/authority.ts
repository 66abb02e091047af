// The panel's own authority, which clients trust once. It is replaced only when its files are lost or damaged, or on request; never because
// of the clock or of a file that cannot be read (docs/decisions/0022).
//
// ca.pem is its certificate, which is also the last one in server.pem. Its key is in ca-key.sealed once a vault can seal it, until then
// unencrypted in ca-key.pem.

import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PanelError } from '../../core/kernel/panel-error.ts';
import type { Log, Vault } from '../../core/ports/ports.ts';
import type { SealedRow } from '../../core/ports/sealed.ts';
import { parseOwnJson } from '../../domain/own-json.ts';
import { readIfThere, setAside, writePrivateFile } from '../private-file.ts';

const DAY = 86_400_000;
const LIFETIME = 3652 * DAY;
/** Certificates are valid from an hour ago, for clients whose clocks are behind. */
export const BACKDATED = DAY / 24;

/** The files that a new authority replaces. The leaf too: clients that trust the former authority accept it until it ends. */
const FILES = ['ca.pem', 'ca-key.pem', 'ca-key.sealed', 'server.pem', 'server-key.pem'] as const;
const END = '-----END CERTIFICATE-----';

/** How the authority's key is sealed. */
export interface AuthoritySealing extends Pick<Vault, 'seal' | 'open'> {
  /** Whether the vault is open: a key that it then cannot open is lost. */
  isOpen(): boolean;
  /** Whether the vault is open with a key that persists. */
  canSeal(): boolean;
}

export interface AuthorityParts {
  /** The folder of the files. */
  readonly folder: string;
  /** Left out: the key stays unencrypted. */
  readonly sealing?: AuthoritySealing | undefined;
  readonly log: Log;
}

export interface Authority {
  readonly pem: string;
  /** PEM; null: sealed by a vault that is not open. */
  readonly key: string | null;
}

/** An authority whose key is available. */
export type KeyedAuthority = Authority & { readonly key: string };

/** The name that the sealed key is bound to. */
const PLACE = 'certificate:authority';
const SEALED_KEY = 'ca-key.sealed';
/** Stands for a sealed file that cannot be read; matches no key id. */
const UNKNOWN_KEY = 'unreadable';

/** The id of the master key that sealed the authority's key; null: none has. A new master key would make the authority unusable. */
export function authoritySealedWith(folder: string): string | null {
  try {
    const text = readIfThere(join(folder, SEALED_KEY));
    return text === null ? null : (parseSealed(text)?.keyId ?? null);
  } catch {
    return UNKNOWN_KEY;
  }
}

/**
 * The authority of the folder, made if none of its files exists; damaged files are set aside first. Rejects with the file system's error if
 * a file cannot be read: then nothing is replaced.
 */
export async function ensureAuthority(parts: AuthorityParts, now: number): Promise<Authority> {
  const found = readAuthority(parts);
  if (found === 'absent') return makeAuthority(parts, now);
  if (found === 'damaged') return replaceAuthority(parts, now, 'its files are lost or damaged');
  const { folder, sealing, log } = parts;
  const path = join(folder, 'ca.pem');
  if (readIfThere(path) !== found.pem) {
    log.warn('certificate of the authority restored from server.pem', { aside: setAside(path, now) });
    writePrivateFile(path, found.pem);
  }
  if (found.isClear && found.key !== null) storeKey(folder, found.key, sealing);
  return found;
}

/** Sets the files of the present authority aside and makes a new one. */
export async function replaceAuthority(parts: AuthorityParts, now: number, reason: string): Promise<Authority> {
  const aside = FILES.map((name) => setAside(join(parts.folder, name), now)).filter((name) => name !== null);
  parts.log.warn('authority replaced: clients need the new CA file', { reason, aside });
  return makeAuthority(parts, now);
}

/** The present authority of the folder; null: there is none, or it is damaged. */
export function findWholeAuthority(parts: Pick<AuthorityParts, 'folder' | 'sealing'>): Authority | null {
  const found = readAuthority(parts);
  return typeof found === 'string' ? null : { pem: found.pem, key: found.key };
}

/** Whether the certificate is a valid authority and the key belongs to it. */
export function isWholeAuthority(authority: Authority): authority is KeyedAuthority {
  const { pem, key } = authority;
  return key !== null && isAuthority(pem) && isPair(key, pem);
}

/** Sets the files of the present authority aside and writes another complete one. */
export function adoptAuthority(parts: AuthorityParts, now: number, { pem, key }: KeyedAuthority): void {
  const { folder, sealing, log } = parts;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const aside = FILES.map((name) => setAside(join(folder, name), now)).filter((name) => name !== null);
  log.warn('authority of a backup taken over', { aside });
  writePrivateFile(join(folder, 'ca-key.pem'), key);
  writePrivateFile(join(folder, 'ca.pem'), pem);
  storeKey(folder, key, sealing);
}

async function makeAuthority({ folder, sealing }: AuthorityParts, now: number): Promise<Authority> {
  const { issueAuthority } = await import('./issuer.ts');
  const { key, pem } = await issueAuthority({ from: now - BACKDATED, to: now + LIFETIME });
  const authority = { key, pem: `${pem.trim()}\n` };
  writePrivateFile(join(folder, 'ca-key.pem'), key);
  writePrivateFile(join(folder, 'ca.pem'), authority.pem);
  storeKey(folder, key, sealing);
  return authority;
}

type Found = Authority & { readonly isClear: boolean };

function readAuthority({ folder, sealing }: Pick<AuthorityParts, 'folder' | 'sealing'>): Found | 'absent' | 'damaged' {
  const [pem, clear, sealed, chain] = ['ca.pem', 'ca-key.pem', SEALED_KEY, 'server.pem'].map((name) =>
    readIfThere(join(folder, name)),
  );
  if (pem == null && clear == null && sealed == null && chain == null) return 'absent';
  const certificate = [pem, chain && getLastCertificate(chain)].find((text) => text != null && isAuthority(text));
  if (certificate == null) return 'damaged';
  if (clear != null && isPair(clear, certificate)) return { pem: certificate, key: clear, isClear: true };
  if (sealed == null) return 'damaged';
  if (!sealing?.isOpen()) return { pem: certificate, key: null, isClear: false };
  const key = unseal(sealed, sealing);
  return key !== null && isPair(key, certificate) ? { pem: certificate, key, isClear: false } : 'damaged';
}

/** The last certificate of a chain that `ensureCertificate` wrote: the authority's. */
function getLastCertificate(chain: string): string {
  return `${chain.slice(chain.indexOf(END) + END.length).trim()}\n`;
}

function isAuthority(pem: string): boolean {
  return parseCertificate(pem)?.ca === true && isSelfSigned(pem);
}

export function isPair(key: string, pem: string): boolean {
  const privateKey = parseKey(key);
  return privateKey !== null && (parseCertificate(pem)?.checkPrivateKey(privateKey) ?? false);
}

/** Whether a certificate can be parsed and is signed by its own key. */
export function isSelfSigned(pem: string): boolean {
  const certificate = parseCertificate(pem);
  return certificate?.verify(certificate.publicKey) ?? false;
}

function parseKey(pem: string): KeyObject | null {
  try {
    return createPrivateKey(pem);
  } catch {
    return null;
  }
}

/** null: the certificate or its key cannot be parsed. */
export function parseCertificate(pem: string): X509Certificate | null {
  try {
    const certificate = new X509Certificate(pem);
    return certificate.publicKey && certificate;
  } catch {
    return null;
  }
}

/** Replaces the unencrypted key by the sealed one, if the vault can open it again later. */
function storeKey(folder: string, key: string, sealing: AuthoritySealing | undefined): void {
  const row = sealing?.canSeal() ? unlessUnavailable(() => sealing.seal(PLACE, key)) : null;
  if (row === null) return;
  const { keyId, nonce, ciphertext } = row;
  const text = { keyId, nonce: toBase64(nonce), ciphertext: toBase64(ciphertext) };
  writePrivateFile(join(folder, SEALED_KEY), JSON.stringify(text));
  rmSync(join(folder, 'ca-key.pem'), { force: true });
}

/** null: damaged. */
function parseSealed(text: string): SealedRow | null {
  try {
    const { keyId, nonce, ciphertext } = parseOwnJson<Partial<Record<string, unknown>>>(text);
    const isWhole = typeof keyId === 'string' && typeof nonce === 'string' && typeof ciphertext === 'string';
    return isWhole ? { place: PLACE, keyId, nonce: fromBase64(nonce), ciphertext: fromBase64(ciphertext) } : null;
  } catch {
    return null;
  }
}

function fromBase64(text: string): Buffer {
  return Buffer.from(text, 'base64');
}

/** null: damaged, or sealed with a master key that no longer exists. Requires an open vault. */
function unseal(text: string, sealing: AuthoritySealing): string | null {
  const row = parseSealed(text);
  return row && unlessUnavailable(() => sealing.open(row));
}

/** null if the vault is unavailable. Other errors are defects, and do not mean that the files are damaged. */
function unlessUnavailable<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof PanelError && error.code === 'vault_unavailable') return null;
    throw error;
  }
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
