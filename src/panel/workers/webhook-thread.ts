// The webhook thread behind the core's port.
import { isRefusedUrl } from '../../adapters/outbound-client.ts';
import { moduleBeside, openTaskThread } from '../../adapters/worker-thread.ts';
import type { Log } from '../../core/ports/ports.ts';
import type { WebhookClient } from '../../core/ports/webhooks.ts';
import type { WebhookTasks } from './webhook-worker.ts';

const IDLE_MS = 60_000;

export function createWebhookThread(log: Log): WebhookClient {
  const thread = openTaskThread<WebhookTasks>({
    name: 'webhook thread',
    module: moduleBeside(import.meta.url, 'webhook-worker'),
    idleMs: IDLE_MS,
    log,
  });
  let isClosed = false;
  return {
    isRefused: isRefusedUrl,
    async post(request) {
      try {
        return await thread.run('post', request);
      } catch (error) {
        if (isClosed) return { error: 'stopped' };
        log.error('webhook thread failed', { error: String(error) });
        return { error: 'connection' };
      }
    },
    close() {
      isClosed = true;
      void thread.abort();
    },
  };
}
