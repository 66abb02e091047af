// The payment thread: connects to payment providers, so that TLS and replies do not slow down the thread that answers requests.
import { systemClock, systemTimers } from '../../adapters/clock.ts';
import { createOutboundClient } from '../../adapters/outbound-client.ts';
import { listenForReplyDates } from '../../adapters/reply-dates.ts';
import { sendReplyDate, serveTasks } from '../../adapters/worker-thread.ts';
import type {
  InvoiceRequest,
  PaymentQuery,
  ProviderAccess,
  RefundRequest,
  Webhook,
} from '../../core/ports/providers.ts';
import { CLIENT_BOUNDS, createProviders } from '../../payments/providers.ts';

listenForReplyDates(sendReplyDate);

const client = createOutboundClient({
  timers: systemTimers,
  ...CLIENT_BOUNDS,
  // Loaded only if a proxy is configured, which is rare.
  proxyAgent: async (url, allowPrivate, proxy) =>
    (await import('../../adapters/outbound-agent.ts')).createOutboundAgent(url, allowPrivate, proxy),
});
const providers = createProviders({ client, clock: systemClock, timers: systemTimers });

const tasks = {
  probe: ({ access }: { access: ProviderAccess }) => providers.probe(access),
  open: ({ access, request }: { access: ProviderAccess; request: InvoiceRequest }) => providers.open(access, request),
  read: ({ access, asked }: { access: ProviderAccess; asked: PaymentQuery }) => providers.read(access, asked),
  end: ({ access, asked }: { access: ProviderAccess; asked: PaymentQuery }) => providers.end(access, asked),
  since: ({ access, cursor }: { access: ProviderAccess; cursor: Parameters<typeof providers.since>[1] }) =>
    providers.since(access, cursor),
  refund: ({ access, refund }: { access: ProviderAccess; refund: RefundRequest }) => providers.refund(access, refund),
  readRefund: ({ access, refundId }: { access: ProviderAccess; refundId: string }) =>
    providers.readRefund(access, refundId),
  hint: ({ access, webhook }: { access: ProviderAccess; webhook: Webhook }) => providers.hint(access, webhook),
};

export type PaymentTasks = typeof tasks;

serveTasks(tasks, providers.close);
