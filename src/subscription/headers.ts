// The headers that clients show: traffic, term, title, support. Always valid, whatever the settings contain.
import type { SubscriptionRule } from '../contract/subscription/rules.ts';
import type { Subscription } from '../core/kernel/core.ts';
import type { LinkSettings } from '../core/ports/settings.ts';
import { expandVariables } from '../domain/subscription/variables.ts';
import { appHeaders } from './app-headers.ts';
import { percent, toBase64 } from './encoding.ts';
import { userVariables } from './variables.ts';

/** Clients truncate or reject longer announcements. */
const MAX_ANNOUNCEMENT_LENGTH = 200;
const SUPPORT_PROTOCOLS: readonly string[] = ['https:', 'http:', 'tg:', 'mailto:'];

/** Header values must be printable ASCII. */
const SENDABLE = /^[\x20-\x7e]*$/;
/** Headers that apps decode from base64, for other characters. */
const BASE64_HEADERS: ReadonlySet<string> = new Set(['profile-title', 'announce']);

/**
 * The headers of every format: lower-case names, printable ASCII values. Traffic in bytes, `expire` in Unix seconds, 0 = none. Those for the app
 * replace the usual ones, and those of a rule replace both.
 */
export function subscriptionHeaders(
  sub: Subscription,
  settings: LinkSettings,
  { userAgent, now }: { readonly userAgent?: string | undefined; readonly now: number },
  rule: SubscriptionRule | null,
): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {
    'subscription-userinfo': userInfo(sub, userAgent),
    ...settingHeaders(settings),
    ...appHeaders(settings.subscriptionHeaders, userAgent),
  };
  const page = validUrl(settings.subscriptionHeaders.web_page_url ?? sub.url);
  if (page) headers['profile-web-page-url'] = page;
  const values = userVariables(sub, settings, now);
  for (const { name, value: template } of rule?.headers ?? []) {
    const value = expandVariables(template, values);
    const encoded = BASE64_HEADERS.has(name) && !SENDABLE.test(value) ? `base64:${toBase64(value)}` : value;
    if (encoded === '' || !SENDABLE.test(encoded)) delete headers[name];
    else headers[name] = encoded;
  }
  return headers;
}

const known = new WeakMap<LinkSettings, Readonly<Record<string, string>>>();

/** Headers that depend on the settings only. Cached by the settings object, which is replaced on every change. */
function settingHeaders(settings: LinkSettings): Readonly<Record<string, string>> {
  let headers = known.get(settings);
  if (headers === undefined) {
    headers = makeSettingHeaders(settings);
    known.set(settings, headers);
  }
  return headers;
}

function makeSettingHeaders(settings: LinkSettings): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {
    'profile-title': `base64:${toBase64(settings.subscriptionTitle)}`,
    'profile-update-interval': String(settings.updateIntervalHours),
    'content-disposition': disposition(settings.subscriptionTitle),
  };
  const support = validUrl(settings.supportUrl);
  if (support) headers['support-url'] = support;
  const announcement = settings.announcement.trim();
  if (announcement !== '') headers.announce = `base64:${toBase64(shorten(announcement))}`;
  return headers;
}

/** Happ shows `expire=0` as a day in 1970, while Hiddify ignores the header without `expire`. */
const SHOWS_1970 = /^happ\b/i;

function userInfo({ user, total }: Subscription, userAgent: string | undefined): string {
  const traffic = `upload=${user.usedUp}; download=${user.usedDown}; total=${total ?? 0}`;
  if (user.expiresAt === null) return SHOWS_1970.test(userAgent ?? '') ? traffic : `${traffic}; expire=0`;
  // At least 1, because 0 means "never".
  return `${traffic}; expire=${Math.max(1, Math.floor(user.expiresAt / 1000))}`;
}

function disposition(title: string): string {
  const safe = title
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '');
  const filename = safe === '' ? 'subscription' : safe.slice(0, 64);
  const isSame = filename === title;
  return `attachment; filename="${filename}"${isSame ? '' : `; filename*=UTF-8''${percent(shorten(title))}`}`;
}

/** The normalized URL; null: invalid, or not of a protocol for people to open. */
export function validUrl(text: string | null): string | null {
  const url = text === null ? null : URL.parse(text);
  if (!url || !SUPPORT_PROTOCOLS.includes(url.protocol)) return null;
  return /^[\x21-\x7e]+$/.test(url.href) ? url.href : null;
}

function shorten(text: string): string {
  const characters = [...text.toWellFormed()];
  if (characters.length <= MAX_ANNOUNCEMENT_LENGTH) return characters.join('');
  return `${characters.slice(0, MAX_ANNOUNCEMENT_LENGTH - 1).join('')}…`;
}
