// A user's screens in the chat: the state of the subscription, its link, and how to set up an application.

import type { InlineKeyboardButton } from 'grammy/types';
import { SYSTEMS } from '../contract/subscription/apps.ts';
import { DEFAULT_APPS } from '../contract/subscription/default-apps.ts';
import type { Core, Subscription } from '../core/kernel/core.ts';
import type { BotService, MiniApp } from '../core/ports/bot.ts';
import type { Clock } from '../core/ports/ports.ts';
import { shorten } from '../domain/shorten.ts';
import { dropVariables } from '../domain/subscription/variables.ts';
import { formatBytes } from '../i18n/bytes.ts';
import { hostTexts } from '../i18n/host.ts';
import { LANGUAGES, type Language } from '../i18n/languages.ts';
import { describeReason } from '../subscription/entries.ts';
import { formatDay } from '../subscription/format-day.ts';
import { validUrl } from '../subscription/headers.ts';
import { findStore, SYSTEM_NAMES } from '../subscription/page/apps.ts';
import { button, type ChatContext, escapeHtml, getTexts, isPublicUrl, type Screen, sendMessage } from './screen.ts';

const DAY_MS = 86_400_000;
/** Telegram's limit of a button that copies text. */
const MAX_COPIED = 256;
const BAR = 10;

export interface UserParts {
  readonly core: Pick<Core, 'settings' | 'subscription'>;
  readonly botService: Pick<BotService, 'findLinkToken'>;
  readonly clock: Clock;
  /** Left out: there is no Mini App. */
  readonly miniApp?: Pick<MiniApp, 'url'> | undefined;
}

export interface UserScreens {
  /** The subscription of the user whose account writes; null: none. */
  findSubscription(ctx: ChatContext): Subscription | null;
  /** State, days and traffic. */
  home(ctx: ChatContext): Screen;
  /** The screen of an account without a user. */
  unknown(ctx: ChatContext): Screen;
  link(ctx: ChatContext): Screen;
  /** Sends the link as a QR code. */
  qr(ctx: ChatContext): Screen | null;
  setUp(ctx: ChatContext, system: string): Screen;
  support(ctx: ChatContext): Screen;
}

/** State, traffic, term and devices of a subscription, one a line. */
function describeSubscription(
  language: Language,
  sub: Subscription,
  settings: ReturnType<Core['settings']>,
  now: number,
): readonly string[] {
  const t = hostTexts(language, 'bot');
  const page = hostTexts(language, 'subscription');
  const { user, total } = sub;
  const used = user.usedUp + user.usedDown;
  const mark = sub.canConnect ? '🟢' : user.state === 'limited' ? '🟠' : '🔴';
  const lines = [
    `<b>${escapeHtml(dropVariables(settings.subscriptionTitle))}</b>`,
    `${mark} ${page(`page.state.${user.state}`)}`,
  ];
  if (!sub.canConnect || sub.inbounds.length === 0)
    lines.push(escapeHtml(describeReason(sub, { ...settings, language })));
  const bytes = (count: number) => formatBytes(count, language);
  lines.push('');
  if (total === null) {
    lines.push(`<b>${t('traffic')}:</b> ${page('page.used', { used: bytes(used) })}, ${page('page.unlimited')}`);
  } else {
    const filled = total === 0 ? BAR : Math.min(BAR, Math.floor((used / total) * BAR));
    lines.push(`<b>${t('traffic')}:</b> ${page('page.usedOf', { used: bytes(used), total: bytes(total) })}`);
    lines.push(
      `${'▰'.repeat(filled)}${'▱'.repeat(BAR - filled)} ${page('page.left', { left: bytes(Math.max(0, total - used)) })}`,
    );
  }
  if (user.resetsAt !== null)
    lines.push(page('page.resets', { day: formatDay(user.resetsAt, language, settings.timeZone) }));
  if (user.expiresAt === null) {
    lines.push(`<b>${t('term')}:</b> ${page(user.state === 'on_hold' ? 'page.startsLater' : 'page.never')}`);
  } else {
    const count = Math.ceil((user.expiresAt - now) / DAY_MS);
    const left = count > 0 ? ` (${page('page.days', { count })})` : '';
    lines.push(`<b>${t('term')}:</b> ${formatDay(user.expiresAt, language, settings.timeZone)}${left}`);
  }
  if (user.deviceLimit !== null)
    lines.push(`<b>${t('devices')}:</b> ${page('page.meantFor', { count: user.deviceLimit })}`);
  const announcement = settings.announcement.trim();
  if (announcement !== '') lines.push('', escapeHtml(shorten(announcement, 1000)));
  return lines;
}

function linkButtons(language: Language, url: string): InlineKeyboardButton[] {
  const t = hostTexts(language, 'bot');
  const copied = hostTexts(language, 'subscription')('page.copy');
  return [
    ...(url.length <= MAX_COPIED ? [{ text: copied, copy_text: { text: url } }] : []),
    ...(isPublicUrl(url) ? [{ text: t('buttons.page'), url }] : []),
  ];
}

