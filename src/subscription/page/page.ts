// The format `html`: the subscription page for browsers. One document that loads nothing and works without its script.
import encodeQr from 'qr';
import { type OfferedApp, SYSTEMS, type System } from '../../contract/subscription/apps.ts';
import { DEFAULT_APPS } from '../../contract/subscription/default-apps.ts';
import type { UserState } from '../../contract/users/users.ts';
import type { Offered, Subscription } from '../../core/kernel/core.ts';
import type { LinkSettings } from '../../core/ports/settings.ts';
import type { ClientCore } from '../../domain/nodes/compatibility.ts';
import { formatMoney } from '../../domain/sales/money.ts';
import { IN_TELEGRAM } from '../../domain/sales/shop-place.ts';
import { formatBytes } from '../../i18n/bytes.ts';
import { hostTexts } from '../../i18n/host.ts';
import { chooseLanguage, type Language, languageEntry } from '../../i18n/languages.ts';
import { computeKeys, describeReason, isKnownToFail, listEntries } from '../entries.ts';
import { formatDay } from '../format-day.ts';
import { validUrl } from '../headers.ts';
import { plain } from '../links.ts';
import { shareLink } from '../share-links.ts';
import { fillSettings } from '../variables.ts';
import { wireguard } from '../wireguard.ts';
import { buildAppLink, detectSystem, findStore, SYSTEM_NAMES } from './apps.ts';
import { SCRIPT, STYLE } from './style.ts';

export interface PageRequest {
  readonly userAgent?: string | undefined;
  /** The Accept-Language header. */
  readonly acceptLanguage?: string | undefined;
  /** The raw `connection` of the query: the key of the connection of a file, or of a page with its code. */
  readonly connection?: string | undefined;
  /** Epoch ms. */
  readonly now: number;
  /** Why a purchase was refused; null or left out: none was. */
  readonly notice?: 'refused' | 'wait' | null;
  /** Whether the page is shown inside Telegram. */
  readonly isInTelegram?: boolean;
}

export interface Page {
  readonly body: string;
  /** Its inline style and script, for the content security policy. */
  readonly inline: { readonly style: string; readonly script: string };
}

const DAY_MS = 86_400_000;

export function renderPage(sub: Subscription, settings: LinkSettings, request: PageRequest): Page {
  const language = chooseLanguage([...preferredLanguages(request.acceptLanguage), settings.language]);
  const title = escapeHtml(settings.subscriptionTitle);
  const own = request.connection === undefined ? null : renderServerPages(sub, settings, request, language);
  if (own !== null) return own;
  const { state } = sub.user;
  const tone = state === 'active' || state === 'on_hold' ? 'good' : state === 'limited' ? 'warn' : 'bad';
  const reason = sub.canConnect && sub.inbounds.length > 0 ? null : describeReason(sub, { ...settings, language });
  const offered = sub.offers(request.isInTelegram ? 'telegram' : 'page');
  const announcement = settings.announcement.trim();
  const body = `${renderHead(title, language)}<body>
<header><h1>${title}</h1><span class="pill ${tone}">${escapeHtml(plainText(language, `page.state.${state}`))}</span>
${request.notice ? `<p class="notice warn" role="status">${escapeHtml(plainText(language, `page.notice.${request.notice}`))}</p>` : ''}
${reason === null ? '' : `<p class="notice ${tone === 'good' ? 'warn' : tone}">${escapeHtml(reason)}</p>`}
${renderNextStep(sub, language, offered)}
${announcement === '' ? '' : `<p class="notice">${escapeHtml(announcement)}</p>`}
</header>
<main>
<section class="card" aria-label="${escapeHtml(plainText(language, 'page.account'))}"><dl>${renderAccount(sub, settings, language, request.now)}</dl></section>
${renderShop(sub, offered, language, request.isInTelegram)}${renderTelegram(sub, language, request.isInTelegram)}${getAppsSection(sub, settings, detectSystem(request.userAgent), language)}
${renderServersLink(sub, language)}</section>
${renderWireguard(sub, settings, language, request.now)}</main>
<script>${SCRIPT}</script>
</body>
</html>
`;
  return { body, inline: { style: STYLE, script: SCRIPT } };
}

