// What a panel still does whose data were restored elsewhere: it shows them, and neither changes, sends nor charges anything.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { examine } from '../../src/panel/doctor.ts';
import { BOT_TOKEN, openBotApi } from '../support/bot-api.ts';
import { ADMINISTRATOR_CALL } from '../support/core.ts';
import { freePort } from '../support/free-port.ts';
import { createClient } from '../support/http-client.ts';
import { PASSWORD } from '../support/own-panel.ts';
import { openCryptoPay } from '../support/providers/crypto-pay.ts';
import type { FakeProvider } from '../support/providers/fake.ts';
import { openHeleket } from '../support/providers/heleket.ts';
import { openStripe } from '../support/providers/stripe.ts';
import { openYookassa } from '../support/providers/yookassa.ts';
import { PRICES, signReport } from '../support/shop.ts';
import { openTwoPanels, Place, POLLED } from '../support/two-panels.ts';

const FAKES = { crypto_pay: openCryptoPay, yookassa: openYookassa, stripe: openStripe, heleket: openHeleket };
const END = '2099-06-01T10:00:00.000Z';
/** 30 days after it. */
const LATER = '2099-07-01T10:00:00.000Z';

interface Sale {
  readonly fake: FakeProvider;
  /** Path of its webhook. */
  readonly hook: string;
  readonly userId: number;
  readonly orderId: number;
}

/** A program that knows one panel. */
function connect(stack: AsyncDisposableStack, { panel }: Place, key: string) {
  const ca = readFileSync(panel?.caPath ?? '', 'utf8');
  const client = createClient({ baseUrl: panel?.baseUrl ?? '', key, ca });
  stack.defer(() => client.close());
  return client;
}

const findRole = async ({ folder }: Place) => (await examine(folder)).find(({ check }) => check === 'role');