export function systemsScreen(ctx: ChatContext): Screen {
  const t = getTexts(ctx);
  const named = SYSTEMS.map((system) => button(SYSTEM_NAMES[system], `system:${system}`));
  const rows = [named.slice(0, 2), named.slice(2, 4), named.slice(4)];
  return { text: t('chooseSystem'), buttons: [...rows, [button(t('buttons.back'), 'home')]] };
}

export function languagesScreen(ctx: ChatContext): Screen {
  const t = getTexts(ctx);
  const named = LANGUAGES.map(({ code, name }) => button(name, `language:${code}`));
  return { text: t('chooseLanguage'), buttons: [named, [button(t('buttons.back'), 'home')]] };
}

export function createUserScreens(
  { core, botService, clock, miniApp }: UserParts,
  isAdmin: (ctx: ChatContext) => boolean,
): UserScreens {
  function findSubscription(ctx: ChatContext): Subscription | null {
    const token = ctx.from === undefined ? null : botService.findLinkToken(ctx.from.id);
    return token === null ? null : core.subscription(token);
  }

  function supportRow(language: Language): readonly InlineKeyboardButton[] {
    const url = validUrl(core.settings().supportUrl);
    if (url === null || !isPublicUrl(url)) return [];
    return [{ text: hostTexts(language, 'bot')('buttons.support'), url }];
  }

  function unknown(ctx: ChatContext): Screen {
    const t = getTexts(ctx);
    const text = `${t('unknown')}\n\n${t('unknownHint', { id: ctx.from?.id ?? '' })}`;
    const ask = core.settings().botRequests.on ? [[button(t('access.ask'), 'access')]] : [];
    return { text, buttons: [...ask, [button(t('buttons.language'), 'languages'), ...supportRow(ctx.language)]] };
  }

  function appRow(language: Language): readonly (readonly InlineKeyboardButton[])[] {
    const url = miniApp?.url() ?? null;
    return url === null ? [] : [[{ text: hostTexts(language, 'bot')('buttons.app'), web_app: { url } }]];
  }

  function home(ctx: ChatContext): Screen {
    const sub = findSubscription(ctx);
    if (sub === null) return unknown(ctx);
    const { language } = ctx;
    const settings = core.settings();
    const t = hostTexts(language, 'bot');
    const lines = describeSubscription(language, sub, settings, clock.now());
    return {
      text: lines.join('\n'),
      buttons: [
        ...appRow(language),
        [button(t('buttons.link'), 'link'), button(t('buttons.qr'), 'qr')],
        [button(t('buttons.setUp'), 'systems')],
        ...(sub.offers('telegram').length > 0 ? [[button(t('buttons.buy'), 'shop')]] : []),
        ...(settings.referrals.on ? [[button(t('buttons.friends'), 'friends')]] : []),
        [button(t('buttons.language'), 'languages'), ...supportRow(language)],
        [button(t('buttons.refresh'), 'mine'), ...(isAdmin(ctx) ? [button(t('buttons.admin'), 'admin')] : [])],
      ],
    };
  }

  function link(ctx: ChatContext): Screen {
    const sub = findSubscription(ctx);
    if (sub === null) return unknown(ctx);
    const t = getTexts(ctx);
    const text = `<b>${t('link')}</b>\n<code>${escapeHtml(sub.url)}</code>\n\n${t('linkHint')}`;
    return { text, buttons: [linkButtons(ctx.language, sub.url), [button(t('buttons.back'), 'home')]] };
  }

  function qr(ctx: ChatContext): Screen | null {
    const sub = findSubscription(ctx);
    if (sub === null) return unknown(ctx);
    const t = getTexts(ctx);
    sendMessage(ctx, 'sendPhoto', {
      photo: { qr: sub.url },
      caption: t('qrHint'),
      protect_content: true,
      reply_markup: { inline_keyboard: [[button(t('buttons.hide'), 'hide')]] },
    });
    return null;
  }

  function setUp(ctx: ChatContext, name: string): Screen {
    const system = SYSTEMS.find((one) => one === name);
    const sub = findSubscription(ctx);
    if (sub === null) return unknown(ctx);
    if (system === undefined) return systemsScreen(ctx);
    const t = getTexts(ctx);
    const offered = core.settings().subscriptionApps ?? DEFAULT_APPS;
    const apps = offered.flatMap((app) => {
      const url = findStore(app, system);
      return url === undefined ? [] : [[{ text: app.name, url }]];
    });
    const title = `<b>${t('setUp', { system: SYSTEM_NAMES[system] })}</b>`;
    const text = `${title}\n\n${t('steps')}\n\n<code>${escapeHtml(sub.url)}</code>`;
    const back = [button(t('buttons.back'), 'systems')];
    return { text, buttons: [...apps, linkButtons(ctx.language, sub.url), back] };
  }

  function support(ctx: ChatContext): Screen {
    const t = getTexts(ctx);
    const url = validUrl(core.settings().supportUrl);
    return { text: url === null ? t('noSupport') : t('support', { url: escapeHtml(url) }), buttons: [] };
  }

  return { findSubscription, home, unknown, link, qr, setUp, support };
}