/** The page for the administrator: as on a phone, without its script. */
export function previewPage(sub: Subscription, settings: LinkSettings, now: number): string {
  return renderPage(sub, fillSettings(sub, settings, now), { now, userAgent: 'Android' }).body.replace(
    `<script>${SCRIPT}</script>`,
    '',
  );
}

/** What the user can do in this state. */
function renderNextStep(
  { user: { state }, canConnect, inbounds: connections }: Subscription,
  language: Language,
  offered: readonly Offered[],
): string {
  const stopped = offered.length > 0 && state !== 'disabled' ? 'buy' : state === 'limited' ? 'traffic' : 'ask';
  const todo = canConnect ? (connections.length > 0 ? 'refresh' : 'wait') : stopped;
  return `<p class="quiet">${escapeHtml(plainText(language, `page.todo.${todo}`))}</p>`;
}

type PlainKey =
  | `page.state.${UserState}`
  | `page.todo.${'refresh' | 'wait' | 'traffic' | 'buy' | 'ask'}`
  | `page.notice.${'refused' | 'wait'}`
  | 'page.account'
  | 'page.servers'
  | 'page.devices'
  | 'page.never'
  | 'page.startsLater'
  | 'page.term'
  | 'page.traffic'
  | 'page.unlimited';

const plainTexts = new Map<string, string>();

/** A text without parameters, cached and escaped: that takes as long as the rest of a page. */
function plainText(language: Language, key: PlainKey): string {
  const id = `${language} ${key}`;
  let text = plainTexts.get(id);
  if (text === undefined) {
    text = hostTexts(language, 'subscription')(key);
    plainTexts.set(id, text);
  }
  return text;
}

/** Traffic, term and devices. */
function renderAccount({ user, total }: Subscription, settings: LinkSettings, language: Language, now: number): string {
  const t = hostTexts(language, 'subscription');
  const plain = (key: PlainKey) => plainText(language, key);
  const day = (at: number) => formatDay(at, language, settings.timeZone);
  const used = user.usedUp + user.usedDown;
  const rows: string[] = [];
  const fact = (name: string, figure: string, more: readonly string[]) =>
    rows.push(
      `<div><dt>${escapeHtml(name)}</dt><dd><div class="figure">${escapeHtml(figure)}</div>${more.join('')}</dd></div>`,
    );
  const quiet = (text: string) => `<p class="quiet">${escapeHtml(text)}</p>`;

  const traffic: string[] = [];
  if (total !== null) {
    const percentUsed = total === 0 ? 100 : Math.min(100, Math.floor((used / total) * 100));
    traffic.push(
      `<progress max="100" value="${percentUsed}" aria-label="${escapeHtml(plain('page.traffic'))}"></progress>`,
    );
    traffic.push(quiet(t('page.left', { left: formatBytes(Math.max(0, total - used), language) })));
  } else {
    traffic.push(quiet(plain('page.unlimited')));
  }
  if (user.resetsAt !== null) traffic.push(quiet(t('page.resets', { day: day(user.resetsAt) })));
  const figures = { used: formatBytes(used, language), total: formatBytes(total ?? 0, language) };
  fact(plain('page.traffic'), t(total === null ? 'page.used' : 'page.usedOf', figures), traffic);

  const { expiresAt } = user;
  if (expiresAt === null) {
    fact(plain('page.term'), plain(user.state === 'on_hold' ? 'page.startsLater' : 'page.never'), []);
  } else {
    const count = Math.ceil((expiresAt - now) / DAY_MS);
    fact(plain('page.term'), day(expiresAt), count > 0 ? [quiet(t('page.days', { count }))] : []);
  }
  if (user.deviceLimit !== null) fact(plain('page.devices'), t('page.meantFor', { count: user.deviceLimit }), []);
  return rows.join('');
}

