// A fake Stripe over a socket: that of a demonstration, with faults, and with keys that are allowed a part of the API.
import { createFakeStripe, type FakeRequest, listExpanded } from '../../../src/demo/fake-stripe.ts';
import { type FakeInvoice, type FakeProvider, type FakeReply, newInvoice, openFake } from './fake.ts';

const KEY = 'sk_test_canaryofstripe';
const RESTRICTED_KEY = 'rk_test_canaryofstripe';
const HOOKS = 'whsec_canary-of-stripe-hooks';
const PAGE = 2;

/** By https://docs.stripe.com/stripe-apps/reference/permissions: what each endpoint needs, of which one suffices. */
const ENDPOINTS: readonly (readonly [RegExp, string])[] = [
  [/^\/v1\/checkout\/sessions/, 'checkout_session'],
  [/^\/v1\/payment_intents/, 'payment_intent'],
  [/^\/v1\/charges/, 'charge'],
  [/^\/v1\/refunds/, 'charge'],
  [/^\/v1\/events/, 'event'],
  [/^\/v1\/account/, 'connected_account'],
];
/** "If you're expanding objects …, you must also request at least one corresponding permission for each API object you expand." */
const OBJECTS: Readonly<Record<string, string>> = {
  payment_intent: 'payment_intent_read',
  latest_charge: 'charge_read',
  refunds: 'charge_read',
};
/** By the same page: a permission to write implies one to read, and that for sessions one to read what they are about. */
const IMPLIED: Readonly<Record<string, readonly string[]>> = {
  checkout_session_read: ['payment_intent_read'],
  checkout_session_write: ['checkout_session_read', 'payment_intent_read'],
  charge_write: ['charge_read'],
};

/** The permission that a request needs and the key lacks; null: it is allowed. */
function lacked({ method, path, query }: FakeRequest, granted: ReadonlySet<string>): string | null {
  const all = new Set([...granted, ...[...granted].flatMap((one) => IMPLIED[one] ?? [])]);
  const resource = ENDPOINTS.find(([pattern]) => pattern.test(path))?.[1];
  const objects = listExpanded(query).flatMap((one) => one.split('.').filter((object) => object !== 'data'));
  const needed = [`${resource}_${method === 'GET' ? 'read' : 'write'}`, ...objects.map((one) => OBJECTS[one] ?? one)];
  return needed.find((one) => !all.has(one)) ?? null;
}

/** As Stripe has said it, and as it says it of some since 2026. */
function refusal(permission: string): FakeReply {
  const key =
    "The provided key 'rk_test_*****ripe' does not have the required permissions for this endpoint on account 'acct_fake'.";
  const error = permission.startsWith('charge')
    ? {
        code: 'more_permissions_required',
        message: `Permission denied. ${key} Enabling "Charges and Refunds" ('${permission}') permissions on this key would allow this request to continue.`,
      }
    : { message: `${key} Having the 'rak_${permission}' permission would allow this request to continue.` };
  return { status: 403, body: { error: { type: 'invalid_request_error', ...error } } };
}

export interface FakeStripe extends FakeProvider {
  /** What its restricted key is allowed; empty for a secret key, which is allowed everything. */
  readonly granted: Set<string>;
  /** The buyer disputes what was paid. */
  dispute(token: string): void;
  endDispute(token: string, status: 'won' | 'lost'): void;
}

/** `granted`: its key is a restricted one, with these permissions. */
export async function openStripe(granted?: readonly string[]): Promise<FakeStripe> {
  const invoices: FakeInvoice[] = [];
  const permissions = new Set(granted);
  const key = granted === undefined ? KEY : RESTRICTED_KEY;
  const fake = createFakeStripe<FakeInvoice>({
    data: { sessions: invoices, refunds: [], events: [], replies: {} },
    secretKey: key,
    webhookSecret: HOOKS,
    pageSize: PAGE,
    buildUrl: (id) => `https://checkout.stripe.com/c/pay/${id}`,
    makeSession: (given) => newInvoice(invoices, 'cs_test_', given),
    eventTime: (number) => 1_795_000_000 + number,
  });
  const provider = await openFake({
    kind: 'stripe',
    fields: { secret_key: key, webhook_secret: HOOKS },
    invoices,
    answer(request, isHeld) {
      const permission = granted === undefined ? null : lacked(request, permissions);
      return permission === null ? fake.answer(request, isHeld) : refusal(permission);
    },
    pay: fake.emitSession,
    refund: fake.emitRefund,
    settleRefund: fake.settleRefund,
    hook: (invoice) => fake.hook(invoice, invoice.createdAt / 1000),
  });
  const getInvoice = (token: string): FakeInvoice => {
    const found = invoices.find((invoice) => invoice.token === token);
    if (found === undefined) throw new Error(`no session of ${token}`);
    return found;
  };
  return {
    ...provider,
    granted: permissions,
    dispute(token) {
      const invoice = getInvoice(token);
      invoice.isDisputed = true;
      fake.emitDispute(invoice);
    },
    endDispute: (token, status) => fake.emitDisputeEnd(getInvoice(token), status),
  };
}
