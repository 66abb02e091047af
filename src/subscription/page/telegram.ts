// The page with the link that ties a Telegram account to a subscription: to be opened here, or scanned by the phone that has Telegram.
import type { Invitation } from '../../core/ports/bot.ts';
import type { SettingValues } from '../../core/ports/settings.ts';
import { hostTexts } from '../../i18n/host.ts';
import { chooseLanguage } from '../../i18n/languages.ts';
import type { RenderedOrder } from './order.ts';
import { escapeHtml, headOf, preferredLanguages, qrOf } from './page.ts';
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
  const title = escapeHtml(t('telegram.title'));
  const body = `${headOf(`${title} · ${escapeHtml(settings.subscriptionTitle)}`, language)}<body class="order">
<header><h1>${escapeHtml(settings.subscriptionTitle)}</h1></header>
<main>
<section class="card telegram" aria-labelledby="telegram"><h2 id="telegram">${title}</h2>
<p class="quiet">${escapeHtml(t('telegram.hint'))}</p>
${qrOf(url, t('telegram.qr'))}
<a class="button" href="${escapeHtml(url)}" rel="noreferrer">${escapeHtml(t('page.openTelegram'))}</a>
</section>
</main>
</body>
</html>
`;
  return { body, style: STYLE };
}
