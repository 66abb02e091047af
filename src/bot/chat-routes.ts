// The route of each command and each button, as data.
import { email } from '../contract/scalars.ts';
import type { Core } from '../core/kernel/core.ts';
import {
  type AdminRow,
  type BotService,
  type ChatRow,
  LINK_PREFIX,
  type MiniApp,
  newChat,
  PAIR_PREFIX,
  REFERRAL_PREFIX,
} from '../core/ports/bot.ts';
import type { Clock } from '../core/ports/ports.ts';
import { HOUR_MS, MINUTE_MS } from '../domain/limits.ts';
import { isLanguage } from '../i18n/languages.ts';
import { createAdminScreens } from './admin-screens.ts';
import { createAdminUserScreens } from './admin-user-screens.ts';
import { createBroadcastScreens, findSegment, type Segment } from './broadcast-screens.ts';
import { type ChatContext, getTexts, type Screen, sendMessage, show } from './screen.ts';
import { createShopScreens, ORDER_PREFIX } from './shop-screens.ts';
import { createStartScreens } from './start-screens.ts';
import { createUserScreens, languagesScreen, systemsScreen } from './user-screens.ts';

export interface ChatParts {
  readonly core: Pick<Core, 'settings' | 'subscription' | 'shop' | 'call'>;
  readonly botService: Pick<
    BotService,
    | 'store'
    | 'findLinkToken'
    | 'findCheckoutRefusal'
    | 'linkAccount'
    | 'pair'
    | 'prove'
    | 'hasSecondFactor'
    | 'isOwnStars'
    | 'openInChat'
    | 'friendLink'
    | 'refer'
    | 'requestAccess'
  >;
  readonly clock: Clock;
  /** Left out: there is no Mini App. */
  readonly miniApp?: Pick<MiniApp, 'url'> | undefined;
}

/** null: nothing is shown, or `show` has sent it. */
type Answer = Screen | null | Promise<Screen | null>;

/** A command by its name, or a button by its data; `show` gets the groups of the pattern, or the text after the command. */
export type Route<Pattern extends string | RegExp = string | RegExp> = { readonly pattern: Pattern } & (
  | { readonly isAdmin?: false; show(ctx: ChatContext, ...given: string[]): Answer }
  /** Other accounts see their own first screen instead. */
  | { readonly isAdmin: true; show(ctx: ChatContext, admin: AdminRow, ...given: string[]): Answer }
);

export type ChatScreens = ReturnType<typeof createChatScreens>;

export function createChatScreens({ core, botService, clock, miniApp }: ChatParts) {
  const findAdmin = (ctx: ChatContext) => (ctx.from === undefined ? undefined : botService.store.admin(ctx.from.id));
  const isAdmin = (ctx: ChatContext) => findAdmin(ctx) !== undefined;
  const users = createUserScreens({ core, botService, clock, miniApp }, isAdmin);
  const admins = createAdminScreens({ core, botService, clock });

  /** An administrator without a subscription sees the panel's figures. */
  function main(ctx: ChatContext): Screen {
    const admin = findAdmin(ctx);
    return admin !== undefined && users.findSubscription(ctx) === null
      ? admins.overview(ctx, admin, false)
      : users.home(ctx);
  }

  const getChat = (id: number): ChatRow => botService.store.chat(id) ?? newChat(id);

  return {
    core,
    clock,
    findAdmin,
    main,
    getChat,
    /** Adds a change of the update's chat, on top of its earlier ones. */
    changeChat(ctx: ChatContext, change: Partial<ChatRow>): void {
      if (ctx.chat) ctx.chats.push({ ...(ctx.chats.at(-1) ?? getChat(ctx.chat.id)), ...change });
    },
    users,
    start: createStartScreens({ botService, users, main }),
    shop: createShopScreens({ core, botService, clock }),
    admins,
    adminUsers: createAdminUserScreens({ core, botService, clock }),
    broadcasts: createBroadcastScreens({ core, botService, clock }),
  };
}

/** Answers an update that matches the route. */
export async function runRoute(route: Route, { findAdmin, users }: ChatScreens, ctx: ChatContext): Promise<void> {
  const given = typeof ctx.match === 'string' ? [ctx.match.trim()] : (ctx.match?.slice(1) ?? []);
  const admin = findAdmin(ctx);
  const answer = !route.isAdmin
    ? route.show(ctx, ...given)
    : admin === undefined
      ? users.home(ctx)
      : route.show(ctx, admin, ...given);
  const screen = await answer;
  if (screen !== null) show(ctx, screen);
}

