// Signatures of webhooks: computed vectors, those of the fakes, and those of Stripe's own library.
import Stripe from 'stripe';
import { expect, it } from 'vitest';
import { openCryptoPay } from '../../tests/support/providers/crypto-pay.ts';
import type { FakeProvider } from '../../tests/support/providers/fake.ts';
import { openHeleket } from '../../tests/support/providers/heleket.ts';
import { openStripe } from '../../tests/support/providers/stripe.ts';
import { openYookassa } from '../../tests/support/providers/yookassa.ts';
import type { Adapter } from './adapter.ts';
import { cryptoPay } from './crypto-pay.ts';
import { heleket } from './heleket.ts';
import { stripe } from './stripe.ts';
import { yookassa } from './yookassa.ts';

const NOW = 1_700_000_000_000;

it('crypto pay: HMAC over the raw body with the digest of the token', () => {
  const raw =
    '{"update_id":1,"update_type":"invoice_paid","request_date":"2026-11-22T00:00:00.000Z","payload":{"invoice_id":7,"status":"paid","amount":"1.50","asset":"USDT","payload":"o_1"}}';
  const signature = '74deeb8c328c0ab18a1cd850d58008e0b4c9b243f412891b1fa96587529bf143';
  const hook = { fields: { api_token: '12345:AAtest' }, raw, now: NOW };
  expect(cryptoPay.hint?.({ ...hook, headers: { 'crypto-pay-api-signature': signature } })).toEqual({
    externalId: '7',
    token: 'o_1',
  });
  const other = { ...hook, fields: { api_token: '12345:AAother' } };
  expect(cryptoPay.hint?.({ ...other, headers: { 'crypto-pay-api-signature': signature } })).toBeNull();
  expect(cryptoPay.hint?.({ ...hook, headers: {} })).toBeNull();
});

it('stripe: HMAC over time and body, within five minutes, as its own library verifies it', () => {
  const raw = '{"id":"evt_1","object":"event","type":"checkout.session.completed"}';
  const vector = 't=1700000000,v1=670e223f19f12fb09ef0441261722546140dc296175e11939853a461c6642659';
  const session = { object: 'checkout.session', id: 'cs_1', client_reference_id: 'o_1' };
  const withSession = JSON.stringify({ id: 'evt_1', object: 'event', data: { object: session } });
  const ours = (body: string, header: string, now: number, secret = 'whsec_test') =>
    stripe.hint?.({ fields: { webhook_secret: secret }, raw: body, headers: { 'stripe-signature': header }, now });
  const theirs = (body: string, header: string, now: number, secret = 'whsec_test') => {
    try {
      return Stripe.webhooks.constructEvent(body, header, secret, 300, undefined, now).id;
    } catch {
      return null;
    }
  };
  expect(theirs(raw, vector, NOW)).toBe('evt_1');
  const made = Stripe.webhooks.generateTestHeaderString({
    payload: withSession,
    secret: 'whsec_test',
    timestamp: NOW / 1000,
  });
  expect(ours(withSession, made, NOW)).toEqual({ externalId: 'cs_1', token: 'o_1' });
  expect(theirs(withSession, made, NOW)).toBe('evt_1');
  const wrong: readonly Parameters<typeof ours>[] = [
    [`${withSession} `, made, NOW],
    [withSession, made, NOW, 'whsec_other'],
    [withSession, made, NOW + 301_000],
    [withSession, made.replace('v1=', 'v0='), NOW],
    [withSession, '', NOW],
  ];
  for (const given of wrong) expect([ours(...given), theirs(...given)]).toEqual([null, null]);
  const rotated = made.replace('v1=', `v1=${'0'.repeat(64)},v1=`);
  expect([ours(withSession, rotated, NOW), theirs(withSession, rotated, NOW)]).toEqual([
    { externalId: 'cs_1', token: 'o_1' },
    'evt_1',
  ]);
});

it('heleket: md5 over the text without its signature, as PHP writes it', () => {
  const raw = String.raw`{"uuid":"u-1","order_id":"заказ\/1","amount":"15.00","status":"paid","url":"https:\/\/x.y\/z","is_final":true,"from":null,"network":"tron"}`;
  const signed = `${raw.slice(0, -1)},"sign":"c07fc2393a8335a433315afbc5e47dee"}`;
  const hook = { fields: { payment_key: 'APIKEY' }, headers: {}, now: NOW };
  expect(heleket.hint?.({ ...hook, raw: signed })).toEqual({ externalId: 'u-1', token: 'заказ/1' });
  expect(heleket.hint?.({ ...hook, raw: signed.replace('15.00', '16.00') })).toBeNull();
  expect(heleket.hint?.({ ...hook, raw })).toBeNull();
});

const FAKES: readonly (readonly [Adapter, () => Promise<FakeProvider>, string])[] = [
  [cryptoPay, openCryptoPay, 'api_token'],
  [yookassa, openYookassa, ''],
  [stripe, openStripe, 'webhook_secret'],
  [heleket, openHeleket, 'payment_key'],
];

it.each(FAKES)('a webhook of a fake is known, and a text that is none is not', async (adapter, open, secret) => {
  await using fake = await open();
  const createdAt = Date.UTC(2026, 10, 20);
  const invoice = {
    id: '7',
    token: 'o_1',
    amount: '100',
    currency: 'USD',
    createdAt,
    state: 'open',
    refunded: '0',
  } as const;
  fake.invoices.push({ ...invoice });
  fake.pay('o_1');
  const hook = { ...fake.hook('o_1'), fields: fake.fields, now: createdAt };
  expect(adapter.hint?.(hook)).toEqual({ externalId: '7', token: 'o_1' });
  if (secret !== '') expect(adapter.hint?.({ ...hook, fields: { ...fake.fields, [secret]: 'other' } })).toBeNull();
  for (const raw of ['', 'null', '[]', '{"sign":1}', '{"type":"notification"}'])
    expect(adapter.hint?.({ ...hook, raw })).toBeNull();
});
