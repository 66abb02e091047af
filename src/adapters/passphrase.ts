// Secrets under a passphrase, for backups that are restored on a machine with another master key, or without one.
//
// Format, version 1: `GATESEAL`, version, log2 N, r, p (a byte each), salt (16), check (16), nonce (12), ciphertext, tag (16),
// SHA-256 of all before it (32). scrypt gives 48 bytes: the AES-256-GCM key and the check, which distinguishes a wrong passphrase
// from a changed file. Everything before the ciphertext is authenticated with it. The plain text is a JSON object, place to secret.
import { createCipheriv, createDecipheriv, createHash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { parseForeignJson } from '../domain/foreign-json.ts';

/** Secrets by the place they belong to. */
export type PlacedSecrets = Readonly<Record<string, string>>;

export type OpenedSecrets =
  | { readonly ok: true; readonly secrets: PlacedSecrets }
  /** `newer`: its format version is newer than this program. `damaged`: truncated, changed, or not sealed by a panel. */
  | { readonly ok: false; readonly problem: 'wrong_passphrase' | 'damaged' | 'newer' };

/** Bounds of the secrets in a backup. */
const BOUNDS = { bytes: 16_777_216, values: 100_000, depth: 8 };
const MAGIC = Buffer.from('GATESEAL', 'latin1');
const VERSION = 1;
const CIPHER = 'aes-256-gcm';
/** Lengths in bytes. */
const SALT = 16;
const CHECK = 16;
const NONCE = 12;
const TAG = 16;
const KEY = 32;
const DIGEST = 32;
const HEADER = MAGIC.length + 4 + SALT + CHECK + NONCE;

type Cost = { readonly log2N: number; readonly r: number; readonly p: number };
/** OWASP Password Storage Cheat Sheet: N = 2^17, r = 8, p = 1. */
const DEFAULT_COST: Cost = { log2N: 17, r: 8, p: 1 };
/** The file states how much memory opening it takes: at most 1 GiB is accepted. */
const isAffordable = ({ log2N, r, p }: Cost) => log2N >= 1 && log2N <= 20 && r === 8 && p >= 1 && p <= 4;

/** Only tests lower `log2N`. An empty passphrase is no error here: the operation validates it. */
export async function sealWithPassphrase(
  secrets: PlacedSecrets,
  passphrase: string,
  log2N: number = DEFAULT_COST.log2N,
): Promise<Uint8Array> {
  const cost = { ...DEFAULT_COST, log2N };
  const salt = randomBytes(SALT);
  const nonce = randomBytes(NONCE);
  const { key, check } = await derive(passphrase, salt, cost);
  const header = Buffer.concat([MAGIC, Buffer.from([VERSION, cost.log2N, cost.r, cost.p]), salt, check, nonce]);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG }).setAAD(header);
  const body = [cipher.update(JSON.stringify(secrets), 'utf8'), cipher.final(), cipher.getAuthTag()];
  const sealed = Buffer.concat([header, ...body]);
  return Buffer.concat([sealed, computeDigest(sealed)]);
}

/** Never rejects, whatever the bytes are. */
export async function openWithPassphrase(bytes: Uint8Array, passphrase: string): Promise<OpenedSecrets> {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (whole.length < HEADER + TAG + DIGEST || !whole.subarray(0, MAGIC.length).equals(MAGIC))
    return toProblem('damaged');
  const sealed = whole.subarray(0, -DIGEST);
  if (!computeDigest(sealed).equals(whole.subarray(-DIGEST))) return toProblem('damaged');
  const [version = 0, log2N = 0, r = 0, p = 0] = sealed.subarray(MAGIC.length);
  if (version !== VERSION) return toProblem(version > VERSION ? 'newer' : 'damaged');
  if (!isAffordable({ log2N, r, p })) return toProblem('damaged');

  const salt = sealed.subarray(MAGIC.length + 4).subarray(0, SALT);
  const { key, check } = await derive(passphrase, salt, { log2N, r, p });
  const expected = sealed.subarray(HEADER - NONCE - CHECK, HEADER - NONCE);
  if (!timingSafeEqual(check, expected)) return toProblem('wrong_passphrase');
  try {
    const decipher = createDecipheriv(CIPHER, key, sealed.subarray(HEADER - NONCE, HEADER), { authTagLength: TAG });
    decipher.setAAD(sealed.subarray(0, HEADER)).setAuthTag(sealed.subarray(-TAG));
    const text = Buffer.concat([decipher.update(sealed.subarray(HEADER, -TAG)), decipher.final()]).toString('utf8');
    const secrets = parseForeignJson(text, BOUNDS);
    return isPlacedSecrets(secrets) ? { ok: true, secrets } : toProblem('damaged');
  } catch {
    return toProblem('damaged');
  }
}

function toProblem(problem: Extract<OpenedSecrets, { ok: false }>['problem']): OpenedSecrets {
  return { ok: false, problem };
}

function computeDigest(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}

function isPlacedSecrets(value: unknown): value is PlacedSecrets {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((secret) => typeof secret === 'string');
}

/** Keyboards send the same passphrase in different Unicode forms: NFKC, as for passwords. */
function derive(passphrase: string, salt: Uint8Array, { log2N, r, p }: Cost): Promise<{ key: Buffer; check: Buffer }> {
  const N = 2 ** log2N;
  const options = { N, r, p, maxmem: 128 * N * r * p + 2 ** 22 };
  return new Promise((resolve, reject) => {
    scrypt(passphrase.normalize('NFKC'), salt, KEY + CHECK, options, (error, derived) => {
      if (error) reject(error);
      else resolve({ key: derived.subarray(0, KEY), check: derived.subarray(KEY) });
    });
  });
}
