// Classifies pasted text: a link of any kind, a key, a request id, or search words.
import { parseForeignJson } from '../foreign-json.ts';
import { KEY_PATTERN } from '../key-format.ts';
import { STORED_KEY_BYTES } from '../nodes/shadowsocks.ts';
import { wireguardKey } from '../nodes/wireguard.ts';

/** The credential in a share link. `isBeginning`: it is a prefix of the stored one. */
export interface PastedCredential {
  readonly family: 'uuid' | 'password' | 'key' | 'wireguard';
  readonly value: string;
  readonly isBeginning: boolean;
}

export type Pasted =
  | { readonly kind: 'share_link'; readonly credential: PastedCredential | null }
  | { readonly kind: 'subscription_link'; readonly token: string }
  | { readonly kind: 'key'; readonly value: string; readonly isWhole: boolean }
  /** A request id, or a user's credential. */
  | { readonly kind: 'uuid'; readonly value: string }
  | { readonly kind: 'request'; readonly id: string }
  | { readonly kind: 'id'; readonly id: number }
  | { readonly kind: 'words'; readonly text: string };

/** Limits of the JSON in a link. */
const BOUNDS = { bytes: 32_768, values: 1000, depth: 8 };
const SHARE_LINK = /^(vless|vmess|trojan|ss|hysteria2|hy2|wireguard|wg):\/\/(.+)$/is;
const TOKEN = /^[A-Za-z0-9_-]{16,64}$/;
const KEY_BEGINNING = /^pnl_[0-9A-Za-z]{1,42}$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const REQUEST = /^[0-9a-f]{32}$/i;
const ID = /^#?([1-9]\d{0,14})$/;
/** Number of base64 characters that depend only on the first 16 bytes of a key. */
const SHORT_KEY_CHARACTERS = 21;

/** Never throws. */
export function readPasted(pasted: string): Pasted {
  const text = pasted.trim();
  const [, scheme, rest] = SHARE_LINK.exec(text) ?? [];
  if (scheme !== undefined && rest !== undefined)
    return { kind: 'share_link', credential: parseCredential(scheme.toLowerCase(), rest) };
  if (KEY_BEGINNING.test(text)) return { kind: 'key', value: text, isWhole: KEY_PATTERN.test(text) };
  if (UUID.test(text)) return { kind: 'uuid', value: text.toLowerCase() };
  if (REQUEST.test(text)) return { kind: 'request', id: text.toLowerCase() };
  const id = ID.exec(text)?.[1];
  if (id !== undefined) return { kind: 'id', id: Number(id) };
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) {
    const token = lastSegment(text);
    if (TOKEN.test(token)) return { kind: 'subscription_link', token };
  }
  return { kind: 'words', text };
}

/** The last segment of a link, without query and fragment; a bare token is returned as it is. */
export function lastSegment(link: string): string {
  const [path = ''] = link.split(/[?#]/);
  return path.slice(path.lastIndexOf('/') + 1);
}

function parseCredential(scheme: string, rest: string): PastedCredential | null {
  if (scheme === 'vmess') return parseUuid(idInJson(decodeBase64(rest.split(/[?#]/)[0] ?? '')));
  const user = decodePercent(rest.slice(0, Math.max(0, rest.lastIndexOf('@', findAuthorityEnd(rest)))));
  if (scheme === 'vless') return parseUuid(user);
  if (scheme === 'ss') return shadowsocksIn(user);
  if (scheme === 'wireguard' || scheme === 'wg')
    return user === '' ? null : { family: 'wireguard', value: wireguardKey(user), isBeginning: false };
  return user === '' ? null : { family: 'password', value: user, isBeginning: false };
}

/** The end of the authority part of a link. */
function findAuthorityEnd(rest: string): number {
  const end = rest.search(/[/?#]/);
  return end < 0 ? rest.length : end;
}

function parseUuid(text: string): PastedCredential | null {
  return UUID.test(text) ? { family: 'uuid', value: text.toLowerCase(), isBeginning: false } : null;
}

/** SIP002: method and password, in base64 or, since Shadowsocks 2022, percent-encoded; the password is then the server's key and the user's. */
function shadowsocksIn(user: string): PastedCredential | null {
  const text = user.includes(':') ? user : decodeBase64(user);
  const [method = '', ...others] = text.split(':');
  const secret = others.at(-1) ?? '';
  if (secret === '') return null;
  if (!method.startsWith('2022-')) return { family: 'password', value: others.join(':'), isBeginning: false };
  const bytes = decodeBase64(secret).length;
  if (bytes >= STORED_KEY_BYTES) return { family: 'key', value: secret, isBeginning: false };
  if (secret.length < SHORT_KEY_CHARACTERS) return null;
  return { family: 'key', value: secret.slice(0, SHORT_KEY_CHARACTERS), isBeginning: true };
}

function idInJson(text: string): string {
  try {
    const value: unknown = parseForeignJson(text, BOUNDS);
    return typeof value === 'object' && value !== null && 'id' in value ? String(value.id) : '';
  } catch {
    return '';
  }
}

/** Decodes base64 or base64url, with or without padding; empty if the text is neither. */
function decodeBase64(text: string): string {
  const plain = text
    .replace(/-/g, '+')
    .replace(/_/g, '/')
    // Tried once for each run of padding, which may be long.
    .replace(/(?<!=)=+$/, '');
  try {
    return atob(plain.padEnd(Math.ceil(plain.length / 4) * 4, '='));
  } catch {
    return '';
  }
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
