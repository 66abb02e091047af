// A shop for a test: a panel whose time the test moves, a plan with an offer, and fake providers at which it is sold.
import Stripe from 'stripe';
import type { ProviderKind } from '../../src/contract/sales/providers.ts';
import type { Order } from '../../src/contract/sales/sales.ts';
import { createTestClock, createTestTimers } from './clock.ts';
import { PASSWORD, type PanelOptions, startPanel, type TestPanel } from './panel.ts';
import { openCryptoPay } from './providers/crypto-pay.ts';
import type { FakeProvider } from './providers/fake.ts';
import { openHeleket } from './providers/heleket.ts';
import { openStars } from './providers/stars.ts';
import { openStripe } from './providers/stripe.ts';
import { openYookassa } from './providers/yookassa.ts';

const FAKES = {
  stars: openStars,
  crypto_pay: openCryptoPay,
  yookassa: openYookassa,
  stripe: openStripe,
  heleket: openHeleket,
} as const satisfies Record<ProviderKind, unknown>;

export const PRICES = [
  { amount: 499, currency: 'EUR' },
  { amount: 250, currency: 'XTR' },
  { amount: 45_000, currency: 'RUB' },
] as const;
/** Where the term of every buyer ends at first. */
export const END = '2027-06-01T10:00:00.000Z';

export interface Shop extends AsyncDisposable {
  /** The panel that runs at the moment. */
  panel(): TestPanel;
  readonly clock: ReturnType<typeof createTestClock>;
  readonly timers: ReturnType<typeof createTestTimers>;
  readonly tariffId: number;
  readonly offerId: number;
  /** Adds a fake provider to the panel, or one that the test has made. */
  add(kind: ProviderKind, own?: FakeProvider): Promise<{ readonly id: number; readonly fake: FakeProvider }>;
  buyer(): Promise<number>;
  /** A new order of a new buyer, opened at a provider. */
  open(providerId: number): Promise<Order>;
  /** The token that the provider was given for an order. */
  getInvoiceToken(orderId: number): string;
  /** What a provider reports now. */
  hookFrom(fake: FakeProvider, token: string): ReturnType<FakeProvider['hook']>;
  order(id: number): Promise<Order>;
  /** Asks at once, some seconds later. */
  pollOrder(id: number): Promise<Order>;
  /** Lets the panel ask by itself for what is due, and waits until it has. */
  turn(): Promise<void>;
  /** Stops the panel and starts another over its data. */
  restart(options?: PanelOptions): Promise<void>;
}

/** What a provider reports of an invoice; that of Stripe is signed by Stripe's own library. */
export function signReport(fake: FakeProvider, token: string, now: number): ReturnType<FakeProvider['hook']> {
  const { raw, headers } = fake.hook(token);
  if (fake.kind !== 'stripe') return { raw, headers };
  const secret = fake.fields.webhook_secret ?? '';
  const timestamp = Math.floor(now / 1000);
  const signature = Stripe.webhooks.generateTestHeaderString({ payload: raw, secret, timestamp });
  return { raw, headers: { 'stripe-signature': signature } };
}

export async function openShop(folder: string): Promise<Shop> {
  const clock = createTestClock(Date.parse('2026-11-20T10:00:00Z'));
  const timers = createTestTimers();
  const fakes: FakeProvider[] = [];
  const start = (options: PanelOptions = {}) => startPanel({ clock, timers, folder, ...options });
  let panel = await start();
  await panel.act('updateSettings', { selling: true });
  const tariff = await panel.act('createTariff', { name: 'Monthly', duration: { months: 1 } });
  const sold = { kind: 'days', days: 30 } as const;
  const offered = { tariff_id: tariff.id, name: '30 days', sold, prices: [...PRICES], on_sale: true };
  const offer = await panel.act('createOffer', offered);
  const buyer = async () => (await panel.act('createUser', { name: 'Anna', tariff_id: tariff.id, expires_at: END })).id;
  const order = async (id: number) => {
    const found = (await panel.act('listOrders', { limit: 500 })).items.find((one) => one.id === id);
    if (!found) throw new Error(`no order ${id}`);
    return found;
  };
  return {
    panel: () => panel,
    clock,
    timers,
    tariffId: tariff.id,
    offerId: offer.id,
    async add(kind, own) {
      const fake = own ?? (await FAKES[kind]());
      fakes.push(fake);
      const made = await panel.act('createProvider', {
        kind,
        name: `My ${kind}`,
        fields: fake.fields,
        api_root: fake.root,
        allow_private: true,
        password: PASSWORD,
      });
      return { id: made.id, fake };
    },
    buyer,
    async open(providerId) {
      const made = await panel.act('createOrder', { user_id: await buyer(), offer_id: offer.id });
      return panel.act('openOrder', { id: made.id, provider_id: providerId, email: 'buyer@example.com' });
    },
    getInvoiceToken(orderId) {
      const [invoice] = panel.store.payments.listInvoices(orderId);
      if (!invoice) throw new Error(`order ${orderId} was not opened`);
      return invoice.token;
    },
    hookFrom: (fake, token) => signReport(fake, token, clock.now()),
    order,
    async pollOrder(id) {
      clock.advance(31_000);
      return panel.act('askOrder', { id });
    },
    async turn() {
      await panel.core.catchUp();
    },
    async restart(options) {
      await panel.stop({ keep: true });
      panel = await start(options);
    },
    async [Symbol.asyncDispose]() {
      await panel.stop();
      for (const fake of fakes) await fake[Symbol.asyncDispose]();
    },
  };
}
