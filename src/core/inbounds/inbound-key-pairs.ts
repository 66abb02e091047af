// Pairs of a sealed secret and what apps have of it: the public one is computed from the secret, or must match it.
import {
  splitVlessEncryption,
  VLESS_METHOD,
  type VlessAppearance,
  X25519_LENGTH,
} from '../../contract/vless-encryption.ts';
import { bodyError } from '../kernel/panel-error.ts';
import { tokenOf } from '../kernel/wire.ts';
import type { Crypto } from '../ports/ports.ts';

type Given = string | null | undefined;

/** As `xray vlessenc`: the server resumes sessions for ten minutes, so that clients connect without a round trip. */
const SERVER_TIMING = '600s';
const CLIENT_TIMING = '0rtt';
const MLKEM768_SEED_BYTES = 64;
const MLDSA65_SEED_BYTES = 32;

/** The half of clients. */
export function deriveEncryption(crypto: Crypto, decryption: string): string {
  const { method, appearance, timing, keys } = splitVlessEncryption(decryption);
  const own = keys.map((key) =>
    key.length === X25519_LENGTH ? crypto.x25519PublicKey(key) : crypto.mlkem768PublicKey(key),
  );
  return [method, appearance, timing === '0s' ? '1rtt' : CLIENT_TIMING, ...own].join('.');
}

/** Whether two halves of clients are for the same server: each may have its own timing and padding. */
function isSameServer(one: string, other: string): boolean {
  const [a, b] = [splitVlessEncryption(one), splitVlessEncryption(other)];
  return a.appearance === b.appearance && a.keys.join() === b.keys.join();
}

interface Pair {
  readonly secret: string;
  readonly shown: string;
  readonly derive: (crypto: Crypto, secret: string) => string;
  readonly isMatch: (given: string, own: string) => boolean;
}

const ENCRYPTION: Pair = {
  secret: 'decryption',
  shown: 'encryption',
  derive: deriveEncryption,
  isMatch: isSameServer,
};
const MLDSA65: Pair = {
  secret: 'mldsa65_seed',
  shown: 'mldsa65_verify',
  derive: (crypto, seed) => crypto.mldsa65PublicKey(seed),
  isMatch: (given, own) => given === own,
};

/** What apps have after a write. One is never without the other: without the secret no app could connect. */
function resolveShown(crypto: Crypto, pair: Pair, secret: Given, shown: Given, present: string | null): string | null {
  const own = secret ? pair.derive(crypto, secret) : secret === null ? null : present;
  if (!shown) return shown === null && !secret ? null : own;
  if (own === null) throw bodyError('validation', `#/${pair.secret}`, 'required', `is required with ${pair.shown}`);
  if (!pair.isMatch(shown, own))
    throw bodyError('validation', `#/${pair.shown}`, 'key_mismatch', `is not that of ${pair.secret}`);
  return shown;
}

export interface PairInput {
  readonly decryption?: Given;
  readonly encryption?: Given;
  readonly mldsa65_seed?: Given;
  readonly mldsa65_verify?: Given;
}

interface Shown {
  readonly encryption: string | null;
  readonly mldsa65Verify: string | null;
}

export const NO_PAIRS: Shown = { encryption: null, mldsa65Verify: null };

export function resolvePairs(crypto: Crypto, input: PairInput, present: Shown): Shown {
  return {
    encryption: resolveShown(crypto, ENCRYPTION, input.decryption, input.encryption, present.encryption),
    mldsa65Verify: resolveShown(crypto, MLDSA65, input.mldsa65_seed, input.mldsa65_verify, present.mldsa65Verify),
  };
}

export function makeVlessPair(crypto: Crypto, authentication: 'x25519' | 'mlkem768', appearance: VlessAppearance) {
  const key =
    authentication === 'x25519' ? crypto.newX25519().privateKey : tokenOf(crypto.randomBytes(MLKEM768_SEED_BYTES));
  const decryption = [VLESS_METHOD, appearance, SERVER_TIMING, key].join('.');
  return { decryption, encryption: deriveEncryption(crypto, decryption) };
}

export function makeMldsa65Pair(crypto: Crypto) {
  const seed = tokenOf(crypto.randomBytes(MLDSA65_SEED_BYTES));
  return { mldsa65_seed: seed, mldsa65_verify: crypto.mldsa65PublicKey(seed) };
}
