// Pages with a link to the bot, to be opened here or scanned by a phone with Telegram: one links an account to a subscription, one is for friends.
import type { FriendLink, Invitation } from '../../core/ports/bot.ts';
import type { SettingValues } from '../../core/ports/settings.ts';
import { dropVariables } from '../../domain/subscription/variables.ts';
import { hostTexts } from '../../i18n/host.ts';
import { chooseLanguage, type Language, languageEntry } from '../../i18n/languages.ts';
import type { RenderedOrder } from './order-page.ts';
import { escapeHtml, preferredLanguages, renderHead, renderQr } from './page.ts';
import { STYLE } from './style.ts';

export interface TelegramRequest {
  /** The Accept-Language header. */
  readonly acceptLanguage: string | undefined;
}

export function renderTelegram(
  { url }: Pick<Invitation, 'url'>,
  settings: SettingValues,
  { acceptLanguage }: TelegramRequest,
): RenderedOrder {
  const language = chooseLanguage([...preferredLanguages(acceptLanguage), settings.language]);
  const t = hostTexts(language, 'subscription');
  return linkPage(url, settings, language, {
    title: t('telegram.title'),
    hint: t('telegram.hint'),
    qr: t('telegram.qr'),
    open: t('page.openTelegram'),
  });
}

export function renderFriends(
  { url, referrerDays, friendDays }: FriendLink,
  settings: SettingValues,
  { acceptLanguage }: TelegramRequest,
): RenderedOrder {
  const language = chooseLanguage([...preferredLanguages(acceptLanguage), settings.language]);
  const t = hostTexts(language, 'subscription');
  const format = { style: 'unit', unit: 'day', unitDisplay: 'long' } as const;
  const friend = new Intl.NumberFormat(languageEntry(language).tag, format).format(friendDays);
  return linkPage(url, settings, language, {
    title: t('friends.title'),
    hint: t('friends.hint', { count: referrerDays, friend }),
    qr: t('friends.qr'),
    open: t('friends.open'),
  });
}

interface LinkTexts {
  readonly title: string;
  readonly hint: string;
  readonly qr: string;
  readonly open: string;
}

function linkPage(url: string, settings: SettingValues, language: Language, texts: LinkTexts): RenderedOrder {
  const title = escapeHtml(texts.title);
  const body = `${renderHead(`${title} · ${escapeHtml(dropVariables(settings.subscriptionTitle))}`, language)}<body class="order">
<header><h1>${escapeHtml(dropVariables(settings.subscriptionTitle))}</h1></header>
<main>
<section class="card telegram" aria-labelledby="telegram"><h2 id="telegram">${title}</h2>
<p class="quiet">${escapeHtml(texts.hint)}</p>
${renderQr(url, texts.qr)}
<code>${escapeHtml(url)}</code>
<a class="button" href="${escapeHtml(url)}" rel="noreferrer">${escapeHtml(texts.open)}</a>
</section>
</main>
</body>
</html>
`;
  return { body, style: STYLE };
}
