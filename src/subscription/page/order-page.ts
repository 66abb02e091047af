// The page of an order for its buyer: one document whose buttons are forms. Inside Telegram it has a script that opens the invoice.
import type { OrderPage } from '../../core/kernel/core.ts';
import type { SettingValues } from '../../core/ports/settings.ts';
import { formatMoney } from '../../domain/sales/money.ts';
import { IN_TELEGRAM, type ShopPlace } from '../../domain/sales/shop-place.ts';
import { dropVariables } from '../../domain/subscription/variables.ts';
import { formatBytes } from '../../i18n/bytes.ts';
import { hostTexts } from '../../i18n/host.ts';
import { chooseLanguage, type Language, languageEntry } from '../../i18n/languages.ts';
import { formatDay } from '../format-day.ts';
import { validUrl } from '../headers.ts';
import { findInvoiceSlug, INVOICE_SCRIPT } from './invoice-script.ts';
import { escapeHtml, preferredLanguages, renderHead } from './page.ts';
import { STYLE } from './style.ts';

/** The result of the buyer's last action. */
export type OrderNotice = 'asked' | 'failed' | 'wait' | 'promo' | 'email';

export interface OrderRequest {
  readonly token: string;
  /** The Accept-Language header. */
  readonly acceptLanguage: string | undefined;
  readonly notice: OrderNotice | null;
  readonly place: ShopPlace;
}

export interface RenderedOrder {
  readonly body: string;
  /** Its inline style, for the content security policy. */
  readonly style: string;
  /** Its inline script, if it has one. */
  readonly script?: string;
}

const TONES = { unpaid: 'warn', decision: 'warn', paid: 'good', refunded: 'bad' } as const;

export function renderOrder(order: OrderPage, settings: SettingValues, request: OrderRequest): RenderedOrder {
  const language = chooseLanguage([...preferredLanguages(request.acceptLanguage), settings.language]);
  const t = hostTexts(language, 'subscription');
  const { state } = order;
  const title = escapeHtml(t('order.title', { id: order.id }));
  const notice = state === 'unpaid' ? request.notice : state === 'paid' && order.isTrial ? 'trial' : state;
  const support = validUrl(settings.supportUrl);
  const script = state === 'unpaid' && findInvoice(order, request) !== null ? INVOICE_SCRIPT : null;
  const body = `${renderHead(`${title} · ${escapeHtml(dropVariables(settings.subscriptionTitle))}`, language)}<body class="order">
<header><h1>${escapeHtml(dropVariables(settings.subscriptionTitle))}</h1><span class="pill ${TONES[state]}">${escapeHtml(t(`order.state.${state}`))}</span>
${notice === null ? '' : `<p class="notice ${TONES[state]}" role="status">${escapeHtml(t(`order.notice.${notice}`))}</p>`}
</header>
<main>
<section class="card" aria-labelledby="order"><h2 id="order">${title}</h2><dl>${renderFacts(order, settings, language)}</dl></section>
${state === 'unpaid' ? renderPayment(order, request, language) : ''}
${renderReturn(order, request, language)}
${support === null ? '' : `<p><a class="support" href="${escapeHtml(support)}" rel="noreferrer">${escapeHtml(t('page.support'))}</a></p>`}
</main>
${script === null ? '' : `<script>${script}</script>\n`}</body>
</html>
`;
  return { body, style: STYLE, ...(script !== null && { script }) };
}

/** The invoice that the page opens inside Telegram; null: none. */
function findInvoice({ paymentOptions }: Pick<OrderPage, 'paymentOptions'>, { place }: OrderRequest): string | null {
  const links = paymentOptions.flatMap(({ kind, payUrl }) => (kind === 'stars' && payUrl !== null ? [payUrl] : []));
  return place === 'telegram' ? (links.map(findInvoiceSlug).find((slug) => slug !== null) ?? null) : null;
}

/** The address of a form of the page. */
function buildAction({ token, place }: OrderRequest, act: string): string {
  return `${token}/${act}${place === 'telegram' ? `?${IN_TELEGRAM}` : ''}`;
}

/** The link to the subscription, if nothing is left to pay. */
function renderReturn({ state, subscriptionUrl }: OrderPage, { place }: OrderRequest, language: Language): string {
  if (state === 'unpaid' || subscriptionUrl === null) return '';
  const text = hostTexts(language, 'subscription')('order.toSubscription');
  const query = place === 'telegram' ? `?${IN_TELEGRAM}` : '';
  return `<p><a class="support" href="${escapeHtml(subscriptionUrl)}${query}">${escapeHtml(text)}</a></p>`;
}