/** The offers: a form with a field for a promo code, and buttons that lead to the page of an order. */
function renderShop(
  { user }: Subscription,
  offered: readonly Offered[],
  language: Language,
  isInTelegram = false,
): string {
  if (offered.length === 0) return '';
  const t = hostTexts(language, 'subscription');
  const renderOfferList = (title: string, own: readonly Offered[]) => {
    if (own.length === 0) return '';
    const rows = own.map(({ id, name, price, isTrial }) => {
      const amount = isTrial ? t('order.free') : formatMoney(price, languageEntry(language).tag);
      const action = `${encodeURIComponent(user.token)}/buy/${id}${isInTelegram ? `?${IN_TELEGRAM}` : ''}`;
      return `<li><span class="name">${escapeHtml(name)}</span><button formaction="${action}" aria-label="${escapeHtml(`${name}, ${amount}`)}">${escapeHtml(amount)}</button></li>`;
    });
    return `<h2>${escapeHtml(title)}</h2><ul>${rows.join('')}</ul>`;
  };
  const paid = offered.filter(({ isTrial }) => !isTrial);
  const trials = renderOfferList(
    t('page.try'),
    offered.filter(({ isTrial }) => isTrial),
  );
  const lists = [
    renderOfferList(
      t('page.renew'),
      paid.filter(({ sold }) => sold.kind === 'days' || sold.kind === 'months'),
    ),
    renderOfferList(
      t('page.addTraffic'),
      paid.filter(({ sold }) => 'bytes' in sold),
    ),
  ];
  // Enter in the field presses the first button, which must not buy anything.
  const none = '<button disabled hidden></button>';
  const code = `<p class="promo"><label for="code">${escapeHtml(t('page.promoLabel'))}</label><input id="code" name="code" maxlength="64" autocomplete="off" autocapitalize="characters" spellcheck="false"></p>`;
  const forms = [
    ...(trials === '' ? [] : [`<form method="post">${trials}</form>`]),
    ...(paid.length === 0 ? [] : [`<form method="post">${none}${lists.join('')}${code}</form>`]),
  ];
  return `<section class="card buy">${forms.join('')}</section>\n`;
}

/** The link to the bot: a form that creates a one-time link, or the bot if the user is linked already. Inside Telegram only the link for friends. */
function renderTelegram({ user, bot }: Subscription, language: Language, isInTelegram = false): string {
  const found = bot();
  if (found === null) return '';
  const t = hostTexts(language, 'subscription');
  const act = found.isLinked
    ? `<a class="button plain" href="https://t.me/${encodeURIComponent(found.username)}" rel="noreferrer">${escapeHtml(t('page.openTelegram'))}</a>`
    : `<form method="post" action="${encodeURIComponent(user.token)}/telegram"><button class="plain">${escapeHtml(t('page.openTelegram'))}</button></form>`;
  const friends = found.hasFriends
    ? `<h2>${escapeHtml(t('page.friends'))}</h2><p class="quiet">${escapeHtml(t('page.friendsHint'))}</p><form method="post" action="${encodeURIComponent(user.token)}/friends"><button class="plain">${escapeHtml(t('page.friends'))}</button></form>`
    : '';
  if (isInTelegram) return friends === '' ? '' : `<section class="card telegram">${friends}</section>\n`;
  return `<section class="card telegram"><h2>Telegram</h2><p class="quiet">${escapeHtml(t(found.isLinked ? 'page.telegramTied' : 'page.telegram'))}</p>${act}${friends}</section>\n`;
}

/** Cache of the parts that are the same for a user and system, because QR codes and texts take milliseconds. */
const offers = new Map<string, string>();
let offeredApps: readonly OfferedApp[] = DEFAULT_APPS;
const MAX_OFFERS = 200;

/** Number of the user's connections that work in apps on each program, as far as is known. */
interface Working {
  readonly total: number;
  readonly byCore: Readonly<Record<ClientCore, number>>;
}

function countWorking({ inbounds: connections }: Subscription): Working {
  const count = (core: ClientCore) =>
    connections.filter(({ inbound, engine }) => !isKnownToFail(engine, core, inbound)).length;
  const byCore = { xray: count('xray'), 'sing-box': count('sing-box'), mihomo: count('mihomo') };
  return { total: connections.length, byCore };
}

