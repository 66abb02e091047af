// Which format a client gets: by `?format=`, then Accept, then User-Agent.
import { FORMATS, type Format } from '../contract/subscription/formats.ts';
import type { FormatReason, SubscriptionRule } from '../contract/subscription/rules.ts';
import { isOlder } from '../domain/nodes/engine-facts.ts';
import { type AppRequest, findRule } from '../domain/subscription/app-rules.ts';

/** What a request reveals about the formats that its client can read. */
export interface FormatRequest extends AppRequest {
  /** The `format` of the query, as sent. */
  readonly format?: string | undefined;
  /** The Accept header. */
  readonly accept?: string | undefined;
}

export interface FormatChoice {
  readonly format: Format;
  readonly reason: FormatReason;
  /** The rule that applies; null: none. */
  readonly rule: SubscriptionRule | null;
}

/**
 * The first that matches decides. Applications that read links get links even where they name Clash or sing-box too, because links carry
 * everything; the others get what they start with.
 */
const BY_USER_AGENT: readonly (readonly [pattern: RegExp, format: Format])[] = [
  // "HiddifyNext/2.5.7 (android) like ClashMeta v2ray sing-box", "NekoBox/Android/1.3.8 (Prefer ClashMeta Format)"
  [
    /^(hiddify|nekobox|nekoray|v2ray|happ|streisand|shadowrocket|v2box|foxray|throne|exclave|husi|incy|inhive)/i,
    'links',
  ],
  // "SFA/1.14.1 (Build 600; sing-box 1.14.1; language en)"; F is for Android, iOS, macOS, tvOS.
  [/^(sf[aimt]\b|sing-?box|karing)/i, 'sing-box'],
  [/^xray/i, 'xray'],
  // "ClashforWindows/0.20.39", but not "ClashX Meta/v1.4.24 (com.metacubex.ClashX.meta; …)".
  [/^clash(x|\s?for\s?windows|\s?for\s?android)\b(?!.*(meta|mihomo))/i, 'clash'],
  [/clash|mihomo|^stash|^sparkle|^prizrak|^flowvy|^murge|^rabbit ?hole/i, 'mihomo'],
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

/** An unknown format is ignored, as those that only other panels have. Java's HTTP client accepts text/html too, so that alone does not mean a browser. */
function chooseWithoutRules({ format, accept, userAgent }: FormatRequest): Omit<FormatChoice, 'rule'> {
  const requested = FORMATS.find((known) => known === format);
  if (requested !== undefined) return { format: requested, reason: 'link' };
  const accepted = accept === undefined ? undefined : BY_ACCEPT.find(([pattern]) => pattern.test(accept));
  if (accepted !== undefined) return { format: accepted[1], reason: 'accept' };
  // Every client reads links: a link must never fail.
  if (userAgent === undefined) return { format: 'links', reason: 'default' };
  const isBrowser = /^(Mozilla|Opera)\/\d/.test(userAgent) && accept !== undefined && /\btext\/html\b/i.test(accept);
  if (isBrowser) return { format: 'html', reason: 'browser' };
  const known = BY_USER_AGENT.find(([pattern]) => pattern.test(userAgent))?.[1];
  return known === undefined ? { format: 'links', reason: 'default' } : { format: known, reason: 'app' };
}

/** Whether the app cannot read the format `sing-box`, and refuses it as a whole. */
function isTooOld({ format, reason }: Omit<FormatChoice, 'rule'>, userAgent: string | undefined): boolean {
  if (format !== 'sing-box' || reason === 'link' || reason === 'accept') return false;
  return isOlder(singBoxVersion(userAgent) ?? FIRST_SING_BOX, FIRST_SING_BOX);
}

/** The page follows no rules: rules are for apps. */
export function chooseFormat(request: FormatRequest, rules: readonly SubscriptionRule[]): FormatChoice {
  const usual = chooseWithoutRules(request);
  if (usual.format === 'html') return { ...usual, rule: null };
  const rule = findRule(rules, request);
  const ruled = usual.reason === 'link' ? null : (rule?.format ?? null);
  const choice = ruled === null ? usual : { format: ruled, reason: 'rule' as const };
  if (isTooOld(choice, request.userAgent)) return { format: 'links', reason: 'old_core', rule };
  return { ...choice, rule };
}