/** Content and price of the order; if it is paid, also the time and the new term. */
function renderFacts(order: OrderPage, { timeZone }: SettingValues, language: Language): string {
  const t = hostTexts(language, 'subscription');
  const { tag } = languageEntry(language);
  const day = (at: number) => formatDay(at, language, timeZone);
  const { paid, until, startsLater, refundedAt } = order;
  const facts: (readonly [name: string, figure: string, more?: string | undefined])[] = [
    [t('order.what'), soldText(order, language), `${order.tariff} · ${order.offer}`],
  ];
  const formatPrices = (prices: OrderPage['prices']) => prices.map((price) => formatMoney(price, tag)).join(' · ');
  const { promo } = order;
  if (promo !== null) facts.push([t('order.promo'), promo.code, promoText(promo.effect, language)]);
  if (paid === null) {
    const full =
      promo?.effect.kind === 'percent' ? t('order.insteadOf', { prices: formatPrices(promo.prices) }) : undefined;
    facts.push([t('order.price'), formatPrices(order.prices), full]);
  } else if (order.isTrial) facts.push([t('order.price'), t('order.free')]);
  else facts.push([t('order.paid'), formatMoney(paid, tag), day(paid.at)]);
  if (refundedAt !== null) facts.push([t('order.refunded'), t('order.refundedOn', { day: day(refundedAt) })]);
  else if (until !== null) facts.push([t('page.term'), day(until)]);
  else if (startsLater) facts.push([t('page.term'), t('page.startsLater')]);
  return facts
    .map(([name, figure, more]) => {
      const quiet = more === undefined ? '' : `<p class="quiet">${escapeHtml(more)}</p>`;
      return `<div><dt>${escapeHtml(name)}</dt><dd><div class="figure">${escapeHtml(figure)}</div>${quiet}</dd></div>`;
    })
    .join('');
}

export function promoText(effect: NonNullable<OrderPage['promo']>['effect'], language: Language): string {
  const t = hostTexts(language, 'subscription');
  if (effect.kind === 'percent') return t('order.promoPercent', { percent: effect.percent });
  return t('order.promoMore', { more: soldText({ sold: effect }, language) });
}

export function soldText({ sold }: Pick<OrderPage, 'sold'>, language: Language): string {
  const t = hostTexts(language, 'subscription');
  if (sold.kind === 'days') return t('order.sold.days', { count: sold.days });
  if (sold.kind === 'months') return t('order.sold.months', { count: sold.months });
  const amount = formatBytes(sold.bytes, language);
  if (sold.kind === 'traffic_days') return t('order.sold.traffic_days', { amount, count: sold.days });
  return t(`order.sold.traffic_${sold.lifetime}`, { amount });
}

function renderPayment(order: OrderPage, request: OrderRequest, language: Language): string {
  const { paymentOptions, canPoll, promo } = order;
  const { place } = request;
  const t = hostTexts(language, 'subscription');
  const { tag } = languageEntry(language);
  const buttons = paymentOptions.map(({ providerId, kind, isTest, price, needsEmail, payUrl }, index) => {
    const method = t(isTest ? `order.testWay.${kind}` : `order.way.${kind}`);
    const text = `<span>${escapeHtml(method)}</span> <b>${escapeHtml(formatMoney(price, tag))}</b>`;
    const slug = place === 'telegram' && kind === 'stars' && payUrl !== null ? findInvoiceSlug(payUrl) : null;
    if (slug !== null) {
      return `<li><a class="button way" href="${escapeHtml(payUrl ?? '')}" data-slug="${slug}">${text}</a></li>`;
    }
    const action = buildAction(request, `open/${providerId}/${price.currency}`);
    const email = needsEmail ? renderEmail(`email-${index}`, language) : '';
    return `<li><form method="post" action="${action}">${email}<button class="way">${text}</button></form></li>`;
  });
  const ask = `<form class="ask" method="post" action="${buildAction(request, 'ask')}"><p class="quiet">${escapeHtml(t('order.askHint'))}</p><button class="plain">${escapeHtml(t('order.ask'))}</button></form>`;
  const isAllTest = paymentOptions.length > 0 && paymentOptions.every(({ isTest }) => isTest);
  const isAllStars = place === 'telegram' && paymentOptions.every(({ kind }) => kind === 'stars');
  const hint = paymentOptions.length === 0 ? 'order.none' : isAllTest ? 'order.leavesTest' : 'order.leaves';
  return `<section class="card" aria-labelledby="pay"><h2 id="pay">${escapeHtml(t('order.pay'))}</h2>
${isAllStars && paymentOptions.length > 0 ? '' : `<p class="quiet">${escapeHtml(t(hint))}</p>`}
${paymentOptions.length === 0 ? '' : `<ul>${buttons.join('')}</ul>${renderPromo(promo, request, language)}`}
${canPoll ? ask : ''}
</section>`;
}

/** The field for the e-mail address of the receipt. */
function renderEmail(id: string, language: Language): string {
  const label = escapeHtml(hostTexts(language, 'subscription')('order.email'));
  return `<label for="${id}">${label}</label>
<input id="${id}" name="email" type="email" required maxlength="200" autocomplete="email">`;
}

/** The field for a promo code, or the button that removes it. */
function renderPromo(promo: OrderPage['promo'], request: OrderRequest, language: Language): string {
  const t = hostTexts(language, 'subscription');
  if (promo !== null) {
    const text = escapeHtml(t('order.promoRemove', { code: promo.code }));
    return `<form class="ask" method="post" action="${buildAction(request, 'no-promo')}"><button class="plain">${text}</button></form>`;
  }
  return `<form class="ask promo" method="post" action="${buildAction(request, 'promo')}"><label for="code">${escapeHtml(t('order.promoLabel'))}</label>
<input id="code" name="code" required maxlength="64" autocomplete="off" autocapitalize="characters" spellcheck="false"><button class="plain">${escapeHtml(t('order.promoUse'))}</button></form>`;
}
