// Chooses the format of a subscription: by `?format=`, then Accept, then User-Agent.
import { FORMATS, type Format } from '../contract/subscription/formats.ts';
import type { FormatReason, SubscriptionRule } from '../contract/subscription/rules.ts';
import { isOlder } from '../domain/nodes/engine-facts.ts';
import { type AppRequest, findRule } from '../domain/subscription/app-rules.ts';

/** The parts of a request that show which formats its client can read. */
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
 * The first match decides. Apps that read links get links even if their User-Agent also contains Clash or sing-box, because links support
 * every connection; the others get the configuration of their core.
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

/** The oldest version that reads the format `sing-box`. Older ones refuse the whole configuration. */
const FIRST_SING_BOX = '1.12';

/**
 * The version of sing-box in a User-Agent, which may also contain the app's own version, such as
 * "SFI/1.12.2 (Build 2; sing-box 1.11.4; language en)". null: none.
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

/** Ignores unknown formats, such as those of other panels. `text/html` in Accept is not enough for a browser: Java's HTTP client sends it too. */
function chooseWithoutRules({ format, accept, userAgent }: FormatRequest): Omit<FormatChoice, 'rule'> {
  const requested = FORMATS.find((known) => known === format);
  if (requested !== undefined) return { format: requested, reason: 'link' };
  const accepted = accept === undefined ? undefined : BY_ACCEPT.find(([pattern]) => pattern.test(accept));
  if (accepted !== undefined) return { format: accepted[1], reason: 'accept' };
  // Every client reads links, and the reply must never fail.
  if (userAgent === undefined) return { format: 'links', reason: 'default' };
  const isBrowser = /^(Mozilla|Opera)\/\d/.test(userAgent) && accept !== undefined && /\btext\/html\b/i.test(accept);
  if (isBrowser) return { format: 'html', reason: 'browser' };
  const known = BY_USER_AGENT.find(([pattern]) => pattern.test(userAgent))?.[1];
  return known === undefined ? { format: 'links', reason: 'default' } : { format: known, reason: 'app' };
}

/** Whether the app is too old for the format `sing-box`. */
function isTooOld({ format, reason }: Omit<FormatChoice, 'rule'>, userAgent: string | undefined): boolean {
  if (format !== 'sing-box' || reason === 'link' || reason === 'accept') return false;
  return isOlder(singBoxVersion(userAgent) ?? FIRST_SING_BOX, FIRST_SING_BOX);
}

/** Chooses the format by the rules too. They are for apps, so the page ignores them. */
export function chooseFormat(request: FormatRequest, rules: readonly SubscriptionRule[]): FormatChoice {
  const usual = chooseWithoutRules(request);
  if (usual.format === 'html') return { ...usual, rule: null };
  const rule = findRule(rules, request);
  const ruled = usual.reason === 'link' ? null : (rule?.format ?? null);
  const choice = ruled === null ? usual : { format: ruled, reason: 'rule' as const };
  if (isTooOld(choice, request.userAgent)) return { format: 'links', reason: 'old_core', rule };
  return { ...choice, rule };
}