function getAppsSection(
  sub: Subscription,
  settings: Pick<LinkSettings, 'subscriptionTitle' | 'supportUrl' | 'subscriptionApps'>,
  system: System,
  language: Language,
): string {
  const { url } = sub;
  const apps = settings.subscriptionApps ?? DEFAULT_APPS;
  // Settings are values: a change makes another list.
  if (apps !== offeredApps) offers.clear();
  offeredApps = apps;
  const working = countWorking(sub);
  const key = JSON.stringify([url, settings.subscriptionTitle, settings.supportUrl, system, language, working]);
  let offer = offers.get(key);
  if (offer === undefined) {
    offer = makeOffer(url, settings, apps, system, language, working);
    const oldest = offers.size >= MAX_OFFERS ? offers.keys().next().value : undefined;
    if (oldest !== undefined) offers.delete(oldest);
    offers.set(key, offer);
  }
  return offer;
}

/** The apps, and the link with its code. The card is not closed, because more content follows. */
function makeOffer(
  url: string,
  { subscriptionTitle, supportUrl }: Pick<LinkSettings, 'subscriptionTitle' | 'supportUrl'>,
  apps: readonly OfferedApp[],
  system: System,
  language: Language,
  working: Working,
): string {
  const t = hostTexts(language, 'subscription');
  const support = validUrl(supportUrl);
  return `<section class="card connect">
<h2>${escapeHtml(t('page.connect'))}</h2>
<p class="quiet">${escapeHtml(t('page.steps'))}</p>
${renderSystemPicker(apps, { url, title: subscriptionTitle, chosen: system, language, working })}
${support === null ? '' : `<p><a class="support" href="${escapeHtml(support)}" rel="noreferrer">${escapeHtml(t('page.support'))}</a></p>`}
</section>
<section class="card link">
<h2>${escapeHtml(t('page.link'))}</h2>
${renderQr(url, t('page.qr'))}
<code id="link">${escapeHtml(url)}</code>
<button id="copy" type="button" data-said="${escapeHtml(t('page.copied'))}" hidden>${escapeHtml(t('page.copy'))}</button>
<p class="quiet" id="said" role="status"></p>
<p class="quiet">${escapeHtml(t('page.secret'))}</p>`;
}

/** A connection with its share link. */
interface Server {
  /** Key by which its page is requested. */
  readonly key: string;
  readonly name: string;
  readonly link: string;
}

/** The connections as share links. Without WireGuard, which has files. */
function listServers(sub: Subscription, settings: LinkSettings, now: number): readonly Server[] {
  const { entries, places } = listEntries(sub, settings, plain, now);
  const keys = computeKeys(places);
  return places.flatMap(({ inbound }, index) => {
    const entry = entries[index];
    if (entry === undefined || inbound.protocol === 'wireguard') return [];
    return [{ key: keys[index] ?? '', name: entry.name, link: shareLink(entry) }];
  });
}

/** `connection=list`: the page of all servers. */
const LIST = 'list';

/** The page of all servers or of one; null: unknown key. */
function renderServerPages(
  sub: Subscription,
  settings: LinkSettings,
  { connection, now }: PageRequest,
  language: Language,
): Page | null {
  const servers = listServers(sub, settings, now);
  const title = escapeHtml(settings.subscriptionTitle);
  if (connection === LIST && servers.length > 0) return renderServerList(sub, servers, title, language);
  const wanted = servers.find(({ key }) => key === connection);
  return wanted === undefined ? null : renderServer(sub, wanted, title, language);
}

/** The link to the page of all servers, which is separate because it takes longer to build than the rest of this page. */
function renderServersLink({ user, canConnect, inbounds: connections }: Subscription, language: Language): string {
  if (!canConnect || connections.every(({ inbound }) => inbound.protocol === 'wireguard')) return '';
  return `<a class="button plain servers" href="${pageAddress(user, LIST)}">${escapeHtml(plainText(language, 'page.servers'))}</a>\n`;
}

