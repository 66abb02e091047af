// Sends webhooks: without reading what is answered, and over idle connections where there are some.
import type { WebhookClient } from '../core/ports/webhooks.ts';
import { createOutboundClient, isRefusedUrl, type OutboundMachine } from './outbound-client.ts';

const TIMEOUT_MS = 15_000;
/** A longer reply costs its connection. */
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
      // The status of a long reply came before it was long.
      return { error: outcome.error === 'too_long' ? 'connection' : outcome.error };
    },
    close: client.close,
  };
}
