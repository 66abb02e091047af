// Screens of sales in the chat: offers, an order and its payment. A button's data have everything that it does, so that buttons of old messages
// do what they say or nothing.
import type { Core, Offered, OrderPage, PaymentOption, Subscription } from '../core/kernel/core.ts';
import { PanelError } from '../core/kernel/panel-error.ts';
import { type BotService, PRIORITIES } from '../core/ports/bot.ts';
import type { Clock } from '../core/ports/ports.ts';
import { formatMoney } from '../domain/sales/money.ts';
import { shorten } from '../domain/shorten.ts';
import { hostTexts } from '../i18n/host.ts';
import { languageEntry } from '../i18n/languages.ts';
import { formatDay } from '../subscription/format-day.ts';
import { promoText, soldText } from '../subscription/page/order-page.ts';
import {
  buildScreenMessage,
  button,
  type ChatContext,
  escapeHtml,
  getTexts,
  isPublicUrl,
  type Screen,
} from './screen.ts';

/** Prefix of the parameter of `/start` with which a buyer returns from a provider. */
export const ORDER_PREFIX = 'order_';
const MAX_TITLE = 32;
/** Offers on one page: a message has at most 100 buttons and 4096 characters. */
const OFFERS_ON_PAGE = 20;
const MAX_DESCRIPTION = 255;
/** Characters of a message that are read as a promo code. */
const MAX_CODE = 64;

export interface ShopParts {
  readonly core: Pick<Core, 'shop' | 'settings'>;
  readonly botService: Pick<BotService, 'isOwnStars' | 'openInChat'>;
  readonly clock: Clock;
}

type Notice =
  | 'asked'
  | 'failed'
  | 'opening'
  | 'invoice'
  | 'limit'
  | 'off'
  | 'changed'
  | 'promo'
  | 'wrongPromo'
  | 'often';

/** An order, and the provider and currency of its payment. */
interface PaymentChoice extends Pick<PaymentOption, 'providerId'> {
  readonly token: string;
  readonly currency: string;
}

export interface ShopScreens {
  offers(ctx: ChatContext, sub: Subscription, notice?: Notice, page?: number): Screen;
  /** Creates the order of an offer, or finds the unpaid one, and shows it. `digest`: hash of the offer as the button showed it. */
  buy(ctx: ChatContext, sub: Subscription, offerId: number, digest: string): Promise<Screen>;
  order(ctx: ChatContext, token: string, notice?: Notice): Screen;
  /** Whether the chosen provider needs the buyer's address for a receipt. */
  needsEmail(choice: PaymentChoice): boolean;
  /** Asks for that address; the next message is the answer. */
  askEmail(ctx: ChatContext, token: string, before?: 'wrong'): Screen;
  /** Sends the invoice to the chat, or opens one at the provider. `pressed`: time of the button, which makes repeated presses send one invoice. */
  pay(ctx: ChatContext, choice: PaymentChoice, pressed: string, email?: string): Promise<Screen>;
  /** Asks for the promo code of an order; the next message is the answer. */
  askPromo(ctx: ChatContext, token: string): Screen;
  enterPromo(ctx: ChatContext, token: string, code: string): Promise<Screen>;
  removePromo(ctx: ChatContext, token: string): Promise<Screen>;
  /** Polls the provider of an order and then shows the order. */
  ask(ctx: ChatContext, token: string): null;
}

/** A short hash of an offer's name, content and price, by which the button of a changed offer is recognized. */
function hashOffer({ name, sold, price }: Offered): string {
  let mark = 0;
  for (const character of JSON.stringify([name, sold, price]))
    mark = (mark * 31 + (character.codePointAt(0) ?? 0)) % 2_147_483_647;
  return mark.toString(36);
}

const getLanguageTag = ({ language }: ChatContext) => languageEntry(language).tag;

function offersScreen(ctx: ChatContext, sub: Subscription, notice?: Notice, pageIndex = 0): Screen {
  const t = getTexts(ctx);
  const page = hostTexts(ctx.language, 'subscription');
  const all = sub.offers('telegram');
  const last = Math.max(0, Math.ceil(all.length / OFFERS_ON_PAGE) - 1);
  const at = Math.min(pageIndex, last);
  const found = all.slice(at * OFFERS_ON_PAGE, (at + 1) * OFFERS_ON_PAGE);
  const isTraffic = ({ sold }: Offered) => 'bytes' in sold;
  const lines = notice === undefined ? [] : [t(`shop.notice.${notice}`), ''];
  const priceText = ({ price, isTrial }: Offered) =>
    isTrial ? page('order.free') : formatMoney(price, getLanguageTag(ctx));
  const part = (title: string, own: readonly Offered[]) => {
    if (own.length === 0) return;
    lines.push(`<b>${title}</b>`);
    for (const one of own)
      lines.push(
        `• ${escapeHtml(one.name)}: ${escapeHtml(soldText(one, ctx.language))}, ${escapeHtml(priceText(one))}`,
      );
  };
  const paid = found.filter(({ isTrial }) => !isTrial);
  part(
    page('page.try'),
    found.filter(({ isTrial }) => isTrial),
  );
  part(
    page('page.renew'),
    paid.filter(({ sold }) => sold.kind === 'days' || sold.kind === 'months'),
  );
  part(page('page.addTraffic'), paid.filter(isTraffic));
  if (found.length === 0) lines.push(t('shop.none'));
  const rows = found.map((one) => [button(`${one.name} · ${priceText(one)}`, `buy:${one.id}:${hashOffer(one)}`)]);
  const turns = [
    ...(at > 0 ? [button(`‹ ${at}/${last + 1}`, `shop:${at - 1}`)] : []),
    ...(at < last ? [button(`${at + 2}/${last + 1} ›`, `shop:${at + 1}`)] : []),
  ];
  const buttons = [...rows, ...(turns.length > 0 ? [turns] : []), [button(t('buttons.back'), 'home')]];
  return { text: lines.join('\n'), buttons };
}

