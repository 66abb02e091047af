// The guides match the adapters: credentials of the forms, permissions, events, currencies and smallest amounts. The documentation repeats their
// texts.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createTestClock, createTestTimers } from '../../tests/support/clock.ts';
import { openStripe } from '../../tests/support/providers/stripe.ts';
import { createOutboundAgent } from '../adapters/outbound-agent.ts';
import { createOutboundClient } from '../adapters/outbound-client.ts';
import { PROVIDER_FIELDS, PROVIDER_KINDS, permissionNames } from '../contract/sales/providers.ts';
import { fromDecimal } from '../domain/sales/money.ts';
import { LANGUAGES } from '../i18n/languages.ts';
import { loadGuides, loadPageTexts } from '../i18n/page-texts.ts';
import { CLIENT_BOUNDS, createProviders, providerFacts } from './providers.ts';

const loaded = await Promise.all(
  LANGUAGES.map(async ({ code }) => ({
    code,
    guides: await loadGuides(code),
    texts: (await loadPageTexts(code)).settings.payments,
  })),
);

describe.each(loaded)('$code', ({ guides, texts }) => {
  it('names the switch of webhooks as the form does', () => {
    for (const guide of [guides.crypto_pay, guides.heleket, guides.webhooks])
      expect(guide).toContain(`**${texts.hook.label}**`);
  });

  it.each(PROVIDER_KINDS)('%s: names each credential as the form does', (kind) => {
    const labels: Readonly<Record<string, string>> = texts.fields;
    for (const { name } of PROVIDER_FIELDS[kind]) expect(guides[kind]).toContain(`**${labels[name]}**`);
  });
});

describe.each(loaded)('in $code', ({ guides }) => {
  it('Stripe: the permissions that a key needs, and the events that are read', async () => {
    for (const permission of permissionNames().split(', ')) expect(guides.stripe).toContain(permission);
    await using fake = await openStripe();
    const client = createOutboundClient({
      timers: createTestTimers(),
      ...CLIENT_BOUNDS,
      proxyAgent: async (...to) => createOutboundAgent(...to),
    });
    const after = (_ms: number, work: () => void) => {
      queueMicrotask(work);
      return () => undefined;
    };
    const providers = createProviders({ client, clock: createTestClock(Date.now()), timers: { after } });
    const { kind, fields, root: apiRoot } = fake;
    await providers.since({ id: 1, kind, fields, apiRoot, isTest: true, allowPrivate: true, proxy: null }, null);
    providers.close();
    const types = fake.requests.find(({ path }) => path.endsWith('/events'))?.query.getAll('types[]') ?? [];
    const named = [...guides.stripe.matchAll(/`([a-z_]+\.[a-z_.]+)`/g)].map(([, type]) => type);
    expect(named.toSorted()).toEqual(types.toSorted());
    expect(named.length).toBeGreaterThan(5);
  });

  it('the currencies that Crypto Pay takes', () => {
    const [found = ''] = /^(?:[A-Z]{3} ){5}[A-Z ]+/m.exec(guides.crypto_pay) ?? [];
    expect(found.trim().split(' ').toSorted()).toEqual(Object.keys(providerFacts('crypto_pay').prices).toSorted());
  });

  it.each(['stripe', 'yookassa', 'stars'] as const)('%s: the smallest amounts', (kind) => {
    const { minimums } = providerFacts(kind);
    if (kind !== 'stripe') return expect(Object.values(minimums)).toEqual([kind === 'stars' ? 1 : 100]);
    const named = [...guides.stripe.matchAll(/\b([A-Z]{3}) (\d[\d.]*\d)/g)];
    expect(named.length).toBeGreaterThan(10);
    for (const [, currency = '', amount = ''] of named)
      expect(fromDecimal(amount, currency), currency).toBe(minimums[currency]);
  });
});

it('the documentation has the English guides word for word', () => {
  const docs = readFileSync(new URL('../../docs/payments.md', import.meta.url), 'utf8');
  for (const text of Object.values(loaded[0]?.guides ?? {})) {
    // Headings are one level lower there, below the heading of the provider.
    expect(docs).toContain(text.trim().replaceAll(/^## /gm, '#### '));
  }
});
