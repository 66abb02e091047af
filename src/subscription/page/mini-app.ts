// Pages of the Mini App besides the subscription page: one that sends Telegram's signed data, and one that explains why they were refused.
import type { MiniAppRefusal } from '../../core/ports/bot.ts';
import type { LinkSettings } from '../../core/ports/settings.ts';
import { dropVariables } from '../../domain/subscription/variables.ts';
import { hostTexts } from '../../i18n/host.ts';
import { chooseLanguage } from '../../i18n/languages.ts';
import { escapeHtml, type Page, preferredLanguages, renderHead } from './page.ts';
import { STYLE } from './style.ts';

/** Telegram passes the data in the fragment, which browsers do not send: the page sends it, and removes it from its address. */
const SCRIPT = `
const given = new URLSearchParams(location.hash.slice(1)).get('tgWebAppData');
if (given) {
  const form = document.getElementById('signin');
  form.elements.init_data.value = given;
  history.replaceState(null, '', location.pathname);
  form.submit();
} else {
  document.getElementById('opening').hidden = true;
  document.getElementById('outside').hidden = false;
}
`;

export interface MiniAppRequest {
  /** The Accept-Language header. */
  readonly acceptLanguage: string | undefined;
  /** null: nothing was sent yet. */
  readonly refusal: MiniAppRefusal | null;
}

export function renderMiniApp(settings: LinkSettings, { acceptLanguage, refusal }: MiniAppRequest): Page {
  const language = chooseLanguage([...preferredLanguages(acceptLanguage), settings.language]);
  const t = hostTexts(language, 'subscription');
  const title = escapeHtml(dropVariables(settings.subscriptionTitle));
  const text = (key: 'opening' | 'outside' | MiniAppRefusal) => escapeHtml(t(`miniApp.${key}`));
  const opening = `<p class="card" id="opening" role="status">${text('opening')}</p>
<p class="card" id="outside" role="status" hidden>${text('outside')}</p>
<noscript><p class="card">${text('outside')}</p></noscript>
<form id="signin" method="post"><input type="hidden" name="init_data"></form>`;
  const body = `${renderHead(title, language)}<body class="order">
<header><h1>${title}</h1></header>
<main>
${refusal === null ? opening : `<p class="card" role="status">${text(refusal)}</p>`}
</main>
${refusal === null ? `<script>${SCRIPT}</script>` : ''}
</body>
</html>
`;
  return { body, inline: { style: STYLE, script: SCRIPT } };
}
