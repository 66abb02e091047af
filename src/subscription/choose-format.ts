// Which format a client gets: by `?format=`, then Accept, then User-Agent.
import { isOlder } from '../domain/nodes/engine-facts.ts';

export const FORMATS = ['links', 'plain', 'mihomo', 'clash', 'sing-box', 'xray', 'wireguard', 'html'] as const;
export type Format = (typeof FORMATS)[number];

/** What a request reveals about the formats that its client can read. */
export interface FormatRequest {
  /** The `format` of the query, as sent. */
  readonly format?: string | undefined;
  /** The Accept header. */
  readonly accept?: string | undefined;
  /** The User-Agent header. */
  readonly userAgent?: string | undefined;
}

/**
 * The first that matches decides. Applications that read links get links even where they name Clash or sing-box too, because links carry
 * everything; the others get what they start with.
 */
const BY_USER_AGENT: readonly (readonly [pattern: RegExp, format: Format])[] = [
  // "HiddifyNext/2.5.7 (android) like ClashMeta v2ray sing-box", "NekoBox/Android/1.3.8 (Prefer ClashMeta Format)"
  [/^(hiddify|nekobox|nekoray|v2ray|happ|streisand|shadowrocket|v2box|foxray|throne|exclave|husi)/i, 'links'],
  // "SFA/1.14.1 (Build 600; sing-box 1.14.1; language en)"; F is for Android, iOS, macOS, tvOS.
  [/^(sf[aimt]\b|sing-?box|karing)/i, 'sing-box'],
  [/^xray/i, 'xray'],
  // "ClashforWindows/0.20.39", but not "ClashX Meta/v1.4.24 (com.metacubex.ClashX.meta; …)".
  [/^clash(x|\s?for\s?windows|\s?for\s?android)\b(?!.*(meta|mihomo))/i, 'clash'],
  [/clash|mihomo|^stash|^sparkle|^prizrak/i, 'mihomo'],
];

/** The first whose configuration has the form of the format `sing-box`. An older one refuses it as a whole. */
const FIRST_SING_BOX = '1.12';

/**
 * The version of the sing-box that a client is built on; null: it does not name one. An application has a version of its own besides, as in
 * "SFI/1.12.2 (Build 2; sing-box 1.11.4; language en)".
 */
export function singBoxVersion(userAgent = ''): string | null {
  const named = /\bsing-box[ /]v?(\d+(?:\.\d+)+)/i.exec(userAgent) ?? /^SF[AIMT]\/(\d+(?:\.\d+)+)/i.exec(userAgent);
  return named?.[1] ?? null;
}

/** Media types that only one format has. */
const BY_ACCEPT: readonly (readonly [pattern: RegExp, format: Format])[] = [
  [/^\s*text\/plain\s*(;[^,]*)?$/i, 'plain'],
  [/^\s*(text|application)\/(x-)?(vnd\.)?yaml\s*(;[^,]*)?$/i, 'mihomo'],
];

/**
 * Otherwise `links`, which every client reads: a link must never fail. An unknown format is ignored, as those that only other panels
 * have. `html` is for browsers; Java's HTTP client accepts text/html too, so that alone does not mean one.
 */
export function chooseFormat({ format, accept, userAgent }: FormatRequest): Format {
  const requested = FORMATS.find((known) => known === format);
  if (requested !== undefined) return requested;
  const accepted = accept === undefined ? undefined : BY_ACCEPT.find(([pattern]) => pattern.test(accept));
  if (accepted !== undefined) return accepted[1];
  if (userAgent === undefined) return 'links';
  const isBrowser = /^(Mozilla|Opera)\/\d/.test(userAgent) && accept !== undefined && /\btext\/html\b/i.test(accept);
  if (isBrowser) return 'html';
  const known = BY_USER_AGENT.find(([pattern]) => pattern.test(userAgent))?.[1] ?? 'links';
  const isTooOld = known === 'sing-box' && isOlder(singBoxVersion(userAgent) ?? FIRST_SING_BOX, FIRST_SING_BOX);
  return isTooOld ? 'links' : known;
}
