// Implements the core's port for all payment providers: chooses the adapter of an account, and queues the requests of each account.
import { PROVIDER_FIELDS, type ProviderKind } from '../contract/sales/providers.ts';
import type { OutboundClient } from '../core/ports/outbound.ts';
import type { Clock, Timers } from '../core/ports/ports.ts';
import type { PaymentProviders, ProviderAccess, ProviderFacts, ProviderFailure } from '../core/ports/providers.ts';
import { acceptsPrice, type Money } from '../domain/sales/money.ts';
import { type Adapter, createLink, failure, isFailure, type Link, sanitizeCodes } from './adapter.ts';
import { cryptoPay } from './crypto-pay.ts';
import { heleket } from './heleket.ts';
import { stars } from './stars.ts';
import { stripe } from './stripe.ts';
import { yookassa } from './yookassa.ts';

const ADAPTERS: Readonly<Record<ProviderKind, Adapter>> = {
  stars,
  crypto_pay: cryptoPay,
  yookassa,
  stripe,
  heleket,
};

export function providerFacts(kind: ProviderKind): ProviderFacts {
  const { pollIntervalMs, lookbackMs, listReachMs, amounts, refund } = ADAPTERS[kind];
  const { prices, minimums } = amounts;
  return { pollIntervalMs, lookbackMs, listReachMs, prices, minimums, canRefund: refund !== null };
}

/** Formats a price for the provider; null: the provider does not accept it. */
function writePrice({ amounts }: Adapter, price: Money): string | null {
  return acceptsPrice(amounts, price) ? amounts.write(price) : null;
}

/** Like writePrice, for a refund, which may be below the provider's minimum price. */
function writeRefund({ amounts }: Adapter, price: Money): string | null {
  return acceptsPrice({ ...amounts, minimums: {} }, price) ? amounts.write(price) : null;
}

/** Bounds of the HTTP client. The timeout is YooKassa's, which regards a reply as lost after 30 s. */
export const CLIENT_BOUNDS = {
  timeoutMs: 30_000,
  maxReplyBytes: 2 ** 20,
  reply: 'read',
  reusesConnections: false,
} as const;

/** Requests that one account may have in its queue; further ones fail as `rate_limited`. */
const MAX_WAITING = 200;

interface Machine {
  readonly client: OutboundClient;
  readonly clock: Clock;
  readonly timers: Pick<Timers, 'after'>;
}

/** The requests of one account, one at a time and no faster than its provider allows. */
interface Queue {
  waiting: number;
  last: Promise<unknown>;
  /** Calls that a buyer waits for. They run between two requests of a call that only reads. */
  readonly urgent: (() => Promise<unknown>)[];
}

export function createProviders({ client, clock, timers }: Machine): Omit<PaymentProviders, 'isRefused'> {
  const queues = new Map<number, Queue>();
  const pauses = new Set<() => void>();
  let isClosed = false;

  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const end = () => {
        cancel();
        pauses.delete(end);
        resolve();
      };
      const cancel = timers.after(ms, end);
      pauses.add(end);
    });

  async function inTurn<T extends object>(
    access: ProviderAccess,
    work: (adapter: Adapter, link: Link) => Promise<T | ProviderFailure>,
    kind: 'reads' | 'acts' | 'urgent' = 'acts',
  ): Promise<T | ProviderFailure> {
    const adapter = ADAPTERS[access.kind];
    const queue = queues.get(access.id) ?? { waiting: 0, last: Promise.resolve(), urgent: [] };
    queues.set(access.id, queue);
    if (queue.waiting >= MAX_WAITING) return failure('rate_limited');
    queue.waiting += 1;
    const run = async () => {
      if (isClosed) return failure('stopped');
      const secrets = listSecrets(access);
      const between = kind === 'reads' ? () => runUrgent(queue) : null;
      const link = createLink(pacedClient(adapter.paceMs, between), adapter.amounts, access, secrets, clock.now());
      try {
        const answer = await work(adapter, link);
        if (!isFailure(answer) || answer.codes === undefined) return answer;
        return { ...answer, codes: sanitizeCodes(answer.codes, secrets) };
      } catch {
        // A fault of the adapter. The error is dropped because its text may contain parts of the request.
        return failure('malformed', true);
      }
    };
    const done = kind === 'urgent' ? enqueueUrgent(queue, run) : queue.last.then(run);
    queue.last = Promise.all([queue.last, done]).finally(() => {
      queue.waiting -= 1;
    });
    return done;
  }

  /** A client that pauses for the provider's pace after each request. `between` runs before each request. */
  function pacedClient(paceMs: number, between: (() => Promise<void>) | null): OutboundClient {
    return {
      ...client,
      async send(request) {
        await between?.();
        if (isClosed) return { error: 'stopped' };
        const outcome = await client.send(request);
        await pause(paceMs);
        return outcome;
      },
    };
  }

  return {
    facts: providerFacts,
    probe: (access) => inTurn(access, (adapter, link) => adapter.probe(link), 'reads'),
    open: (access, { price, ...request }) =>
      inTurn(
        access,
        async (adapter, link) => {
          const amount = writePrice(adapter, price);
          if (amount === null) return failure('unsupported');
          return adapter.open(link, { ...request, amount, currency: price.currency });
        },
        'urgent',
      ),
    read: (access, query) =>
      inTurn(access, async ({ read }, link) => (read === null ? failure('unsupported') : read(link, query)), 'reads'),
    end: (access, { externalId }) =>
      inTurn(access, async (adapter, link) => {
        return adapter.end && externalId !== null ? adapter.end(link, externalId) : failure('unsupported');
      }),
    since: (access, cursor) =>
      inTurn(
        access,
        (adapter, link) => {
          const isMoment = typeof cursor === 'object' && cursor !== null;
          return adapter.since(link, isMoment ? (adapter.cursorFrom?.(cursor.from) ?? null) : cursor);
        },
        'reads',
      ),
    refund: (access, { price, ...refund }) =>
      inTurn(access, async (adapter, link) => {
        const amount = writeRefund(adapter, price);
        if (amount === null) return failure('unsupported');
        return adapter.refund?.(link, { ...refund, amount, currency: price.currency }) ?? failure('unsupported');
      }),
    readRefund: (access, refundId) =>
      inTurn(access, async (adapter, link) => adapter.readRefund?.(link, refundId) ?? failure('unsupported')),
    async hint({ kind, fields }, webhook) {
      return ADAPTERS[kind].hint?.({ ...webhook, fields }) ?? null;
    },
    close() {
      isClosed = true;
      client.close();
      for (const end of pauses) end();
    },
  };
}

/** Runs between two requests of a call that only reads, or in its own turn, whichever comes first. */
function enqueueUrgent<T>(queue: Queue, run: () => Promise<T>): Promise<T> {
  const outcome = Promise.withResolvers<T>();
  queue.urgent.push(() => run().then(outcome.resolve, outcome.reject));
  void queue.last.then(() => runUrgent(queue));
  return outcome.promise;
}

async function runUrgent({ urgent }: Queue): Promise<void> {
  for (let next = urgent.shift(); next !== undefined; next = urgent.shift()) await next();
}

/** Secrets of the account, which no answer of an adapter may contain. */
function listSecrets({ kind, fields }: ProviderAccess): readonly string[] {
  return PROVIDER_FIELDS[kind].flatMap(({ name, isSecret }) => (isSecret && fields[name] ? [fields[name]] : []));
}