function promoButton(ctx: ChatContext, token: string, { promo }: OrderPage) {
  if (promo === null) return button(getTexts(ctx)('shop.promo'), `promo:${token}`);
  const text = hostTexts(ctx.language, 'subscription')('order.promoRemove', { code: promo.code });
  return button(text, `nopromo:${token}`);
}

function pickNotice(error: unknown): Notice {
  if (!(error instanceof PanelError)) throw error;
  if (error.code === 'order_limit') return 'limit';
  if (error.code === 'rate_limited') return 'often';
  if (error.code === 'promo_refused') return 'promo';
  return error.code === 'selling_off' ? 'off' : 'failed';
}

function askPromo(ctx: ChatContext, token: string): Screen {
  const t = getTexts(ctx);
  return { text: t('shop.promoAsk'), buttons: [[button(t('buttons.back'), `order:${token}`)]] };
}

function askEmail(ctx: ChatContext, token: string, before?: 'wrong'): Screen {
  const t = getTexts(ctx);
  const text = t(before === 'wrong' ? 'shop.emailWrong' : 'shop.emailAsk');
  return { text, buttons: [[button(t('buttons.back'), `order:${token}`)]] };
}

function orderText(ctx: ChatContext, found: OrderPage, notice: Notice | undefined, timeZone: string): string {
  const t = getTexts(ctx);
  const page = hostTexts(ctx.language, 'subscription');
  const day = (at: number) => formatDay(at, ctx.language, timeZone);
  const { state, tariff, offer, paid, prices, promo, until, startsLater, paymentOptions } = found;
  const lines = [
    `<b>${page('order.title', { id: found.id })}</b> · ${page(`order.state.${state}`)}`,
    '',
    `${escapeHtml(tariff)} · ${escapeHtml(offer)}`,
    escapeHtml(soldText(found, ctx.language)),
  ];
  if (promo !== null) {
    const what = promoText(promo.effect, ctx.language);
    lines.push(escapeHtml(`${page('order.promo')}: ${promo.code}, ${what}`));
  }
  if (paid === null) lines.push(escapeHtml(prices.map((price) => formatMoney(price, getLanguageTag(ctx))).join(' · ')));
  else if (found.isTrial) lines.push(page('order.free'));
  else
    lines.push(escapeHtml(page('order.paidOn', { amount: formatMoney(paid, getLanguageTag(ctx)), day: day(paid.at) })));
  if (state === 'paid' && until !== null) lines.push(`<b>${t('term')}:</b> ${day(until)}`);
  else if (state === 'paid' && startsLater) lines.push(`<b>${t('term')}:</b> ${page('page.startsLater')}`);
  if (state === 'unpaid' && paymentOptions.length === 0) lines.push('', page('order.none'));
  if (state === 'paid' && found.isTrial) lines.push('', page('order.notice.trial'));
  else if (state !== 'unpaid') lines.push('', page(`order.notice.${state}`));
  else if (notice !== undefined) lines.push('', t(`shop.notice.${notice}`));
  return lines.join('\n');
}

