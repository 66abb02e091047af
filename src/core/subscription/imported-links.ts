// Links of other panels: tokens that are stored as keyed hashes, and those that a source computed with its secret.
import { parseForeignJson } from '../../domain/foreign-json.ts';
import type { Subscription } from '../kernel/core.ts';
import { PanelError } from '../kernel/panel-error.ts';
import { fromBase64Url, tokenOf } from '../kernel/wire.ts';
import type { ImportedLink, ImportLinkSource } from '../ports/imports.ts';
import type { Crypto } from '../ports/ports.ts';
import type { UserRow } from '../ports/users.ts';
import { findSubscription, type SubscriptionEnv } from './subscription.ts';

type LinkEnv = SubscriptionEnv & { readonly crypto: Crypto };

/** Where the vault has the secret of a source. */
export function linkSecretPlace(source: string): string {
  return `import:${source}:links`;
}

export function hashToken(crypto: Pick<Crypto, 'hmacSha256'>, key: string, token: string): string {
  return crypto.hmacSha256(new TextEncoder().encode(key), token);
}

/** The subscription behind a token of another panel; of several users, one with the connections of all. */
export function findImportedSubscription(env: LinkEnv, token: string): Subscription<UserRow> | null {
  const now = env.clock.now();
  for (const source of env.store.imports.linkSources()) {
    const links = findLinks(env, source, token).filter(({ endsAt }) => endsAt === null || endsAt > now);
    const found = links
      .map(({ userId }) => env.store.users.get(userId)?.token ?? null)
      .map((own) => (own === null ? null : findSubscription(env, own)))
      .filter((subscription) => subscription !== null);
    if (found.length > 0) return mergeSubscriptions(found);
  }
  return null;
}

function findLinks(env: LinkEnv, source: ImportLinkSource, token: string): readonly ImportedLink[] {
  const { crypto, store } = env;
  const read = (name: string) => store.imports.links(hashToken(crypto, source.key, name));
  if (source.kind === 'constant') return read(token);
  const secret = openLinkSecret(env, source.source);
  const signed = secret === null ? null : readSignedToken(crypto, token, secret, source.kind === 'pasarguard');
  return signed === null ? [] : read(signed.name).filter(({ notBefore }) => notBefore <= signed.at);
}

/** null also while the vault is locked. */
export function openLinkSecret({ store, vault }: Pick<LinkEnv, 'store' | 'vault'>, source: string): string | null {
  const sealed = store.sealed.get(linkSecretPlace(source));
  try {
    return sealed === undefined ? null : vault.open(sealed);
  } catch (error) {
    if (error instanceof PanelError) return null;
    throw error;
  }
}

interface SignedToken {
  /** Or an id, as in the links of the document. */
  readonly name: string;
  /** When it was made, epoch ms. */
  readonly at: number;
}

/** How a document names a user by id: no name has a colon. */
const idInToken = (id: string) => `id:${id}`;

const JWT_HEADER = 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.';
const SIGNATURE_CHARACTERS = 10;
const BOUNDS = { bytes: 2000, values: 20, depth: 3 };

const toUrl = (base64: string) => base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

/**
 * A token that a source computed: a name and a time with a signature. Of Marzban in its present form, or the former one (JWT); of PasarGuard also
 * its own forms, which have the id in place of the name. null: another one, or of another secret.
 */
export function readSignedToken(
  crypto: Pick<Crypto, 'sha256' | 'hmacSha256' | 'isEqual'>,
  token: string,
  secret: string,
  isPasarGuard: boolean,
): SignedToken | null {
  if (token.startsWith(JWT_HEADER)) return readJwt(crypto, token, secret);
  const [data = '', mac] = token.split('.');
  if (isPasarGuard && mac !== undefined) {
    const expected = toUrl(crypto.hmacSha256(new TextEncoder().encode(secret), data));
    return crypto.isEqual(token, `${data}.${expected}`) ? readSigned(data, true) : null;
  }
  const signed = token.slice(0, -SIGNATURE_CHARACTERS);
  const signature = token.slice(-SIGNATURE_CHARACTERS);
  const digest = crypto.sha256(signed + secret);
  const bytes = digest.match(/../g) ?? [];
  const short = tokenOf(Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 16))).slice(0, SIGNATURE_CHARACTERS);
  const isSigned =
    crypto.isEqual(signature, short) ||
    (isPasarGuard && crypto.isEqual(signature, digest.slice(0, SIGNATURE_CHARACTERS)));
  return isSigned ? readSigned(signed, isPasarGuard) : null;
}

/** `ann,1795745891`, or of PasarGuard `v3,17,1795745891`. */
function readSigned(data: string, isPasarGuard: boolean): SignedToken | null {
  const text = fromBase64Url(data) ?? '';
  const [, id, at] = isPasarGuard ? (/^v[23],(\d{1,15}),(\d{1,12})$/.exec(text) ?? []) : [];
  if (id !== undefined) return { name: idInToken(id), at: Number(at) * 1000 };
  const [, name, seconds] = /^([^,]*),(\d{1,12})$/.exec(text) ?? [];
  return name === undefined ? null : { name, at: Number(seconds) * 1000 };
}

function readJwt(crypto: Pick<Crypto, 'hmacSha256' | 'isEqual'>, token: string, secret: string): SignedToken | null {
  const [header = '', payload = '', signature = '', ...more] = token.split('.');
  const expected = toUrl(crypto.hmacSha256(new TextEncoder().encode(secret), `${header}.${payload}`));
  if (more.length > 0 || !crypto.isEqual(signature, expected)) return null;
  const text = fromBase64Url(payload);
  if (text === null) return null;
  try {
    const { access, sub, iat } = parseForeignJson(text, BOUNDS) as Readonly<Record<string, unknown>>;
    if (access !== 'subscription' || typeof sub !== 'string' || typeof iat !== 'number') return null;
    return { name: sub, at: iat * 1000 };
  } catch {
    return null;
  }
}

function mergeSubscriptions(all: readonly Subscription<UserRow>[]): Subscription<UserRow> {
  const [first] = all;
  const main = all.find(({ canConnect }) => canConnect) ?? first;
  if (main === undefined) throw new Error('no subscription to merge');
  if (all.length === 1) return main;
  const sum = (read: (each: Subscription<UserRow>) => number) => all.reduce((total, each) => total + read(each), 0);
  return {
    ...main,
    user: { ...main.user, usedUp: sum(({ user }) => user.usedUp), usedDown: sum(({ user }) => user.usedDown) },
    total: all.some(({ total }) => total === null) ? null : sum(({ total }) => total ?? 0),
    inbounds: all.flatMap(({ inbounds, credentials }) => inbounds.map((each) => ({ ...each, credentials }))),
  };
}
