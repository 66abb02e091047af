// A fake Stripe: Checkout sessions by Idempotency-Key, their events, and refunds. The test provider of demonstrations and of tests.
import { createHmac } from 'node:crypto';

export interface FakeRequest {
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly raw: string;
}

export interface FakeReply {
  readonly status: number;
  readonly body: unknown;
}

/** The parameters of a new Checkout session. */
export interface NewSession {
  readonly token: string;
  /** Minor units, as a text. */
  readonly amount: string;
  readonly currency: string;
}

export interface FakeSession extends NewSession {
  readonly id: string;
  /** Epoch ms, as `paidAt`. */
  readonly createdAt: number;
  /** Left out: `createdAt`. */
  paidAt?: number;
  amount: string;
  currency: string;
  state: 'open' | 'paid' | 'short' | 'expired' | 'failed';
  refunded: string;
  isDisputed?: boolean;
  title?: string;
  /** Where the buyer returns to. */
  returnUrl?: string;
}

interface FakeRefund {
  readonly id: string;
  readonly of: string;
  readonly amount: string;
  status: string;
}

interface FakeEvent {
  readonly id: string;
  readonly type: string;
  /** Epoch seconds. */
  readonly created: number;
  readonly data: unknown;
}

/** The fake's state: plain data, which can be stored. */
export interface FakeStripeData<Session extends FakeSession = FakeSession> {
  readonly sessions: Session[];
  readonly refunds: FakeRefund[];
  readonly events: FakeEvent[];
  /** The reply to each Idempotency-Key. */
  readonly replies: Record<string, FakeReply>;
}

export interface FakeStripeParts<Session extends FakeSession> {
  readonly data: FakeStripeData<Session>;
  readonly secretKey: string;
  readonly webhookSecret: string;
  /** Entries on a page of its lists. */
  readonly pageSize: number;
  /** Address of the page on which a session is paid. */
  buildUrl(id: string): string;
  makeSession(given: NewSession): Session;
  /** The time of an event, in epoch seconds. `number`: the number of events so far. */
  eventTime(number: number): number;
}

/** The fields that a request expands; Stripe's own library numbers them. */
export function listExpanded(query: URLSearchParams): readonly string[] {
  return [...query].flatMap(([name, value]) => (/^expand\[\d*\]$/.test(name) ? [value] : []));
}