function pageAddress({ token }: Subscription['user'], connection?: string): string {
  const address = `${encodeURIComponent(token)}?format=html`;
  return connection === undefined ? address : `${address}&amp;connection=${connection}`;
}

function renderServerList({ user }: Subscription, servers: readonly Server[], title: string, language: Language): Page {
  const t = hostTexts(language, 'subscription');
  const rows = servers.map(({ key, name }) => {
    const label = escapeHtml(t('page.codeOf', { name }));
    return `<li><span class="name">${escapeHtml(name)}</span><a class="button plain" href="${pageAddress(user, key)}" aria-label="${label}">${escapeHtml(t('page.code'))}</a></li>`;
  });
  return renderOwnPage({
    title,
    heading: t('page.servers'),
    content: `<section class="card"><p class="quiet">${escapeHtml(t('page.serversHint'))}</p><ul>${rows.join('')}</ul></section>`,
    back: { address: pageAddress(user), text: t('page.back') },
    language,
    script: '',
  });
}

/** More does not fit into a code: a link with an ML-DSA-65 key is longer. */
const MAX_QR_BYTES = 2331;

/** The page of a server, with its code and link. */
function renderServer({ user }: Subscription, { name, link }: Server, title: string, language: Language): Page {
  const t = hostTexts(language, 'subscription');
  const hasCode = link.length <= MAX_QR_BYTES;
  return renderOwnPage({
    title,
    heading: name,
    content: `<section class="card link">
${hasCode ? renderQr(link, t('page.codeOf', { name })) : ''}
<code id="link">${escapeHtml(link)}</code>
<button id="copy" type="button" data-said="${escapeHtml(t('page.copied'))}" hidden>${escapeHtml(t('page.copy'))}</button>
<p class="quiet" id="said" role="status"></p>
<p class="quiet">${escapeHtml(t(hasCode ? 'page.serverHint' : 'page.serverLong'))}</p>
<p class="quiet">${escapeHtml(t('page.secret'))}</p>
</section>`,
    back: { address: pageAddress(user, LIST), text: t('page.servers') },
    language,
    script: SCRIPT,
  });
}

interface OwnPage {
  /** HTML. */
  readonly title: string;
  readonly heading: string;
  /** HTML. */
  readonly content: string;
  readonly back: { readonly address: string; readonly text: string };
  readonly language: Language;
  readonly script: string;
}

/** A separate page of the subscription. */
function renderOwnPage({ title, heading, content, back, language, script }: OwnPage): Page {
  const body = `${renderHead(title, language)}<body class="order">
<header><h1>${escapeHtml(heading)}</h1></header>
<main>
${content}
<a class="button plain" href="${back.address}">${escapeHtml(back.text)}</a>
</main>
${script === '' ? '' : `<script>${script}</script>\n`}</body>
</html>
`;
  return { body, inline: { style: STYLE, script } };
}

const { isOfOne: _isOfOne, ...everyWireguard } = wireguard;

/** The file and code of each connection of WireGuard, whose apps do not read links. */
function renderWireguard(sub: Subscription, settings: LinkSettings, language: Language, now: number): string {
  const { entries, places } = listEntries(sub, settings, everyWireguard, now);
  if (places.length === 0) return '';
  const t = hostTexts(language, 'subscription');
  const keys = computeKeys(places);
  const rows = entries.map((entry, index) => {
    const name = escapeHtml(entry.name);
    const address = `${encodeURIComponent(sub.user.token)}?format=wireguard&amp;connection=${keys[index]}`;
    const file = `<a class="button plain" href="${address}" download aria-label="${escapeHtml(t('page.fileOf', { name: entry.name }))}">${escapeHtml(t('page.file'))}</a>`;
    const code = renderQr(wireguard.write([entry], ''), t('page.codeOf', { name: entry.name }));
    return `<li><span class="name">${name}</span>${file}<details><summary>${escapeHtml(t('page.code'))}</summary>${code}</details></li>`;
  });
  return `<section class="card wireguard"><h2>WireGuard</h2><p class="quiet">${escapeHtml(t('page.wireguard'))}</p><ul>${rows.join('')}</ul></section>\n`;
}

