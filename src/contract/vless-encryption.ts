// The two halves of VLESS encryption, in the form in which Xray has them: method, appearance, timing, padding and keys, separated by dots.
import { z } from 'zod';

export const VLESS_METHOD = 'mlkem768x25519plus';
/** How encrypted bytes look: as they are, with hidden public keys, or all like random bytes. */
export const VLESS_APPEARANCES = ['native', 'xorpub', 'random'] as const;
export type VlessAppearance = (typeof VLESS_APPEARANCES)[number];
export const VLESS_AUTHENTICATIONS = ['x25519', 'mlkem768'] as const;

/** Of an X25519 key, public or private, in base64url. */
export const X25519_LENGTH = 43;
const MLKEM768_SEED_LENGTH = 86;
const MLKEM768_PUBLIC_LENGTH = 1579;
/** Xray takes what is shorter for padding. */
const MIN_KEY_LENGTH = 20;
const MAX_PADDING_PARTS = 10;
/** Each key is one more hop of a relay. */
const MAX_KEYS = 4;
const MIN_FIRST_PADDING = 35;
const MAX_PADDING = 65_553;
const PADDING = /^\d{1,3}-\d{1,5}-\d{1,5}$/;

export interface VlessParts {
  readonly method: string;
  readonly appearance: string;
  /** Of the server for how long a session can be resumed; of the client whether it resumes. */
  readonly timing: string;
  readonly padding: readonly string[];
  readonly keys: readonly string[];
}

export function splitVlessEncryption(text: string): VlessParts {
  const [method = '', appearance = '', timing = '', ...rest] = text.split('.');
  const firstKey = rest.findIndex((part) => part.length >= MIN_KEY_LENGTH);
  const count = firstKey === -1 ? rest.length : firstKey;
  return { method, appearance, timing, padding: rest.slice(0, count), keys: rest.slice(count) };
}

/** Lengths and gaps by turns, each as `probability-from-to`. Xray refuses others when it starts. */
function isPadding(parts: readonly string[]): boolean {
  if (parts.length > MAX_PADDING_PARTS || !parts.every((part) => PADDING.test(part))) return false;
  const ranges = parts.map((part) => part.split('-').map(Number));
  const [first] = ranges;
  if (first && ((first[0] ?? 0) < 100 || (first[1] ?? 0) < MIN_FIRST_PADDING)) return false;
  const longest = ranges.filter((_, index) => index % 2 === 0).reduce((sum, [, , to = 0]) => sum + to, 0);
  return longest <= MAX_PADDING && ranges.every(([chance = 0, from = 0, to = 0]) => chance <= 100 && from <= to);
}

function isRange(timing: string): boolean {
  const [, from, to = from] = /^(\d{1,5})(?:-(\d{1,5}))?s$/.exec(timing) ?? [];
  return from !== undefined && Number(from) <= Number(to);
}

function isHalf(text: string, isTiming: (timing: string) => boolean, lengths: readonly number[]): boolean {
  const { method, appearance, timing, padding, keys } = splitVlessEncryption(text);
  if (method !== VLESS_METHOD || !VLESS_APPEARANCES.some((one) => one === appearance)) return false;
  if (!isTiming(timing) || !isPadding(padding) || keys.length === 0 || keys.length > MAX_KEYS) return false;
  return keys.every((key) => lengths.includes(key.length) && /^[\w-]+$/.test(key));
}

const isDecryption = (text: string) => isHalf(text, isRange, [X25519_LENGTH, MLKEM768_SEED_LENGTH]);
const isEncryption = (text: string) =>
  isHalf(text, (timing) => timing === '0rtt' || timing === '1rtt', [X25519_LENGTH, MLKEM768_PUBLIC_LENGTH]);

export const vlessDecryption = z
  .string()
  .max(600)
  .refine(isDecryption, { message: 'must be a decryption as `xray vlessenc` prints it' });

export const vlessEncryption = z
  .string()
  .max(7000)
  .refine(isEncryption, { message: 'must be an encryption as `xray vlessenc` prints it' });