export function listCommands(screens: ChatScreens): readonly Route<string>[] {
  const { users, admins, broadcasts } = screens;
  const withSupport = (ctx: ChatContext, text: string): Screen => {
    const support = users.support(ctx);
    return { text: `${text}\n\n${support.text}`, buttons: support.buttons };
  };
  return [
    { pattern: 'help', show: (ctx) => withSupport(ctx, getTexts(ctx)('help')) },
    { pattern: 'terms', show: (ctx) => ({ text: getTexts(ctx)('terms'), buttons: [] }) },
    { pattern: 'paysupport', show: (ctx) => withSupport(ctx, getTexts(ctx)('paySupport')) },
    { pattern: 'language', show: languagesScreen },
    { pattern: 'start', show: (ctx, given = '') => showStart(screens, ctx, given) },
    { pattern: 'code', isAdmin: true, show: (ctx, admin, code = '') => admins.prove(ctx, admin, code) },
    { pattern: 'backup', isAdmin: true, show: admins.askBackup },
    { pattern: 'broadcast', isAdmin: true, show: (ctx, admin, text = '') => broadcasts.draft(ctx, admin, text) },
  ];
}

/** `/start` with the parameter of a link. */
function showStart(screens: ChatScreens, ctx: ChatContext, given: string): Answer {
  const { core, start, shop, main } = screens;
  if (given.startsWith(LINK_PREFIX)) return start.handleLinkStart(ctx, given.slice(LINK_PREFIX.length));
  if (given.startsWith(REFERRAL_PREFIX)) return start.referred(ctx, given.slice(REFERRAL_PREFIX.length));
  if (given.startsWith(PAIR_PREFIX)) return start.paired(ctx, given.slice(PAIR_PREFIX.length));
  const order = given.startsWith(ORDER_PREFIX) ? given.slice(ORDER_PREFIX.length) : null;
  if (order === null || core.shop.order(order, 'telegram') === null) return main(ctx);
  // Back from the provider: shows the known state; the news is sent when the provider has answered.
  ctx.later = async () => {
    await core.shop.pollOrder(order);
    return [];
  };
  return shop.order(ctx, order, 'asked');
}

export function listButtons(screens: ChatScreens): readonly Route[] {
  return [...listUserButtons(screens), ...listShopButtons(screens), ...listAdminButtons(screens)];
}

/** https://core.telegram.org/bots/api#deletemessage: not a message older than 48 hours. An inaccessible one has the date 0. */
function isDeletable(date: number, now: number): boolean {
  return Math.abs(now - date * 1000) < 48 * HOUR_MS - MINUTE_MS;
}

function listUserButtons({ clock, users, start, main, changeChat }: ChatScreens): readonly Route[] {
  return [
    { pattern: 'home', show: main },
    { pattern: 'mine', show: users.home },
    { pattern: 'link', show: users.link },
    { pattern: 'qr', show: users.qr },
    { pattern: 'systems', show: systemsScreen },
    { pattern: /^system:(.+)$/, show: (ctx, system = '') => users.setUp(ctx, system) },
    { pattern: 'languages', show: languagesScreen },
    {
      pattern: /^language:(.+)$/,
      show(ctx, code = '') {
        if (isLanguage(code) && ctx.chat) {
          changeChat(ctx, { language: code });
          ctx.language = code;
        }
        return users.home(ctx);
      },
    },
    { pattern: 'access', show: start.requestAccess },
    { pattern: 'friends', show: start.friends },
    {
      pattern: 'hide',
      show(ctx) {
        const shown = ctx.callbackQuery?.message;
        if (!shown) return null;
        if (isDeletable(shown.date, clock.now())) sendMessage(ctx, 'deleteMessage', { message_id: shown.message_id });
        // An old message cannot be deleted: only its button is removed.
        else sendMessage(ctx, 'editMessageReplyMarkup', { message_id: shown.message_id });
        return null;
      },
    },
  ];
}

const PAY = /^pay:([\w-]{16,128}):(\d{1,9}):([A-Z]{3}):(\w{1,10})$/;
const PROMO = /^promo:([\w-]{16,128})$/;

/** The answer to a message that was asked for; null: none was. */
export function answerPrompt(screens: ChatScreens, ctx: ChatContext, text: string): Screen | Promise<Screen> | null {
  const { shop, changeChat } = screens;
  const prompt = ctx.prompt ?? '';
  const [, promoToken] = PROMO.exec(prompt) ?? [];
  if (promoToken !== undefined) return shop.enterPromo(ctx, promoToken, text);
  const [, token, provider, currency = '', pressed = ''] = PAY.exec(prompt) ?? [];
  if (token === undefined) return null;
  const given = email.safeParse(text.trim());
  if (given.success) return shop.pay(ctx, { token, providerId: Number(provider), currency }, pressed, given.data);
  changeChat(ctx, { prompt });
  return shop.askEmail(ctx, token, 'wrong');
}