interface PickerFacts {
  readonly url: string;
  readonly title: string;
  readonly chosen: System;
  readonly language: Language;
  readonly working: Working;
}

/** Selects the system by radio buttons and style, without a script. */
function renderSystemPicker(
  apps: readonly OfferedApp[],
  { url, title, chosen, language, working }: PickerFacts,
): string {
  const t = hostTexts(language, 'subscription');
  const choices = SYSTEMS.map(
    (system) =>
      `<input type="radio" name="system" id="s-${system}"${system === chosen ? ' checked' : ''}><label for="s-${system}">${SYSTEM_NAMES[system]}</label>`,
  );
  const button = (app: OfferedApp, kind: 'add' | 'install', href: string) =>
    `<a class="button${kind === 'install' ? ' plain' : ''}" href="${escapeHtml(href)}" rel="noreferrer" aria-label="${escapeHtml(t(`page.${kind}To`, { app: app.name }))}">${escapeHtml(t(`page.${kind}`))}</a>`;
  /** A note for an app in which not all of the user's connections work. */
  const limitText = ({ core }: OfferedApp) => {
    const count = core === null ? working.total : working.byCore[core];
    if (count === working.total) return '';
    const text = count === 0 ? t('page.appNone') : t('page.appSome', { count, total: working.total });
    return `<p class="quiet">${escapeHtml(text)}</p>`;
  };
  const lists = SYSTEMS.map((system) => {
    const rows = apps.flatMap((app) => {
      const install = findStore(app, system);
      if (install === undefined) return [];
      const actions = button(app, 'install', install) + button(app, 'add', buildAppLink(app, url, title));
      return `<li><span class="name">${escapeHtml(app.name)}${limitText(app)}</span><span class="actions">${actions}</span></li>`;
    });
    const hint = system === 'tv' ? `<p class="quiet">${escapeHtml(t('page.tvHint'))}</p>` : '';
    return `<div class="apps" id="a-${system}">${hint}<ul>${rows.join('')}</ul></div>`;
  });
  return `<fieldset><legend>${escapeHtml(t('page.device'))}</legend>${choices.join('')}${lists.join('')}</fieldset>`;
}

/** White modules around the code, which its standard requires. */
const QUIET = 4;

/** A QR code, dark on white in both themes, which all cameras can read. */
export function renderQr(url: string, label: string): string {
  return `<svg class="qr" role="img" aria-label="${escapeHtml(label)}" ${drawQr(url)}</svg>`;
}

function drawQr(url: string): string {
  const rows = encodeQr(url, 'raw', { ecc: 'medium', border: QUIET });
  const side = rows.length;
  let path = '';
  rows.forEach((row, y) => {
    for (let x = 0; x < row.length; x++) {
      if (!row[x]) continue;
      let end = x;
      while (row[end + 1]) end += 1;
      path += `M${x} ${y}h${end - x + 1}v1H${x}z`;
      x = end;
    }
  });
  return `viewBox="0 0 ${side} ${side}"><rect width="${side}" height="${side}" fill="#fff"/><path d="${path}" fill="#000" shape-rendering="crispEdges"/>`;
}

/** The languages of an Accept-Language header, the preferred one first. */
export function preferredLanguages(header: string | undefined): readonly string[] {
  if (header === undefined || header.length > 200) return [];
  const preferences = header.split(',').map((part) => {
    const [tag = '', ...parameters] = part.split(';').map((text) => text.trim());
    const quality = parameters.find((text) => text.startsWith('q='));
    return { tag, quality: quality === undefined ? 1 : Number(quality.slice(2)) };
  });
  return preferences
    .filter(({ quality }) => quality > 0)
    .toSorted((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag);
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.toWellFormed().replace(/[&<>"']/g, (char) => ESCAPES[char] ?? char);
}

/** The head of all pages. `title`: HTML. */
export function renderHead(title: string, language: Language): string {
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
`;
}
