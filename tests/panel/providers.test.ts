// Payment providers in the panel: keys are tried before they are saved, sealed, never given back, and gone with their account.
import { afterEach, expect, it } from 'vitest';
import { PROVIDER_KINDS } from '../../src/contract/sales/providers.ts';
import { createTestTimers } from '../support/clock.ts';
import { PASSWORD, startPanel, type TestPanel } from '../support/panel.ts';
import { openCryptoPay } from '../support/providers/crypto-pay.ts';
import type { FakeProvider } from '../support/providers/fake.ts';
import { openHeleket } from '../support/providers/heleket.ts';
import { openStars } from '../support/providers/stars.ts';
import { openStripe } from '../support/providers/stripe.ts';
import { openYookassa } from '../support/providers/yookassa.ts';

const FAKES = {
  stars: openStars,
  crypto_pay: openCryptoPay,
  yookassa: openYookassa,
  stripe: openStripe,
  heleket: openHeleket,
};

let panel: TestPanel | null = null;
const fakes: FakeProvider[] = [];
afterEach(async () => {
  await panel?.stop();
  panel = null;
  for (const fake of fakes.splice(0)) await fake[Symbol.asyncDispose]();
});

const timers = createTestTimers();

async function open(kind: keyof typeof FAKES) {
  const fake = await FAKES[kind]();
  fakes.push(fake);
  panel ??= await startPanel({ timers });
  const input = {
    kind,
    name: `My ${kind}`,
    fields: fake.fields,
    api_root: fake.root,
    allow_private: true,
    password: PASSWORD,
  };
  return { fake, panel, input };
}

it.each(PROVIDER_KINDS)('%s is added with good keys only, and its secrets stay inside', async (kind) => {
  const { fake, panel, input } = await open(kind);
  const secrets = ['bot_token', 'api_token', 'secret_key', 'webhook_secret', 'payment_key'].filter(
    (name) => name in fake.fields,
  );
  const wrong = { ...fake.fields, [secrets[0] ?? '']: getUnknownKey(kind) };
  await expect(panel.act('createProvider', { ...input, fields: wrong })).rejects.toMatchObject({
    code: 'provider_failed',
    errors: [{ pointer: '#/fields', code: 'keys_refused' }],
  });
  expect((await panel.act('listProviders', {})).items).toEqual([]);

  const made = await panel.act('createProvider', input);
  expect(made).toMatchObject({ id: 1, kind, enabled: true, error: null, secrets, api_root: fake.root });
  expect(made.account).not.toBe('');
  expect(made.is_test).toBe(kind === 'stripe' || kind === 'yookassa');
  const shown = JSON.stringify([
    await panel.act('listProviders', {}),
    await panel.act('listAudit', { limit: 50 }),
    panel.log.lines,
  ]);
  for (const name of secrets) {
    expect(shown).not.toContain(fake.fields[name]);
    expect(panel.store.sealed.get(`provider:1:${name}`)).toBeDefined();
  }
  await panel.act('deleteProvider', { id: 1 });
  for (const name of secrets) expect(panel.store.sealed.get(`provider:1:${name}`)).toBeUndefined();
  expect((await panel.act('listProviders', {})).items).toEqual([]);
});

/** Keys of the right form that no fake knows. */
function getUnknownKey(kind: keyof typeof FAKES): string {
  return kind === 'stripe' ? 'sk_test_unknown' : '99999:AAunknown_unknown';
}

