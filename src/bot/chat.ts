// What the bot answers: from an update to messages that are to be sent. Nothing is sent here, so that an update that is handled again has no second effect.
import { Api, Composer } from 'grammy';
import type { InlineKeyboardButton, PreCheckoutQuery, Update, User, UserFromGetMe } from 'grammy/types';
import type { Core, Subscription } from '../core/core.ts';
import {
  type BotDesk,
  type BotRow,
  type ChatRow,
  type MiniApp,
  newChat,
  PAIR_PREFIX,
  REFERRAL_PREFIX,
  TIE_PREFIX,
  type UpdateEffect,
  type Writer,
} from '../core/ports/bot.ts';
import type { Clock } from '../core/ports/ports.ts';
import { formatBytes } from '../i18n/bytes.ts';
import { hostTexts } from '../i18n/host.ts';
import { chooseLanguage, isLanguage, LANGUAGES, type Language, languageEntry } from '../i18n/languages.ts';
import { describeReason, formatDay } from '../subscription/entries.ts';
import { validUrl } from '../subscription/headers.ts';
import { APPS, SYSTEM_NAMES, SYSTEMS } from '../subscription/page/apps.ts';
import { createAdminScreens } from './admin-screens.ts';
import { button, ChatContext, escapeHtml, isPublicUrl, type Later, type Screen, say, show } from './screen.ts';
import { createShopScreens, ORDER_PREFIX } from './shop-screens.ts';

const DAY_MS = 86_400_000;
/** Telegram's limit of what a button copies. */
const MOST_COPIED = 256;
const BAR = 10;

export interface ChatParts {
  readonly core: Pick<Core, 'settings' | 'subscription' | 'shop' | 'call'>;
  readonly desk: Pick<
    BotDesk,
    | 'store'
    | 'linkTokenOf'
    | 'refusalOf'
    | 'tie'
    | 'pair'
    | 'isOwnStars'
    | 'openInChat'
    | 'friendLink'
    | 'refer'
    | 'askForAccess'
  >;
  readonly clock: Clock;
  /** Left out: there is none. */
  readonly miniApp?: Pick<MiniApp, 'url'> | undefined;
}

/** As Telegram shows who writes: the number is what counts. */
function writerOf({ id, first_name, last_name, username }: User): Writer {
  const name = [first_name, last_name].filter((part) => part !== undefined && part !== '').join(' ');
  return { id, name: username === undefined ? name : `${name} (@${username})` };
}

/** A context wants one. Nothing is sent by it: what is to be sent is stored first. */
const NO_API = new Api('0:unused');

export interface Chat {
  /** What an update, as Telegram sent it, leads to; `later` is done beside the queue. */
  handle(
    update: Update,
    bot: Pick<BotRow, 'botId' | 'username' | 'name'>,
  ): Promise<Omit<UpdateEffect, 'payment'> & { readonly later: Later | null }>;
  /** The answer to who is about to pay: parameters of answerPreCheckoutQuery. */
  answerCheckout(query: PreCheckoutQuery): Readonly<Record<string, unknown>>;
}