function listShopButtons({ users, shop, changeChat }: ChatScreens): readonly Route[] {
  /** The next message answers the button that was pressed. */
  const setPrompt = (ctx: ChatContext) => changeChat(ctx, { prompt: ctx.callbackQuery?.data ?? null });
  return [
    {
      pattern: 'shop',
      show(ctx) {
        const sub = users.findSubscription(ctx);
        return sub === null ? users.unknown(ctx) : shop.offers(ctx, sub);
      },
    },
    {
      pattern: /^shop:(\d{1,4})$/,
      show(ctx, page) {
        const sub = users.findSubscription(ctx);
        return sub === null ? users.unknown(ctx) : shop.offers(ctx, sub, undefined, Number(page));
      },
    },
    {
      pattern: /^buy:(\d{1,15}):(\w{1,10})$/,
      show(ctx, offer, digest = '') {
        const sub = users.findSubscription(ctx);
        return sub === null ? users.unknown(ctx) : shop.buy(ctx, sub, Number(offer), digest);
      },
    },
    {
      pattern: PAY,
      show(ctx, token = '', provider, currency = '', pressed = '') {
        const choice = { token, providerId: Number(provider), currency };
        if (!shop.needsEmail(choice)) return shop.pay(ctx, choice, pressed);
        setPrompt(ctx);
        return shop.askEmail(ctx, token);
      },
    },
    { pattern: /^ask:([\w-]{16,128})$/, show: (ctx, token = '') => shop.ask(ctx, token) },
    {
      pattern: PROMO,
      show(ctx, token = '') {
        setPrompt(ctx);
        return shop.askPromo(ctx, token);
      },
    },
    { pattern: /^nopromo:([\w-]{16,128})$/, show: (ctx, token = '') => shop.removePromo(ctx, token) },
    { pattern: /^order:([\w-]{16,128})$/, show: (ctx, token = '') => shop.order(ctx, token) },
  ];
}

function listAdminButtons({ users, admins, adminUsers, broadcasts }: ChatScreens): readonly Route[] {
  /** A button of an old message may name an audience that no longer exists. */
  const toSegment = (
    ctx: ChatContext,
    admin: AdminRow,
    name: string | undefined,
    shown: (segment: Segment) => Answer,
  ): Answer => {
    const segment = findSegment(name);
    return segment === null ? broadcasts.draft(ctx, admin, '') : shown(segment);
  };
  return [
    {
      pattern: 'admin',
      isAdmin: true,
      show: (ctx, admin) => admins.overview(ctx, admin, users.findSubscription(ctx) !== null),
    },
    { pattern: 'backup', isAdmin: true, show: admins.askBackup },
    {
      pattern: /^backup:(\w{1,10})$/,
      isAdmin: true,
      show: (ctx, admin, stamp = '') => admins.sendBackup(ctx, admin, stamp),
    },
    {
      pattern: /^accept:(\d{1,16}):(\d{1,15})$/,
      isAdmin: true,
      show: (ctx, admin, account, plan) => adminUsers.decide(ctx, admin, Number(account), Number(plan)),
    },
    {
      pattern: /^refuse:(\d{1,16})$/,
      isAdmin: true,
      show: (ctx, admin, account) => adminUsers.decide(ctx, admin, Number(account), null),
    },
    {
      pattern: /^user:(\d{1,15})$/,
      isAdmin: true,
      show: (ctx, admin, id) => adminUsers.user(ctx, admin, Number(id)),
    },
    {
      pattern: /^ask:(\w{1,10}):(\d{1,15}):(\d{1,5})$/,
      isAdmin: true,
      show: (ctx, admin, act = '', id, amount) => adminUsers.ask(ctx, admin, act, Number(id), Number(amount)),
    },
    {
      pattern: /^do:(\w{1,10}):(\d{1,15}):(\d{1,5}):(\w{1,10})$/,
      isAdmin: true,
      show: (ctx, admin, act = '', id, amount, stamp = '') =>
        adminUsers.act(ctx, admin, act, Number(id), Number(amount), stamp),
    },
    {
      pattern: /^invite:(\d{1,15})$/,
      isAdmin: true,
      show: (ctx, admin, id) => adminUsers.invite(ctx, admin, Number(id)),
    },
    { pattern: 'broadcast', isAdmin: true, show: (ctx, admin) => broadcasts.draft(ctx, admin, '') },
    {
      pattern: /^cast:(\d{1,15}):(\w{1,10})$/,
      isAdmin: true,
      show: (ctx, admin, id, name) =>
        toSegment(ctx, admin, name, (segment) => broadcasts.askBroadcast(ctx, admin, Number(id), segment)),
    },
    {
      pattern: /^casttest:(\d{1,15}):(\w{1,10})$/,
      isAdmin: true,
      show: (ctx, admin, id, name) =>
        toSegment(ctx, admin, name, (segment) => broadcasts.testBroadcast(ctx, admin, Number(id), segment)),
    },
    {
      pattern: /^castgo:(\d{1,15}):(\w{1,10}):(\w{1,10})$/,
      isAdmin: true,
      show: (ctx, admin, id, name, stamp = '') =>
        toSegment(ctx, admin, name, (segment) => broadcasts.startBroadcast(ctx, admin, Number(id), segment, stamp)),
    },
    {
      pattern: /^castact:(\d{1,15}):(\w{1,10})$/,
      isAdmin: true,
      show: (ctx, admin, id, act = '') => broadcasts.changeBroadcast(ctx, admin, Number(id), act),
    },
  ];
}
