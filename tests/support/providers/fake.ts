// What the fake payment providers have in common: a server whose faults a test chooses, and invoices that a test pays.
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { ProviderKind } from '../../../src/contract/sales/providers.ts';
import type { FakeReply, FakeRequest, FakeSession } from '../../../src/demo/fake-stripe.ts';

export type { FakeReply };

/**
 * `late`: the effect happens and the reply is 500. `cut`: the same with a connection that breaks off. `busy`: 429 without an effect.
 * `down`: 500 without an effect. `garbage`: no JSON. `endless`: a reply without an end. `silent`: none at all.
 */
export type Fault = 'late' | 'cut' | 'busy' | 'down' | 'garbage' | 'endless' | 'silent';

/** An invoice as all providers have it. */
export interface FakeInvoice extends FakeSession {
  /** In the provider's own words, where they are more than a state. */
  status?: string;
  /** What has arrived of it, where that is not its amount. */
  arrived?: string;
}

export interface FakeProvider extends AsyncDisposable {
  readonly kind: ProviderKind;
  /** For `api_root`. */
  readonly root: string;
  /** Good keys. */
  readonly fields: Readonly<Record<string, string>>;
  readonly requests: FakeRequest[];
  readonly invoices: FakeInvoice[];
  /** The next requests, in order, whose path holds `of`, have these faults. */
  fail(of: string, ...faults: readonly Fault[]): void;
  /** The next request whose path holds `of` is answered so, without an effect. */
  answerNext(of: string, reply: FakeReply): void;
  /** From now on the keys are not allowed these requests; null: they are allowed everything again. */
  deny(isDenied: ((request: FakeRequest) => boolean) | null): void;
  /** The buyer pays the invoice of an order; `short`: less than is asked. */
  pay(token: string, how?: 'whole' | 'short'): void;
  expire(token: string): void;
  /** From now on it does not know the keys. */
  revoke(isNow?: boolean): void;
  /** From now on refunds are begun, and done only by `settleRefund`. */
  delayRefunds(): void;
  settleRefund(token: string, isDone: boolean): void;
  /** While it is silent, requests get no reply. */
  setSilent(isSilent: boolean): void;
  /** In the provider's own pages. */
  refund(token: string): void;
  /** A webhook as the provider sends it. */
  hook(token: string): { readonly raw: string; readonly headers: Readonly<Record<string, string>> };
}

const REVOKED: FakeReply = { status: 401, body: { ok: false, error_code: 401, error: { name: 'UNAUTHORIZED' } } };

interface FakeParts {
  readonly kind: ProviderKind;
  readonly fields: Readonly<Record<string, string>>;
  readonly path?: string;
  /** How it answers what the keys are not allowed. */
  readonly denial?: unknown;
  readonly invoices: FakeInvoice[];
  /** `isHeld`: refunds are not done at once. */
  answer(request: FakeRequest, isHeld: boolean): FakeReply;
  settleRefund?(invoice: FakeInvoice, isDone: boolean): void;
  pay?(invoice: FakeInvoice): void;
  refund?(invoice: FakeInvoice): void;
  hook(invoice: FakeInvoice): { readonly raw: string; readonly headers: Readonly<Record<string, string>> };
}

export async function openFake(parts: FakeParts): Promise<FakeProvider> {
  const { invoices } = parts;
  const requests: FakeRequest[] = [];
  let isHeld = false;
  let isDenied: ((request: FakeRequest) => boolean) | null = null;
  let isSilent = false;
  let isRevoked = false;
  const replies: { readonly of: string; readonly reply: FakeReply }[] = [];
  const faults: { readonly of: string; readonly fault: Fault }[] = [];
  const server = http.createServer(async (incoming, reply) => {
    const raw = await text(incoming);
    const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://fake');
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(incoming.headers)) headers[name] = String(value);
    const path = pathname.slice((parts.path ?? '').length);
    const request = { method: incoming.method ?? '', path, query: searchParams, headers, raw };
    requests.push(request);
    const index = faults.findIndex(({ of }) => path.includes(of));
    const fault = index < 0 ? null : faults.splice(index, 1)[0]?.fault;
    const own = replies.findIndex(({ of }) => path.includes(of));
    const given = own < 0 ? null : (replies.splice(own, 1)[0]?.reply ?? null);
    if (isSilent || fault === 'silent') return;
    if (fault === 'busy') reply.writeHead(429, { 'retry-after': '7' }).end('{}');
    else if (fault === 'down') reply.writeHead(500).end('{}');
    else if (fault === 'garbage') reply.writeHead(200).end('<html>');
    else if (fault === 'endless') reply.writeHead(200).write('x'.repeat(3_000_000));
    else {
      const { status, body } =
        given ??
        (isRevoked ? REVOKED : null) ??
        (isDenied?.(request) ? { status: 403, body: parts.denial ?? {} } : parts.answer(request, isHeld));
      if (fault === 'cut') reply.destroy();
      else if (fault === 'late') reply.writeHead(500).end('{}');
      else reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const getInvoice = (token: string): FakeInvoice => {
    const found = invoices.find((invoice) => invoice.token === token);
    if (found === undefined) throw new Error(`no invoice ${token}`);
    return found;
  };
  return {
    kind: parts.kind,
    root: `http://127.0.0.1:${(server.address() as AddressInfo).port}${parts.path ?? ''}`,
    fields: parts.fields,
    requests,
    invoices,
    fail(of, ...next) {
      for (const fault of next) faults.push({ of, fault });
    },
    answerNext: (of, answer) => replies.push({ of, reply: answer }),
    deny(wanted) {
      isDenied = wanted;
    },
    pay(token, how = 'whole') {
      const invoice = getInvoice(token);
      invoice.state = how === 'whole' ? 'paid' : 'short';
      parts.pay?.(invoice);
    },
    revoke(isNow = true) {
      isRevoked = isNow;
    },
    expire(token) {
      getInvoice(token).state = 'expired';
    },
    delayRefunds() {
      isHeld = true;
    },
    setSilent(isTo) {
      isSilent = isTo;
    },
    settleRefund: (token, isDone) => parts.settleRefund?.(getInvoice(token), isDone),
    refund(token) {
      const invoice = getInvoice(token);
      invoice.refunded = invoice.amount;
      parts.refund?.(invoice);
    },
    hook: (token) => parts.hook(getInvoice(token)),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The number of the next invoice, and the moment at which it is made: a second apart, so that lists have an order. */
export function newInvoice(
  invoices: FakeInvoice[],
  prefix: string,
  { token, amount, currency }: Pick<FakeInvoice, 'token' | 'amount' | 'currency'>,
  deleted = 0,
): FakeInvoice {
  const number = invoices.length + deleted + 1;
  const createdAt = FIRST + passed + number * 1000;
  const invoice: FakeInvoice = {
    id: `${prefix}${number}`,
    token,
    amount,
    currency,
    createdAt,
    state: 'open',
    refunded: '0',
  };
  invoices.push(invoice);
  return invoice;
}

const FIRST = Date.UTC(2026, 10, 20);
let passed = 0;

/** What is made from now on is made so much later. */
export function advanceClock(ms: number): void {
  passed += ms;
}
