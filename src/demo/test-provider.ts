// The test provider of a demonstration: a fake Stripe inside the process, with every outcome of a payment. Its page is test-page.ts.

import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock, systemTimers } from '../adapters/clock.ts';
import { FILES } from '../adapters/data-folder.ts';
import type { OutboundClient } from '../core/ports/outbound.ts';
import type { PaymentProviders, ProviderAccess } from '../core/ports/providers.ts';
import { parseOwnJson } from '../domain/own-json.ts';
import { createProviders } from '../payments/providers.ts';
import { createFakeStripe, type FakeSession, type FakeStripeData } from './fake-stripe.ts';

/** A reserved name that no DNS server resolves. */
export const TEST_ROOT = 'https://test-provider.invalid';
export const SECRET_KEY = 'sk_test_demonstration';
export const WEBHOOK_SECRET = 'whsec_demonstration';
const PAGE = 100;

/** The buyer's actions on the provider's page, and further outcomes of a payment. */
export const TEST_ACTS = [
  'pay',
  'less',
  'more',
  'other',
  'fail',
  'expire',
  'late',
  'again',
  'refund',
  'dispute',
] as const;
export type TestAct = (typeof TEST_ACTS)[number];

export interface TestProvider {
  /** The panel's providers, with this one added. */
  withTestProvider(real: PaymentProviders): PaymentProviders;
  session(id: string): FakeSession | undefined;
  /** Actions that are possible on a session now. */
  acts(session: FakeSession): readonly TestAct[];
  act(session: FakeSession, act: TestAct): void;
  /** A webhook about a session, as the provider sends it. */
  hook(session: FakeSession): { readonly raw: string; readonly headers: Readonly<Record<string, string>> };
}

/** `buildUrl`: the page on which a session is paid. The state is stored in the data folder. */
export function openTestProvider(folder: string, buildUrl: (id: string) => string): TestProvider {
  const file = join(folder, FILES.testProvider);
  const data = readData(file);
  const save = () => writeFileSync(file, JSON.stringify(data), { mode: 0o600 });
  const { now } = systemClock;
  const makeSession = (given: Pick<FakeSession, 'token' | 'amount' | 'currency'>): FakeSession => {
    const id = `cs_test_${randomBytes(24).toString('base64url')}`;
    const session: FakeSession = { ...given, id, createdAt: now(), state: 'open', refunded: '0' };
    data.sessions.push(session);
    return session;
  };
  const fake = createFakeStripe<FakeSession>({
    data,
    secretKey: SECRET_KEY,
    webhookSecret: WEBHOOK_SECRET,
    pageSize: PAGE,
    buildUrl,
    makeSession,
    eventTime: () => Math.floor(now() / 1000),
  });

  const client: OutboundClient = {
    async send({ method, url, headers, body }) {
      const { pathname: path, searchParams: query } = new URL(url);
      const reply = fake.answer({ method, path, query, headers, raw: body ?? '' });
      if (method === 'POST') save();
      return { status: reply.status, retryAfter: null, text: JSON.stringify(reply.body) };
    },
    close: () => {},
  };
  const own = createProviders({ client, clock: systemClock, timers: systemTimers });

  function pay(session: FakeSession): void {
    session.state = 'paid';
    session.paidAt = now();
    fake.emitSession(session);
  }
  const happen: Readonly<Record<TestAct, (session: FakeSession) => void>> = {
    pay,
    late: pay,
    less(session) {
      session.amount = String(Math.floor(Number(session.amount) / 2));
      pay(session);
    },
    more(session) {
      session.amount = String(Number(session.amount) * 2);
      pay(session);
    },
    other(session) {
      session.currency = session.currency === 'usd' ? 'eur' : 'usd';
      pay(session);
    },
    fail(session) {
      session.state = 'failed';
      fake.emitSession(session);
    },
    expire(session) {
      session.state = 'expired';
      fake.emitSession(session);
    },
    again({ token, amount, currency, title = '', returnUrl = '' }) {
      pay(Object.assign(makeSession({ token, amount, currency }), { title, returnUrl }));
    },
    refund(session) {
      session.refunded = session.amount;
      fake.emitRefund(session);
    },
    dispute(session) {
      session.isDisputed = true;
      fake.emitDispute(session);
    },
  };

  return {
    withTestProvider(real) {
      const of = ({ apiRoot }: ProviderAccess) => (apiRoot === TEST_ROOT ? own : real);
      return {
        facts: real.facts,
        isRefused: real.isRefused,
        probe: (access) => of(access).probe(access),
        open: (access, request) => of(access).open(access, request),
        read: (access, query) => of(access).read(access, query),
        end: (access, query) => of(access).end(access, query),
        since: (access, cursor) => of(access).since(access, cursor),
        refund: (access, refund) => of(access).refund(access, refund),
        readRefund: (access, refundId) => of(access).readRefund(access, refundId),
        hint: (access, webhook) => of(access).hint(access, webhook),
        close() {
          own.close();
          real.close();
        },
      };
    },
    session: (id) => data.sessions.find((session) => session.id === id),
    acts({ state, refunded, isDisputed = false }) {
      if (state === 'open') return ['pay', 'less', 'more', 'other', 'fail', 'expire'];
      if (state !== 'paid') return ['late'];
      if (refunded !== '0') return ['again'];
      return isDisputed ? ['again', 'refund'] : ['again', 'refund', 'dispute'];
    },
    act(session, act) {
      happen[act](session);
      save();
    },
    hook: (session) => fake.hook(session, Math.floor(now() / 1000)),
  };
}

function readData(file: string): FakeStripeData {
  try {
    return parseOwnJson(readFileSync(file, 'utf8'));
  } catch {
    return { sessions: [], refunds: [], events: [], replies: {} };
  }
}
