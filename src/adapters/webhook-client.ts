// Sends webhooks: ignores the reply's body, and reuses idle connections.
import type { WebhookClient } from '../core/ports/webhooks.ts';
import { createOutboundClient, isRefusedUrl, type OutboundMachine } from './outbound-client.ts';

const TIMEOUT_MS = 15_000;
/** A longer reply closes its connection. */
const MAX_REPLY_BYTES = 65_536;

export function createWebhookClient(machine: OutboundMachine): WebhookClient {
  const client = createOutboundClient({
    ...machine,
    timeoutMs: TIMEOUT_MS,
    maxReplyBytes: MAX_REPLY_BYTES,
    reply: 'ignored',
    reusesConnections: true,
  });
  return {
    isRefused: isRefusedUrl,
    async post(request) {
      const outcome = await client.send({ ...request, method: 'POST' });
      if (!('error' in outcome)) return { status: outcome.status, retryAfter: outcome.retryAfter };
      // A reply that is too long still had its status.
      return { error: outcome.error === 'too_long' ? 'connection' : outcome.error };
    },
    close: client.close,
  };
}
