// The page of the test provider, below the sub path: `test-pay/<session>`. A buyer pays there, or tries other outcomes of a payment.

import type { Core } from '../core/kernel/core.ts';
import type { SettingValues } from '../core/ports/settings.ts';
import { formatMoney } from '../domain/sales/money.ts';
import { dropVariables } from '../domain/subscription/variables.ts';
import { newCallState } from '../door/call.ts';
import { pageReply, redirectTo } from '../door/checkout.ts';
import type { LinkDoor } from '../door/subscription.ts';
import { hostTexts } from '../i18n/host.ts';
import { chooseLanguage, languageEntry } from '../i18n/languages.ts';
import { stripeAmounts } from '../payments/stripe-amounts.ts';
import type { RenderedOrder } from '../subscription/page/order-page.ts';
import { escapeHtml, preferredLanguages, renderHead } from '../subscription/page/page.ts';
import { STYLE } from '../subscription/page/style.ts';
import type { FakeSession } from './fake-stripe.ts';
import { TEST_ACTS, type TestAct, type TestProvider } from './test-provider.ts';

export const TEST_PAGE = 'test-pay';
const PAGE = new RegExp(`^/${TEST_PAGE}/(cs_test_[A-Za-z0-9_-]{32})(?:/(${TEST_ACTS.join('|')}))?$`);
/** Actions after which the buyer is led back to the page of the order. */
const LEAD_BACK: ReadonlySet<TestAct> = new Set(['pay', 'less', 'more', 'other', 'fail', 'expire', 'late']);

export interface TestPageParts {
  readonly provider: Pick<TestProvider, 'session' | 'acts' | 'act' | 'hook'>;
  readonly core: Pick<Core, 'settings' | 'shop'>;
  /** The token by which a webhook finds its account; null: the account has no webhook. */
  hookToken(): string | null;
}

export function createTestPage({ provider, core, hookToken }: TestPageParts): LinkDoor {
  /** Sends a webhook to the panel, as a provider does. A lost one is still in the list of events. */
  async function report(session: FakeSession): Promise<void> {
    const token = hookToken();
    if (token !== null) await core.shop.hint(token, provider.hook(session)).catch(() => false);
  }

  return {
    isOwn: (path) => PAGE.test(path),
    answer({ id, isStray, method, path, headers }) {
      const [, sessionId = '', requestedAct] = PAGE.exec(path) ?? [];
      const session = isStray ? undefined : provider.session(sessionId);
      if (!session || (requestedAct === undefined ? method !== 'GET' : method !== 'POST')) return null;
      const state = newCallState(id, method);
      state.route = 'order';
      if (requestedAct === undefined) {
        const page = renderTestPage(session, provider.acts(session), core.settings(), headers['accept-language']);
        return pageReply(state, page);
      }
      const act = provider.acts(session).find((one) => one === requestedAct);
      const isBack = act !== undefined && LEAD_BACK.has(act) && session.returnUrl?.endsWith('?back');
      if (act !== undefined) provider.act(session, act);
      const reply = redirectTo(state, isBack ? (session.returnUrl ?? '') : `../${sessionId}`);
      return act === undefined ? reply : report(session).then(() => reply);
    },
  };
}

function renderTestPage(
  session: FakeSession,
  acts: readonly TestAct[],
  settings: Pick<SettingValues, 'language' | 'subscriptionTitle'>,
  acceptLanguage: string | undefined,
): RenderedOrder {
  const language = chooseLanguage([...preferredLanguages(acceptLanguage), settings.language]);
  const t = hostTexts(language, 'subscription');
  const { id, title = '', amount, currency, state, refunded, isDisputed = false, returnUrl = '' } = session;
  const isPaid = state === 'paid';
  const shown = !isPaid ? state : refunded !== '0' ? 'refunded' : isDisputed ? 'disputed' : 'paid';
  const code = currency.toUpperCase();
  const money = { amount: stripeAmounts.read(amount, code) ?? 0, currency: code };
  const price = formatMoney(money, languageEntry(language).tag);
  const fact = (name: string, figure: string) =>
    `<div><dt>${escapeHtml(name)}</dt><dd><div class="figure">${escapeHtml(figure)}</div></dd></div>`;
  const buttons = acts.map((act) => {
    const classAttribute = act === 'pay' ? '' : ' class="plain"';
    const text = escapeHtml(t(`test.act.${act}`, { amount: price }));
    return `<li><form method="post" action="${id}/${act}"><button${classAttribute}>${text}</button></form></li>`;
  });
  const back = returnUrl.endsWith('?back')
    ? `<p><a class="support" href="${escapeHtml(returnUrl)}">${escapeHtml(t('test.back'))}</a></p>`
    : '';
  const body = `${renderHead(`${escapeHtml(t('test.title'))} · ${escapeHtml(dropVariables(settings.subscriptionTitle))}`, language)}<body class="order">
<header><h1>${escapeHtml(t('test.title'))}</h1><span class="pill ${isPaid && shown === 'paid' ? 'good' : 'warn'}">${escapeHtml(t(`test.state.${shown}`))}</span>
<p class="notice warn">${escapeHtml(t('test.hint'))}</p>
</header>
<main>
<section class="card" aria-labelledby="what"><h2 id="what">${escapeHtml(title)}</h2><dl>${fact(t('order.price'), price)}</dl></section>
<section class="card" aria-labelledby="acts"><h2 id="acts">${escapeHtml(t('test.acts'))}</h2><ul>${buttons.join('')}</ul></section>
${back}
</main>
</body>
</html>
`;
  return { body, style: STYLE };
}