export function createShopScreens({ core, botService, clock }: ShopParts): ShopScreens {
  /** A button of a payment option. It contains the time at which it was shown, so that pressing it twice sends one invoice. */
  function paymentOptionButton(ctx: ChatContext, token: string, { providerId, kind, isTest, price }: PaymentOption) {
    const page = hostTexts(ctx.language, 'subscription');
    const method = page(isTest ? `order.testWay.${kind}` : `order.way.${kind}`);
    const text = page('order.payAt', { amount: formatMoney(price, getLanguageTag(ctx)), way: method });
    const pressed = Math.floor(clock.now() / 1000).toString(36);
    return button(text, `pay:${token}:${providerId}:${price.currency}:${pressed}`);
  }

  function order(ctx: ChatContext, token: string, notice?: Notice): Screen {
    const t = getTexts(ctx);
    const back = [button(t('buttons.back'), 'shop')];
    const found = core.shop.order(token, 'telegram');
    if (found === null) return { text: t('shop.gone'), buttons: [back] };
    const ask = found.canPoll ? [[button(hostTexts(ctx.language, 'subscription')('order.ask'), `ask:${token}`)]] : [];
    const paymentOptions =
      found.state === 'unpaid' ? found.paymentOptions.map((option) => [paymentOptionButton(ctx, token, option)]) : [];
    const promo = paymentOptions.length > 0 ? [[promoButton(ctx, token, found)]] : [];
    return {
      text: orderText(ctx, found, notice, core.settings().timeZone),
      buttons: [...paymentOptions, ...promo, ...ask, back],
    };
  }

  async function enterPromo(ctx: ChatContext, token: string, code: string): Promise<Screen> {
    try {
      await core.shop.enterPromo(token, code.slice(0, MAX_CODE));
      return order(ctx, token);
    } catch (error) {
      const isWrong = error instanceof PanelError && error.code === 'promo_refused';
      return order(ctx, token, isWrong ? 'wrongPromo' : pickNotice(error));
    }
  }

  async function removePromo(ctx: ChatContext, token: string): Promise<Screen> {
    try {
      await core.shop.removePromo(token);
      return order(ctx, token);
    } catch (error) {
      return order(ctx, token, pickNotice(error));
    }
  }

  async function buy(ctx: ChatContext, sub: Subscription, offerId: number, digest: string): Promise<Screen> {
    const offer = sub.offers('telegram').find(({ id }) => id === offerId);
    if (!offer || hashOffer(offer) !== digest) return offersScreen(ctx, sub, 'changed');
    try {
      return order(ctx, await core.shop.buy(sub.user.token, offerId));
    } catch (error) {
      return offersScreen(ctx, sub, pickNotice(error));
    }
  }

  const findOption = (found: OrderPage | null, { providerId, currency }: PaymentChoice) =>
    found?.paymentOptions.find((option) => option.providerId === providerId && option.price.currency === currency);

  async function pay(ctx: ChatContext, choice: PaymentChoice, pressed: string, email = ''): Promise<Screen> {
    const { token, providerId, currency } = choice;
    const found = core.shop.order(token, 'telegram');
    if (!found || !findOption(found, choice)) return order(ctx, token);
    if (botService.isOwnStars(providerId)) return sendInvoice(ctx, token, found, pressed);
    const returnUrl = `https://t.me/${ctx.me.username}?start=${ORDER_PREFIX}${token}`;
    ctx.later = async () => {
      const screen = await core.shop.pay(token, { providerId, currency, returnUrl, email, place: 'telegram' }).then(
        (url) => payScreen(ctx, token, url),
        (error: unknown) => order(ctx, token, pickNotice(error)),
      );
      return [buildScreenMessage(ctx, screen)].filter((one) => one !== null);
    };
    return order(ctx, token, 'opening');
  }

  /** The order with a link to the provider's page. */
  function payScreen(ctx: ChatContext, token: string, url: string): Screen {
    const { text, buttons } = order(ctx, token);
    // Telegram refuses buttons with local addresses, as in tests, so these are shown as text.
    if (!isPublicUrl(url)) return { text: `${text}\n\n<code>${escapeHtml(url)}</code>`, buttons };
    return { text, buttons: [[{ text: getTexts(ctx)('shop.toProvider'), url }], ...buttons.slice(-2)] };
  }

  async function sendInvoice(ctx: ChatContext, token: string, found: OrderPage, pressed: string): Promise<Screen> {
    const chatId = ctx.chat?.id;
    if (chatId === undefined) return order(ctx, token);
    try {
      const invoice = await botService.openInChat(token);
      const sold = soldText(found, ctx.language);
      const payload = {
        title: shorten(found.offer, MAX_TITLE),
        description: shorten(`${found.tariff} · ${found.offer}: ${sold}`, MAX_DESCRIPTION),
        payload: invoice.token,
        provider_token: '',
        currency: 'XTR',
        prices: [{ label: shorten(found.offer, MAX_TITLE), amount: invoice.stars }],
        protect_content: true,
      };
      const dedupeKey = `invoice:${invoice.token}:${pressed}`;
      ctx.messages.push({ chatId, dedupeKey, method: 'sendInvoice', payload, priority: PRIORITIES.answer });
      return order(ctx, token, 'invoice');
    } catch (error) {
      return order(ctx, token, pickNotice(error));
    }
  }

  function ask(ctx: ChatContext, token: string): null {
    ctx.later = async () => {
      await core.shop.pollOrder(token).catch(pickNotice);
      return [buildScreenMessage(ctx, order(ctx, token, 'asked'))].filter((one) => one !== null);
    };
    return null;
  }

  const needsEmail = (choice: PaymentChoice) =>
    findOption(core.shop.order(choice.token, 'telegram'), choice)?.needsEmail ?? false;

  return { offers: offersScreen, buy, order, needsEmail, askEmail, pay, askPromo, enterPromo, removePromo, ask };
}