it('is changed as a whole that was tried: what is left out stays, an empty text takes a field away', async () => {
  const { fake, panel, input } = await open('yookassa');
  await panel.act('createProvider', input);
  const proof = { id: 1, password: PASSWORD };
  const named = await panel.act('changeProvider', {
    ...proof,
    name: 'Cards',
    fields: { vat_code: '', receipt_contact: '' },
  });
  expect(named).toMatchObject({ name: 'Cards', fields: { shop_id: '100500' }, secrets: ['secret_key'] });
  await expect(
    panel.act('changeProvider', { ...proof, fields: { secret_key: 'test_unknown-key' } }),
  ).rejects.toMatchObject({ code: 'provider_failed' });
  await expect(panel.act('changeProvider', { ...proof, fields: { secret_key: '' } })).rejects.toMatchObject({
    code: 'validation',
    errors: [{ pointer: '#/fields/secret_key', code: 'required' }],
  });
  expect(await panel.act('testProvider', { id: 1 })).toMatchObject({ error: null });
  const off = await panel.act('enableProvider', { id: 1, enabled: false });
  expect(off).toMatchObject({ enabled: false, name: 'Cards' });
  await expect(panel.act('changeProvider', { id: 9, password: PASSWORD })).rejects.toMatchObject({ code: 'not_found' });
  expect(fake.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
});

it('shows when its provider stops answering, and when it answers again', async () => {
  const { fake, panel, input } = await open('stars');
  await panel.act('createProvider', input);
  // Its list was read: an answer there would end the failure.
  await panel.core.catchUp();
  fake.fail('getMe', 'down', 'busy', 'garbage');
  for (const error of ['unavailable', 'rate_limited', 'malformed']) {
    const failed = await panel.act('testProvider', { id: 1 });
    expect(failed).toMatchObject({ error, account: '@shop_bot' });
    expect(failed.error_at).not.toBeNull();
  }
  expect(await panel.act('testProvider', { id: 1 })).toMatchObject({ error: null, error_at: null });
  // Each hour by itself.
  fake.fail('getMe', 'down');
  timers.tick();
  await expect.poll(() => panel.store.providers.get(1)?.error).toBe('unavailable');
  expect(panel.log.lines.join()).toContain('payment provider fails');
  timers.tick();
  await expect.poll(() => panel.store.providers.get(1)?.error).toBeNull();
  const asked = fake.requests.length;
  await panel.act('enableProvider', { id: 1, enabled: false });
  timers.tick();
  expect(await panel.act('testProvider', { id: 1 })).toMatchObject({ error: null });
  expect(fake.requests.slice(asked).map(({ path }) => path.split('/').at(-1))).toEqual([
    'getMe',
    'getStarTransactions',
  ]);
  panel.store.sealed.remove('provider:1:bot_token');
  expect(await panel.act('testProvider', { id: 1 })).toMatchObject({ error: 'no_keys', secrets: [] });
});

it('refuses fields and addresses that cannot be right before anything is sent', async () => {
  const { fake, panel, input } = await open('stripe');
  const refused = (changed: object, errors: readonly object[]) =>
    expect(panel.act('createProvider', { ...input, ...changed })).rejects.toMatchObject({ code: 'validation', errors });
  await refused({ fields: {} }, [{ pointer: '#/fields/secret_key', code: 'required' }]);
  await refused({ fields: { secret_key: 'pk_test_1', other: '1' } }, [
    { pointer: '#/fields/other', code: 'unknown' },
    { pointer: '#/fields/secret_key', code: 'format' },
  ]);
  await refused({ allow_private: false }, [{ pointer: '#/api_root', code: 'https_required' }]);
  const metadata = { api_root: 'https://169.254.169.254/' };
  await refused(metadata, [{ pointer: '#/api_root', code: 'address_refused' }]);
  expect(fake.requests).toEqual([]);
  await expect(panel.act('createProvider', { ...input, api_root: 'http://127.0.0.1:1' })).rejects.toMatchObject({
    code: 'provider_failed',
    errors: [{ pointer: '#/api_root', code: 'no_answer' }],
  });
});

it('there are at most sixteen', async () => {
  const { panel, input } = await open('stars');
  for (let count = 0; count < 16; count += 1) await panel.act('createProvider', input);
  await expect(panel.act('createProvider', input)).rejects.toMatchObject({ code: 'provider_limit' });
});
