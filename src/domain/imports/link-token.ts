// Paths and tokens of links in other panels, which may be any text.
import type { ConfigurationFormat } from '../../contract/subscription/formats.ts';

/** About 64 bits of letters and digits. */
const UNGUESSABLE_CHARACTERS = 13;

/** Whether strangers could find a token by trying, as one that was typed by hand. */
export function isGuessable(token: string): boolean {
  return token.length < UNGUESSABLE_CHARACTERS;
}

/** The path before the tokens of a source, without slashes at its ends, as `api/sub`; null: none that can be served. */
export function cleanLinkPath(path: string): string | null {
  const clean = path.replace(/^\/+|\/+$/g, '');
  return clean === '' || /^[\w~-][\w.~-]{0,63}(?:\/[\w~-][\w.~-]{0,63}){0,2}$/.test(clean) ? clean : null;
}

/** What a path may mean: a token, which is one segment or two, and what other panels put behind it. */
export interface LinkCandidate {
  readonly token: string;
  /** The format that the rest asks for; undefined: that of the app. */
  readonly format: ConfigurationFormat | undefined;
}

/** What other panels put behind a token to get a format. */
const FORMATS: Readonly<Record<string, ConfigurationFormat | undefined>> = {
  '': undefined,
  auto: undefined,
  v2ray: 'links',
  links: 'links',
  sub: 'plain',
  'all.txt': 'plain',
  sub64: 'links',
  clash: 'clash',
  'clash-meta': 'mihomo',
  clashmeta: 'mihomo',
  mihomo: 'mihomo',
  stash: 'mihomo',
  'sing-box': 'sing-box',
  singbox: 'sing-box',
  'v2ray-json': 'xray',
  xray: 'xray',
};

export const MAX_LINK_CANDIDATES = 2;

/** A token of two segments first. Empty: the path is none of a link. */
export function parseLinkPath(path: string): readonly LinkCandidate[] {
  if (!path.startsWith('/') || path.length > 1000) return [];
  const segments = decodeSegments(path.slice(1).replace(/\/$/, ''));
  const [first, second] = segments ?? [];
  if (segments === null || first === undefined || first === '') return [];
  const build = (token: string, rest: readonly string[]): LinkCandidate[] => {
    const [client = '', ...more] = rest;
    return more.length === 0 && Object.hasOwn(FORMATS, client) ? [{ token, format: FORMATS[client] }] : [];
  };
  const pair = second === undefined ? [] : build(`${first}/${second}`, segments.slice(2));
  return [...pair, ...build(first, segments.slice(1))];
}

function decodeSegments(path: string): readonly string[] | null {
  try {
    return path.split('/').map(decodeURIComponent);
  } catch {
    return null;
  }
}
