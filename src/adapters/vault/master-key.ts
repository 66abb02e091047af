// The master key: where it may be stored, and how it seals a secret (AES-256-GCM, bound to the name of the secret).
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import type { VaultReason, VaultState } from '../../core/ports/ports.ts';
import type { SealedRow } from '../../core/ports/sealed.ts';

/** A KeyObject, because it does not show its bytes in log lines and errors. */
export type MasterKey = {
  readonly secret: KeyObject;
  /** Identifies the key without revealing it: 16 hex digits. */
  readonly id: string;
};

/** What a location contains. */
export type Found =
  | { readonly kind: 'key'; readonly key: MasterKey }
  /** The location works and has no key. */
  | { readonly kind: 'empty' }
  | {
      readonly kind: 'unusable';
      readonly state: Extract<VaultState, 'locked' | 'absent' | 'changed'>;
      readonly reason: VaultReason;
      /** For the log; no secret. */
      readonly detail: string;
    };

/** A place for the master key: the keychain or a file. */
export interface KeyLocation {
  /** The value of the vault's `backend()`. */
  readonly backend: string;
  /** The vault's state with a matching key. */
  readonly opened: Extract<VaultState, 'unlocked' | 'headless'>;
  /** The vault's reason when secrets are sealed but the key is missing, and when the key is another one. */
  readonly missing: VaultReason;
  readonly other: VaultReason;
  /** Whether a key that was deleted while the panel runs is written again. */
  readonly restoresKey: boolean;
  /** Never rejects; may take as long as a person needs for a prompt. */
  find(): Promise<Found>;
  /** Stores the key if there is none, and returns the key that is there afterwards: a present entry stays. Never rejects. */
  make(key: MasterKey): Promise<Found>;
  /** Aborts an unanswered call and its prompt; false where that is impossible. */
  abort(): boolean;
}

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
/** NIST SP 800-38D section 8.2.2: with random nonces of 96 bits, a key may seal 2^32 secrets. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** 32 bytes in base64url, as the panel writes them, or in base64, as `openssl rand -base64 32` prints. */
const TEXT = /^(?:[\w-]{43}|[A-Za-z0-9+/]{43}=)$/;

export function newMasterKey(): MasterKey {
  return buildMasterKey(randomBytes(KEY_BYTES));
}

/** null: the text is no master key. Surrounding white space is ignored. */
export function parseMasterKey(text: string): MasterKey | null {
  const trimmed = text.trim();
  return TEXT.test(trimmed) ? buildMasterKey(Buffer.from(trimmed, 'base64')) : null;
}

/** The unencrypted text of the key that a keychain or a key file stores. */
export function formatMasterKey({ secret }: MasterKey): string {
  return secret.export().toString('base64url');
}

function buildMasterKey(bytes: Buffer): MasterKey {
  const id = createHash('sha256').update('gatehouse|master-key-id|').update(bytes).digest('hex').slice(0, 16);
  return { secret: createSecretKey(bytes), id };
}

export function sealWith(key: MasterKey, instanceId: string, place: string, secret: string): SealedRow {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key.secret, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(buildContext(instanceId, place, key.id));
  const ciphertext = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return { place, keyId: key.id, nonce, ciphertext };
}

/** null: the row was changed, moved, or sealed by another key or for another panel. */
export function openWith(key: MasterKey, instanceId: string, row: SealedRow): string | null {
  const { place, keyId, nonce, ciphertext } = row;
  if (keyId !== key.id || nonce.length !== NONCE_BYTES || ciphertext.length < TAG_BYTES) return null;
  const end = ciphertext.length - TAG_BYTES;
  try {
    const decipher = createDecipheriv(CIPHER, key.secret, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(buildContext(instanceId, place, keyId));
    decipher.setAuthTag(ciphertext.subarray(end));
    return Buffer.concat([decipher.update(ciphertext.subarray(0, end)), decipher.final()]).toString('utf8');
  } catch {
    return null;
  }
}

/** Instance and key ids contain no `|`, so two names never give the same bytes. */
function buildContext(instanceId: string, place: string, keyId: string): Buffer {
  return Buffer.from(`gatehouse|${instanceId}|${place}|${keyId}`, 'utf8');
}