export function createFakeStripe<Session extends FakeSession>(parts: FakeStripeParts<Session>) {
  const { data, secretKey, webhookSecret, pageSize, buildUrl, makeSession, eventTime } = parts;
  const { sessions, refunds, events, replies } = data;

  /** `isExpanded`: includes its PaymentIntent, with the charge and its refunds. */
  const buildSessionView = (session: FakeSession, isExpanded: boolean) => {
    const { id, token, amount, currency, createdAt, paidAt = createdAt, state, refunded, isDisputed = false } = session;
    const isPaid = state === 'paid';
    const charge = {
      id: `ch_${id}`,
      created: Math.floor(paidAt / 1000),
      // Like Stripe, includes pending refunds.
      amount_refunded: refunded === '0' ? 0 : Number(amount),
      refunds: { object: 'list', data: [{ status: 'succeeded', amount: Number(refunded) }] },
      disputed: isDisputed,
    };
    const intent = isPaid
      ? { id: `pi_${id}`, status: 'succeeded', latest_charge: charge }
      : state === 'failed'
        ? { id: `pi_${id}`, status: 'requires_payment_method', latest_charge: null }
        : null;
    return {
      id,
      object: 'checkout.session',
      url: buildUrl(id),
      status: isPaid || state === 'failed' ? 'complete' : state === 'expired' ? 'expired' : 'open',
      payment_status: isPaid ? 'paid' : 'unpaid',
      amount_total: Number(amount),
      currency,
      client_reference_id: token,
      created: Math.floor(createdAt / 1000),
      livemode: false,
      customer_details: { email: 'buyer@example.com' },
      payment_intent: !isExpanded && intent !== null ? intent.id : intent,
    };
  };
  const appendEvent = (type: string, object: unknown) => {
    const number = events.length + 1;
    events.push({ id: `evt_${number}`, type, created: eventTime(number), data: { object } });
  };
  const replyOk = (body: unknown): FakeReply => ({ status: 200, body });
  const error = (status: number, code: string): FakeReply => ({
    status,
    body: { error: { type: 'invalid_request_error', code } },
  });
  const runOnce = (key: string | undefined, work: () => FakeReply): FakeReply => {
    const reply = replies[key ?? ''] ?? work();
    if (key !== undefined) replies[key] = reply;
    return reply;
  };
  const page = (all: readonly { readonly id: string }[], after: string | null): FakeReply => {
    const from = after === null ? 0 : all.findIndex(({ id }) => id === after) + 1;
    return replyOk({ object: 'list', data: all.slice(from, from + pageSize), has_more: from + pageSize < all.length });
  };
  // https://docs.stripe.com/metadata: a charge has a copy of its PaymentIntent's metadata; refunds and disputes have none.
  const emitRefund = ({ id, token }: FakeSession) =>
    appendEvent('charge.refunded', {
      id: `ch_${id}`,
      object: 'charge',
      payment_intent: `pi_${id}`,
      metadata: { order: token },
    });

  const emitSession = (session: FakeSession) =>
    appendEvent(
      session.state === 'expired' ? 'checkout.session.expired' : 'checkout.session.completed',
      buildSessionView(session, false),
    );

  return {
    /** `isHeld`: refunds stay pending. */
    answer({ method, path, query, headers, raw }: FakeRequest, isHeld = false): FakeReply {
      if (headers.authorization !== `Bearer ${secretKey}`) return error(401, 'invalid_api_key');
      const form = new URLSearchParams(raw);
      const isExpanded = listExpanded(query).some((objects) => /^(data\.)?payment_intent\b/.test(objects));
      if (path === '/v1/account') return replyOk({ id: 'acct_fake', object: 'account' });
      if (method === 'POST' && path === '/v1/checkout/sessions')
        return runOnce(headers['idempotency-key'], () => {
          const amount = form.get('line_items[0][price_data][unit_amount]') ?? '';
          const currency = form.get('line_items[0][price_data][currency]') ?? '';
          const session = makeSession({ token: form.get('client_reference_id') ?? '', amount, currency });
          session.title = form.get('line_items[0][price_data][product_data][name]') ?? '';
          session.returnUrl = form.get('success_url') ?? '';
          return replyOk(buildSessionView(session, false));
        });
      if (method === 'POST' && path === '/v1/refunds')
        return runOnce(headers['idempotency-key'], () => {
          const session = sessions.find(({ id }) => form.get('payment_intent') === `pi_${id}`);
          if (session?.state !== 'paid' || session.refunded !== '0') return error(400, 'charge_already_refunded');
          const amount = form.get('amount') ?? '';
          const id = `re_${refunds.length + 1}`;
          const status = isHeld ? 'pending' : 'succeeded';
          refunds.push({ id, of: session.id, amount, status });
          if (!isHeld) session.refunded = amount;
          emitRefund(session);
          return replyOk({ id, object: 'refund', status });
        });
      const refund = refunds.find(({ id }) => path === `/v1/refunds/${id}`);
      if (refund) return replyOk({ ...refund, object: 'refund' });
      if (path === '/v1/events') {
        const since = Number(query.get('created[gte]') ?? 0);
        const found = events.filter(({ type, created }) => query.getAll('types[]').includes(type) && created >= since);
        return page(found.toReversed(), query.get('starting_after'));
      }
      if (path === '/v1/checkout/sessions') {
        const intent = query.get('payment_intent');
        const found = sessions.filter(({ id }) => intent === null || intent === `pi_${id}`);
        const views = found.toReversed().map((session) => buildSessionView(session, isExpanded));
        return page(views, query.get('starting_after'));
      }
      if (path === '/v1/payment_intents' || path === '/v1/charges') {
        const prefix = path === '/v1/charges' ? 'ch' : 'pi';
        const paid = sessions.filter(({ state }) => state === 'paid').map(({ id }) => ({ id: `${prefix}_${id}` }));
        return page(paid.toReversed(), query.get('starting_after'));
      }
      const session = sessions.find(({ id }) => path.split('/')[4] === id);
      if (!session) return error(404, 'resource_missing');
      // https://docs.stripe.com/api/checkout/sessions/expire: only a session with the status `open` can be expired.
      if (method === 'POST' && session.state !== 'open') return error(400, 'checkout_session_not_open');
      if (method === 'POST') {
        session.state = 'expired';
        emitSession(session);
      }
      return replyOk(buildSessionView(session, isExpanded));
    },
    /** Adds an event about the session's new state. */
    emitSession,
    emitRefund,
    emitDispute: ({ id }: FakeSession) =>
      appendEvent('charge.dispute.created', { id: `dp_${id}`, object: 'dispute', payment_intent: `pi_${id}` }),
    /** The charge stays disputed. */
    emitDisputeEnd: ({ id }: FakeSession, status: 'won' | 'lost') =>
      appendEvent('charge.dispute.closed', { id: `dp_${id}`, object: 'dispute', status, payment_intent: `pi_${id}` }),
    settleRefund(session: FakeSession, isDone: boolean): void {
      for (const refund of refunds) {
        if (refund.of !== session.id || refund.status === 'failed') continue;
        if (refund.status === 'succeeded' && isDone) continue;
        refund.status = isDone ? 'succeeded' : 'failed';
        session.refunded = isDone ? refund.amount : '0';
        appendEvent(isDone ? 'refund.updated' : 'refund.failed', {
          id: refund.id,
          object: 'refund',
          payment_intent: `pi_${session.id}`,
        });
      }
    },
    /** The newest event about a session as a webhook, signed at a time in epoch seconds. */
    hook(session: FakeSession, at: number) {
      const event = {
        id: 'evt_1',
        type: 'checkout.session.completed',
        data: { object: buildSessionView(session, false) },
      };
      const raw = JSON.stringify(event);
      const signature = createHmac('sha256', webhookSecret).update(`${at}.${raw}`).digest('hex');
      return { raw, headers: { 'stripe-signature': `t=${at},v1=${'0'.repeat(64)},v1=${signature}` } };
    },
  };
}
