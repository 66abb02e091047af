// Secrets that are looked for afterwards, in every form in which one could lie somewhere.
import { Secret } from 'otpauth';

/**
 * `sealed`: opened by the vault's key only. `proved`: kept as a hash, or not at all. `kept`: in clear in the database, and nowhere
 * else. `code`: six digits, which a file of bytes may hold by chance.
 */
export type CanaryKind = 'sealed' | 'proved' | 'kept' | 'code';

export interface Canary {
  readonly name: string;
  readonly value: string;
  readonly kind: CanaryKind;
}

/** The secret as text, as bytes where it stands for some, and each of them encoded in the usual ways. */
function listEncodings({ value }: Canary): readonly Buffer[] {
  const plain = [Buffer.from(value), ...bytesIn(value)];
  const encoded = plain.flatMap((bytes) => [
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
  ]);
  const texts = [encodeURIComponent(value), JSON.stringify(value).slice(1, -1), value.replaceAll('-', ''), ...encoded];
  return [...plain, ...texts.map((text) => Buffer.from(text))];
}

function bytesIn(value: string): Buffer[] {
  if (/^[A-Z2-7]{32}$/.test(value)) return [Buffer.from(Secret.fromBase32(value).bytes)];
  if (/^[\w+/-]{43,64}=?$/.test(value)) return [Buffer.from(value, 'base64')];
  return [];
}

/** Names of the canaries that a text or a file holds. */
export function found(canaries: readonly Canary[], where: string | Buffer): string[] {
  const bytes = Buffer.from(where);
  const isIn = (canary: Canary) =>
    canary.kind === 'code'
      ? new RegExp(`(?<![\\w.])${canary.value}(?!\\w)`).test(bytes.toString('latin1'))
      : listEncodings(canary).some((form) => bytes.includes(form));
  return canaries.filter(isIn).map(({ name }) => name);
}
