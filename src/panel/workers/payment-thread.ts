// The payment thread behind the core's port.
import { isRefusedUrl } from '../../adapters/outbound-client.ts';
import { moduleBeside, openTaskThread } from '../../adapters/worker-thread.ts';
import type { Log } from '../../core/ports/ports.ts';
import type { PaymentProviders, ProviderFailure } from '../../core/ports/providers.ts';
import { providerFacts } from '../../payments/providers.ts';
import type { PaymentTasks } from './payment-worker.ts';

const IDLE_MS = 60_000;

/** `onReplyDate`: called with the date (epoch ms) of a provider's reply. */
export function createPaymentThread(log: Log, onReplyDate: (at: number) => void): PaymentProviders {
  const thread = openTaskThread<PaymentTasks>({
    name: 'payment thread',
    module: moduleBeside(import.meta.url, 'payment-worker'),
    idleMs: IDLE_MS,
    log,
    onReplyDate,
  });
  let isClosed = false;

  /** The thread ended during its tasks: their outcome is unknown. */
  const orFailure = <T>(outcome: Promise<T>): Promise<T | ProviderFailure> =>
    outcome.catch((): ProviderFailure => {
      // Without the error: its text may contain what was sent.
      if (!isClosed) log.error('payment thread failed');
      return { error: isClosed ? 'stopped' : 'connection', retryAfterMs: 0, isUnclear: true };
    });

  return {
    facts: providerFacts,
    isRefused: isRefusedUrl,
    probe: (access) => orFailure(thread.run('probe', { access })),
    open: (access, request) => orFailure(thread.run('open', { access, request })),
    read: (access, asked) => orFailure(thread.run('read', { access, asked })),
    end: (access, asked) => orFailure(thread.run('end', { access, asked })),
    since: (access, cursor) => orFailure(thread.run('since', { access, cursor })),
    refund: (access, refund) => orFailure(thread.run('refund', { access, refund })),
    readRefund: (access, refundId) => orFailure(thread.run('readRefund', { access, refundId })),
    hint: (access, webhook) => orFailure(thread.run('hint', { access, webhook })),
    close() {
      isClosed = true;
      void thread.abort();
    },
  };
}