export function createChat({ core, desk, clock, miniApp }: ChatParts): Chat {
  const composer = new Composer<ChatContext>();
  const shop = createShopScreens({ core, desk, clock });
  const admins = createAdminScreens({ core, clock });
  const adminOf = (ctx: ChatContext) => (ctx.from === undefined ? undefined : desk.store.admin(ctx.from.id));

  function subscriptionOf(ctx: ChatContext): Subscription | null {
    const token = ctx.from === undefined ? null : desk.linkTokenOf(ctx.from.id);
    return token === null ? null : core.subscription(token);
  }

  function supportRow(language: Language): readonly InlineKeyboardButton[] {
    const url = validUrl(core.settings().supportUrl);
    if (url === null || !isPublicUrl(url)) return [];
    return [{ text: hostTexts(language, 'bot')('buttons.support'), url }];
  }

  function unknown(ctx: ChatContext): Screen {
    const t = hostTexts(ctx.language, 'bot');
    const text = `${t('unknown')}\n\n${t('unknownHint', { id: ctx.from?.id ?? '' })}`;
    const ask = core.settings().botRequests.on ? [[button(t('access.ask'), 'access')]] : [];
    return { text, buttons: [...ask, [button(t('buttons.language'), 'languages'), ...supportRow(ctx.language)]] };
  }

  /** Asks the administrator for access. */
  async function askForAccess(ctx: ChatContext): Promise<Screen> {
    const t = hostTexts(ctx.language, 'bot');
    const outcome = ctx.from === undefined ? 'off' : await desk.askForAccess(writerOf(ctx.from));
    if (outcome === 'known' || outcome === 'off') return home(ctx);
    return { text: t(`access.${outcome}`), buttons: [[button(t('buttons.language'), 'languages')]] };
  }

  /** State, days and traffic. */
  function home(ctx: ChatContext): Screen {
    const sub = subscriptionOf(ctx);
    if (sub === null) return unknown(ctx);
    const { language } = ctx;
    const settings = core.settings();
    const t = hostTexts(language, 'bot');
    const page = hostTexts(language, 'subscription');
    const { user, total } = sub;
    const used = user.usedUp + user.usedDown;
    const mark = sub.canConnect ? '🟢' : user.state === 'limited' ? '🟠' : '🔴';
    const lines = [`<b>${escapeHtml(settings.subscriptionTitle)}</b>`, `${mark} ${page(`page.state.${user.state}`)}`];
    if (!sub.canConnect || sub.connections.length === 0)
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
      const count = Math.ceil((user.expiresAt - clock.now()) / DAY_MS);
      const left = count > 0 ? ` (${page('page.days', { count })})` : '';
      lines.push(`<b>${t('term')}:</b> ${formatDay(user.expiresAt, language, settings.timeZone)}${left}`);
    }
    if (user.deviceLimit !== null)
      lines.push(`<b>${t('devices')}:</b> ${page('page.upTo', { count: user.deviceLimit })}`);
    const announcement = settings.announcement.trim();
    if (announcement !== '') lines.push('', escapeHtml(announcement.slice(0, 1000)));
    return {
      text: lines.join('\n'),
      buttons: [
        ...appRow(language),
        [button(t('buttons.link'), 'link'), button(t('buttons.qr'), 'qr')],
        [button(t('buttons.setUp'), 'systems')],
        ...(sub.offers().length > 0 ? [[button(t('buttons.buy'), 'shop')]] : []),
        ...(settings.referrals.on ? [[button(t('buttons.friends'), 'friends')]] : []),
        [button(t('buttons.language'), 'languages'), ...supportRow(language)],
        [
          button(t('buttons.refresh'), 'mine'),
          ...(adminOf(ctx) === undefined ? [] : [button(t('buttons.admin'), 'admin')]),
        ],
      ],
    };
  }

  function appRow(language: Language): readonly (readonly InlineKeyboardButton[])[] {
    const url = miniApp?.url() ?? null;
    return url === null ? [] : [[{ text: hostTexts(language, 'bot')('buttons.app'), web_app: { url } }]];
  }

  /** What the administrator without a subscription sees are figures. */
  function main(ctx: ChatContext): Screen {
    const admin = adminOf(ctx);
    return admin !== undefined && subscriptionOf(ctx) === null ? admins.overview(ctx, admin, false) : home(ctx);
  }

  function linkButtons(language: Language, url: string): InlineKeyboardButton[] {
    const t = hostTexts(language, 'bot');
    const copied = hostTexts(language, 'subscription')('page.copy');
    return [
      ...(url.length <= MOST_COPIED ? [{ text: copied, copy_text: { text: url } }] : []),
      ...(isPublicUrl(url) ? [{ text: t('buttons.page'), url }] : []),
    ];
  }

  function link(ctx: ChatContext): Screen {
    const sub = subscriptionOf(ctx);
    if (sub === null) return unknown(ctx);
    const t = hostTexts(ctx.language, 'bot');
    const text = `<b>${t('link')}</b>\n<code>${escapeHtml(sub.url)}</code>\n\n${t('linkHint')}`;
    return { text, buttons: [linkButtons(ctx.language, sub.url), [button(t('buttons.back'), 'home')]] };
  }

  function systems(ctx: ChatContext): Screen {
    const t = hostTexts(ctx.language, 'bot');
    const named = SYSTEMS.map((system) => button(SYSTEM_NAMES[system], `system:${system}`));
    const rows = [named.slice(0, 2), named.slice(2, 4), named.slice(4)];
    return { text: t('chooseSystem'), buttons: [...rows, [button(t('buttons.back'), 'home')]] };
  }

  function setUp(ctx: ChatContext, name: string): Screen {
    const system = SYSTEMS.find((one) => one === name);
    const sub = subscriptionOf(ctx);
    if (sub === null) return unknown(ctx);
    if (system === undefined) return systems(ctx);
    const t = hostTexts(ctx.language, 'bot');
    const apps = APPS.flatMap(({ name: text, install }) => {
      const url = install[system];
      return url === undefined ? [] : [[{ text, url }]];
    });
    const title = `<b>${t('setUp', { system: SYSTEM_NAMES[system] })}</b>`;
    const text = `${title}\n\n${t('steps')}\n\n<code>${escapeHtml(sub.url)}</code>`;
    const back = [button(t('buttons.back'), 'systems')];
    return { text, buttons: [...apps, linkButtons(ctx.language, sub.url), back] };
  }

  function languages(ctx: ChatContext): Screen {
    const t = hostTexts(ctx.language, 'bot');
    const named = LANGUAGES.map(({ code, name }) => button(name, `language:${code}`));
    return { text: t('chooseLanguage'), buttons: [named, [button(t('buttons.back'), 'home')]] };
  }

  function support(ctx: ChatContext): Screen {
    const t = hostTexts(ctx.language, 'bot');
    const url = validUrl(core.settings().supportUrl);
    return { text: url === null ? t('noSupport') : t('support', { url: escapeHtml(url) }), buttons: [] };
  }

  async function tied(ctx: ChatContext, token: string): Promise<Screen> {
    const t = hostTexts(ctx.language, 'bot');
    const outcome = ctx.from === undefined ? 'ended' : await desk.tie(token, ctx.from.id);
    const screen = home(ctx);
    // A repetition of what has worked already shows what it led to.
    if (outcome === 'tied' || (outcome === 'ended' && subscriptionOf(ctx) !== null)) return screen;
    return { text: `${t(`tie.${outcome}`)}\n\n${screen.text}`, buttons: screen.buttons };
  }

  /** Who came by a link for friends and has no user yet. */
  async function referred(ctx: ChatContext, code: string): Promise<Screen> {
    const isNew = ctx.from !== undefined && (await desk.refer(code, ctx.from.id));
    const { text, buttons } = main(ctx);
    return isNew
      ? { text: `${hostTexts(ctx.language, 'bot')('friends.came')}\n\n${text}`, buttons }
      : { text, buttons };
  }

  /** The link for friends, and what came of it. */
  async function friends(ctx: ChatContext): Promise<Screen> {
    const sub = subscriptionOf(ctx);
    const found = sub === null ? null : await desk.friendLink(sub.user.token);
    if (found === null) return main(ctx);
    const t = hostTexts(ctx.language, 'bot');
    const { url, opened, rewarded } = found;
    const days = new Intl.NumberFormat(languageEntry(ctx.language).tag, {
      style: 'unit',
      unit: 'day',
      unitDisplay: 'long',
    });
    const text = [
      `<b>${t('friends.title')}</b>`,
      t('friends.rule', { own: days.format(found.referrerDays), friend: days.format(found.friendDays) }),
      `<code>${escapeHtml(url)}</code>`,
      t('friends.figures', { opened, rewarded }),
    ];
    const share = `https://t.me/share/url?url=${encodeURIComponent(url)}`;
    return {
      text: text.join('\n\n'),
      buttons: [[{ text: t('friends.share'), url: share }], [button(t('buttons.back'), 'home')]],
    };
  }

  async function paired(ctx: ChatContext, token: string): Promise<Screen> {
    const t = hostTexts(ctx.language, 'bot');
    const isPaired = ctx.from !== undefined && (await desk.pair(token, writerOf(ctx.from)));
    // A repetition of what has worked already shows what it led to.
    const isAdmin = isPaired || (ctx.from !== undefined && desk.store.admin(ctx.from.id) !== undefined);
    if (!isAdmin) return { text: t('admin.pairEnded'), buttons: [] };
    const { text, buttons } = main(ctx);
    return { text: `${t('admin.paired')}\n\n${text}`, buttons };
  }

  function chatOf(id: number): ChatRow {
    return desk.store.chat(id) ?? newChat(id);
  }

  /** What is to be stored of the chat of an update, with what was changed by it before. */
  function changeChat(ctx: ChatContext, change: Partial<ChatRow>): void {
    if (ctx.chat) ctx.chats.push({ ...(ctx.chats.at(-1) ?? chatOf(ctx.chat.id)), ...change });
  }

  composer.use(async (ctx, next) => {
    // Telegram shows a pressed button as busy until this arrives.
    if (ctx.callbackQuery) say(ctx, 'answerCallbackQuery', { callback_query_id: ctx.callbackQuery.id });
    const chat = ctx.chat?.type === 'private' ? chatOf(ctx.chat.id) : null;
    const { language } = core.settings();
    ctx.language = chooseLanguage([chat?.language ?? null, ctx.from?.language_code ?? null, language]);
    const told = ctx.from?.language_code?.slice(0, 35) ?? '';
    const member = ctx.myChatMember?.new_chat_member.status;
    // Who writes can be written to again.
    const isBack = ctx.message !== undefined || member === 'member';
    if (chat !== null) {
      const toldLanguage = told.length >= 2 ? told : chat.toldLanguage;
      const unreachableAt = member === 'kicked' ? clock.now() : isBack ? null : chat.unreachableAt;
      // Anything but the code that was asked for ends the question.
      ctx.promoFor = chat.promoFor;
      const isNews = toldLanguage !== chat.toldLanguage || unreachableAt !== chat.unreachableAt;
      if (isNews || chat.promoFor !== null) ctx.chats.push({ ...chat, toldLanguage, unreachableAt, promoFor: null });
    }
    await next();
  });
  // Behind what is done with each update: parts of a composer run in the order in which they are made.
  const privately = composer.chatType('private');
  privately.command('help', (ctx) => {
    const { text, buttons } = support(ctx);
    show(ctx, { text: `${hostTexts(ctx.language, 'bot')('help')}\n\n${text}`, buttons });
  });
  privately.command('terms', (ctx) => show(ctx, { text: hostTexts(ctx.language, 'bot')('terms'), buttons: [] }));
  privately.command('paysupport', (ctx) => {
    const { text, buttons } = support(ctx);
    show(ctx, { text: `${hostTexts(ctx.language, 'bot')('paySupport')}\n\n${text}`, buttons });
  });
  privately.command('language', (ctx) => show(ctx, languages(ctx)));
  privately.command('start', async (ctx) => {
    const given = ctx.match.trim();
    if (given.startsWith(TIE_PREFIX)) return show(ctx, await tied(ctx, given.slice(TIE_PREFIX.length)));
    if (given.startsWith(REFERRAL_PREFIX)) return show(ctx, await referred(ctx, given.slice(REFERRAL_PREFIX.length)));
    if (given.startsWith(PAIR_PREFIX)) return show(ctx, await paired(ctx, given.slice(PAIR_PREFIX.length)));
    const order = given.startsWith(ORDER_PREFIX) ? given.slice(ORDER_PREFIX.length) : null;
    if (order === null || core.shop.order(order) === null) return show(ctx, main(ctx));
    // Back from the provider: what is known is shown, and the news comes by itself once it has answered.
    show(ctx, shop.order(ctx, order, 'asked'));
    ctx.later = async () => {
      await core.shop.ask(order);
      return [];
    };
  });
  privately.command('backup', (ctx) => {
    const admin = adminOf(ctx);
    show(ctx, admin === undefined ? home(ctx) : admins.askBackup(ctx));
  });
  privately.callbackQuery(/^backup:(\w{1,10})$/, (ctx) => {
    const admin = adminOf(ctx);
    if (admin === undefined) return show(ctx, home(ctx));
    return admins.sendBackup(ctx, admin, String(ctx.match[1]));
  });
  privately.callbackQuery('backup', (ctx) => {
    const admin = adminOf(ctx);
    show(ctx, admin === undefined ? home(ctx) : admins.askBackup(ctx));
  });
  privately.callbackQuery(/^(?:accept:(\d{1,16}):(\d{1,15})|refuse:(\d{1,16}))$/, (ctx) => {
    const admin = adminOf(ctx);
    if (admin === undefined) return show(ctx, home(ctx));
    const [, accepted, plan, refused] = ctx.match;
    return admins.decide(ctx, admin, Number(accepted ?? refused), accepted === undefined ? null : Number(plan));
  });
  privately.command('broadcast', async (ctx) => {
    const admin = adminOf(ctx);
    show(ctx, admin === undefined ? home(ctx) : await admins.draft(ctx, admin, ctx.match.trim()));
  });
  privately.on('message', async (ctx) => {
    // A message that says that something was paid or pinned asks for nothing.
    const { text } = ctx.message;
    const admin = adminOf(ctx);
    if (text === undefined) return;
    if (ctx.promoFor !== null) await shop.enterPromo(ctx, ctx.promoFor, text);
    else show(ctx, admin === undefined ? home(ctx) : admins.find(ctx, admin, text));
  });
  privately.callbackQuery('home', (ctx) => show(ctx, main(ctx)));
  privately.callbackQuery('mine', (ctx) => show(ctx, home(ctx)));
  privately.callbackQuery('admin', (ctx) => {
    const admin = adminOf(ctx);
    show(ctx, admin === undefined ? home(ctx) : admins.overview(ctx, admin, subscriptionOf(ctx) !== null));
  });
  privately.callbackQuery(/^user:(\d{1,15})$/, (ctx) => {
    const admin = adminOf(ctx);
    show(ctx, admin === undefined ? home(ctx) : admins.user(ctx, admin, Number(ctx.match[1])));
  });
  privately.callbackQuery(/^ask:(\w{1,10}):(\d{1,15}):(\d{1,5})$/, (ctx) => {
    const admin = adminOf(ctx);
    const [, act = '', id, amount] = ctx.match;
    show(ctx, admin === undefined ? home(ctx) : admins.ask(ctx, admin, act, Number(id), Number(amount)));
  });
  privately.callbackQuery(/^do:(\w{1,10}):(\d{1,15}):(\d{1,5}):(\w{1,10})$/, (ctx) => {
    const admin = adminOf(ctx);
    const [, act = '', id, amount, stamp = ''] = ctx.match;
    if (admin === undefined) return show(ctx, home(ctx));
    return admins.act(ctx, admin, act, Number(id), Number(amount), stamp);
  });
  privately.callbackQuery('broadcast', async (ctx) => {
    const admin = adminOf(ctx);
    show(ctx, admin === undefined ? home(ctx) : await admins.draft(ctx, admin, ''));
  });
  privately.callbackQuery(/^cast(test|go)?:(\d{1,15}):(\w{1,10})(?::(\w{1,10}))?$/, (ctx) => {
    const admin = adminOf(ctx);
    const [, act, id, segment = '', stamp = ''] = ctx.match;
    if (admin === undefined) return show(ctx, home(ctx));
    if (act === 'test') return admins.testBroadcast(ctx, admin, Number(id), segment);
    if (act === 'go') return admins.startBroadcast(ctx, admin, Number(id), segment, stamp);
    return show(ctx, admins.askBroadcast(ctx, admin, Number(id), segment));
  });
  privately.callbackQuery(/^castact:(\d{1,15}):(\w{1,10})$/, (ctx) => {
    const admin = adminOf(ctx);
    if (admin === undefined) return show(ctx, home(ctx));
    return admins.changeBroadcast(ctx, admin, Number(ctx.match[1]), String(ctx.match[2]));
  });
  privately.callbackQuery(/^invite:(\d{1,15})$/, (ctx) => {
    const admin = adminOf(ctx);
    if (admin === undefined) return show(ctx, home(ctx));
    return admins.invite(ctx, admin, Number(ctx.match[1]));
  });
  privately.callbackQuery('link', (ctx) => show(ctx, link(ctx)));
  privately.callbackQuery('systems', (ctx) => show(ctx, systems(ctx)));
  privately.callbackQuery('languages', (ctx) => show(ctx, languages(ctx)));
  privately.callbackQuery(/^system:(.+)$/, (ctx) => show(ctx, setUp(ctx, String(ctx.match[1]))));
  privately.callbackQuery(/^language:(.+)$/, (ctx) => {
    const code = String(ctx.match[1]);
    if (isLanguage(code) && ctx.chat) {
      changeChat(ctx, { language: code });
      ctx.language = code;
    }
    show(ctx, home(ctx));
  });
  privately.callbackQuery('qr', (ctx) => {
    const sub = subscriptionOf(ctx);
    if (sub === null) return show(ctx, unknown(ctx));
    const t = hostTexts(ctx.language, 'bot');
    say(ctx, 'sendPhoto', {
      photo: { qr: sub.url },
      caption: t('qrHint'),
      protect_content: true,
      reply_markup: { inline_keyboard: [[button(t('buttons.hide'), 'hide')]] },
    });
  });
  privately.callbackQuery('shop', (ctx) => {
    const sub = subscriptionOf(ctx);
    show(ctx, sub === null ? unknown(ctx) : shop.offers(ctx, sub));
  });
  privately.callbackQuery(/^buy:(\d{1,15}):(\w{1,10})$/, async (ctx) => {
    const sub = subscriptionOf(ctx);
    if (sub === null) return show(ctx, unknown(ctx));
    return shop.buy(ctx, sub, Number(ctx.match[1]), String(ctx.match[2]));
  });
  privately.callbackQuery(/^pay:([\w-]{16,128}):(\d{1,9}):([A-Z]{3}):(\w{1,10})$/, (ctx) => {
    const [, token = '', provider, currency = '', pressed = ''] = ctx.match;
    return shop.pay(ctx, token, Number(provider), currency, pressed, ctx.me.username);
  });
  privately.callbackQuery(/^ask:([\w-]{16,128})$/, (ctx) => shop.ask(ctx, String(ctx.match[1])));
  privately.callbackQuery(/^promo:([\w-]{16,128})$/, (ctx) => {
    const token = String(ctx.match[1]);
    changeChat(ctx, { promoFor: token });
    show(ctx, shop.askPromo(ctx, token));
  });
  privately.callbackQuery(/^nopromo:([\w-]{16,128})$/, (ctx) => shop.removePromo(ctx, String(ctx.match[1])));
  privately.callbackQuery(/^order:([\w-]{16,128})$/, (ctx) => show(ctx, shop.order(ctx, String(ctx.match[1]))));
  privately.callbackQuery('access', async (ctx) => show(ctx, await askForAccess(ctx)));
  privately.callbackQuery('friends', async (ctx) => show(ctx, await friends(ctx)));
  privately.callbackQuery('hide', (ctx) => {
    const shown = ctx.callbackQuery.message?.message_id;
    if (shown !== undefined) say(ctx, 'deleteMessage', { message_id: shown });
  });

  const middleware = composer.middleware();
  return {
    async handle(update, { botId, username, name }) {
      const me = { id: botId, is_bot: true, first_name: name, username } as UserFromGetMe;
      const ctx = new ChatContext(update, NO_API, me);
      await middleware(ctx, async () => {});
      return { messages: ctx.messages, chats: ctx.chats, later: ctx.later };
    },
    answerCheckout(query) {
      const { from, invoice_payload: token, total_amount: amount, currency } = query;
      const refusal = desk.refusalOf({ token, paid: { amount, currency } });
      if (refusal === null) return { ok: true };
      const chosen = desk.store.chat(from.id)?.language ?? null;
      const t = hostTexts(chooseLanguage([chosen, from.language_code ?? null, core.settings().language]), 'bot');
      return { ok: false, error_message: t(`checkout.${refusal}`) };
    },
  };
}