test('it answers reads and links, and refuses writes at both doors', async () => {
  await using stack = new AsyncDisposableStack();
  const { parent, first, administrator, tariffId } = await openTwoPanels(stack);
  const { body: key } = await administrator.call('createKey', { name: 'bot', access: 'full', password: PASSWORD });
  const program = connect(stack, first, key.value);
  const { body: user } = await program.call('createUser', { name: 'Boris', tariff_id: tariffId });
  expect(await findRole(first)).toMatchObject({ verdict: 'ok', found: 'active, epoch 1' });

  const second = new Place(parent, 'second', await freePort());
  stack.defer(() => second.stop());
  await second.start();
  await second.restore(await first.backUp());
  await expect.poll(() => first.role(), POLLED).toBe('superseded');

  const before = (await program.call('getUser', { id: user.id })).body;
  const writes = [
    await program.call('createUser', { name: 'Late', tariff_id: tariffId }),
    await program.call('createUser', { name: 'Late', tariff_id: tariffId }, { 'idempotency-key': 'once' }),
    await program.call('updateUser', { id: user.id, name: 'Late' }),
    await program.call('extendUser', { id: user.id, days: 30 }),
    await program.call('deleteUser', { id: user.id }),
  ];
  for (const { status, headers, problem } of writes) {
    expect(status).toBe(503);
    expect(headers['content-type']).toBe('application/problem+json');
    expect(problem).toMatchObject({ status: 503, detail: 'superseded', type: expect.stringContaining('superseded') });
  }
  const reads = [
    await program.call('getUser', { id: user.id }),
    await program.call('listUsers', {}),
    await program.call('listEvents', {}),
    await program.as(null).send({ method: 'GET', path: user.sub_url }),
  ];
  expect(reads.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(reads[0]?.body).toEqual(before);

  // A browser that comes now is let in.
  const late = await first.signIn(stack);
  expect((await late.call('getRole', {})).body).toEqual({ state: 'superseded', epoch: 1 });
  for (const refused of [
    await late.call('createTariff', { name: 'Late' }),
    await late.call('updateSettings', { panel_title: 'Late' }),
    await late.call('createKey', { name: 'late', access: 'full', password: PASSWORD }),
  ])
    expect([refused.status, refused.problem.detail]).toEqual([503, 'superseded']);
  expect((await late.call('createBackup', { password: PASSWORD })).status).toBe(201);

  expect(await findRole(first)).toMatchObject({
    verdict: 'problem',
    found: 'read-only: the data were restored elsewhere (epoch 2, here 1)',
  });
  expect(await findRole(second)).toMatchObject({ verdict: 'ok', found: 'active, epoch 2' });
  // It does not need to hear of it again.
  await first.stop();
  await first.start();
  const again = connect(stack, first, key.value);
  expect((await again.call('createUser', { name: 'Late', tariff_id: tariffId })).problem.detail).toBe('superseded');
});

test('a bot that another panel runs makes it ask its nodes', async () => {
  await using stack = new AsyncDisposableStack();
  const { parent, first, administrator } = await openTwoPanels(stack, 3_600_000);
  const telegram = stack.use(await openBotApi());
  const bot = { token: BOT_TOKEN, api_root: telegram.root, allow_private: true, password: PASSWORD };
  const backup = await first.backUp();
  await administrator.call('saveBot', bot);
  await expect.poll(async () => (await administrator.call('getBot', {})).body.state, POLLED).toBe('running');

  const second = new Place(parent, 'second', await freePort());
  stack.defer(() => second.stop());
  await second.start();
  await second.restore(backup);
  await expect.poll(() => second.statuses(), POLLED).toEqual(['up', 'up']);
  expect(first.role(), 'its next poll is in an hour').toBe('active');
  telegram.setConflict(true);
  await expect.poll(() => first.role(), POLLED).toBe('superseded');
});

test('a payment is applied by the other panel, once, and reports of it are refused for later', async () => {
  await using stack = new AsyncDisposableStack();
  const { parent, first, administrator } = await openTwoPanels(stack);
  await administrator.call('updateSettings', { selling: true, password: PASSWORD });
  const sold = { kind: 'days', days: 30 } as const;
  const { body: plan } = await administrator.call('createTariff', { name: 'Monthly', duration: { months: 1 } });
  const { body: offer } = await administrator.call('createOffer', {
    tariff_id: plan.id,
    name: '30 days',
    sold,
    prices: [...PRICES],
    on_sale: true,
  });
  const sales: Sale[] = [];
  for (const [kind, openFake] of Object.entries(FAKES)) {
    const fake = stack.use(await openFake());
    const { body: provider } = await administrator.call('createProvider', {
      kind: fake.kind,
      name: kind,
      fields: fake.fields,
      api_root: fake.root,
      allow_private: true,
      password: PASSWORD,
    });
    const { body: hook } = await administrator.call('setProviderHook', { id: provider.id, enabled: true });
    const { body: user } = await administrator.call('createUser', { name: kind, tariff_id: plan.id, expires_at: END });
    const { body: order } = await administrator.call('createOrder', { user_id: user.id, offer_id: offer.id });
    await administrator.call('openOrder', { id: order.id, provider_id: provider.id, email: 'buyer@example.com' });
    sales.push({ fake, hook: new URL(hook.hook_url ?? '').pathname, userId: user.id, orderId: order.id });
  }
  /** State of each order and end of its buyer's term. */
  const listSales = ({ panel }: Place) =>
    sales.map(({ userId }) => {
      const order = panel?.core.call('listOrders', { user_id: userId, limit: 10 }, ADMINISTRATOR_CALL).body.items[0];
      const user = panel?.core.call('getUser', { id: userId }, ADMINISTRATOR_CALL).body;
      return [order?.state, user?.expires_at];
    });
  const report = async (place: Place) => {
    const provider = connect(stack, place, '').as(null);
    const origin = new URL(provider.baseUrl).origin;
    return Promise.all(
      sales.map(async ({ fake, hook }) => {
        const { raw, headers } = signReport(fake, fake.invoices[0]?.token ?? '', Date.now());
        const answer = await provider.send({ method: 'POST', path: origin + hook, headers, body: raw });
        return [answer.status, answer.headers['retry-after']];
      }),
    );
  };
  const countRequests = () => sales.map(({ fake }) => fake.requests.length);
  const open = sales.map(() => ['open', END]);
  const paid = sales.map(() => ['paid', LATER]);
  expect(listSales(first)).toEqual(open);

  const second = new Place(parent, 'second', await freePort());
  stack.defer(() => second.stop());
  await second.start();
  await second.restore(await first.backUp());
  await expect.poll(() => first.role(), POLLED).toBe('superseded');
  await second.stop();
  for (const { fake } of sales) fake.pay(fake.invoices[0]?.token ?? '');

  // While it is alone it does not apply it either.
  const asked = countRequests();
  const refused = sales.map(() => [429, '60']);
  expect(await report(first)).toEqual(refused);
  await first.panel?.core.catchUp();
  for (const { orderId } of sales)
    expect((await administrator.call('askOrder', { id: orderId })).problem.detail).toBe('superseded');
  expect(countRequests()).toEqual(asked);
  expect(listSales(first)).toEqual(open);

  await second.start();
  expect(await report(second)).toEqual(sales.map(() => [200, undefined]));
  await expect.poll(() => listSales(second), POLLED).toEqual(paid);
  for (let time = 0; time < 3; time++) {
    expect(await report(first)).toEqual(refused);
    expect(await report(second)).toEqual(sales.map(() => [200, undefined]));
    await Promise.all([first.panel?.core.catchUp(), second.panel?.core.catchUp()]);
  }
  await first.stop();
  await first.start();
  expect(await report(first)).toEqual(refused);
  await first.panel?.core.catchUp();
  expect([listSales(first), listSales(second)]).toEqual([open, paid]);
});
