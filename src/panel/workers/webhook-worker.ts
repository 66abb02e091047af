// The webhook thread: sends requests, so that TLS and replies do not slow down the thread that answers requests.
import { systemTimers } from '../../adapters/clock.ts';
import { createWebhookClient } from '../../adapters/webhook-client.ts';
import { serveTasks } from '../../adapters/worker-thread.ts';

const { post, close } = createWebhookClient({ timers: systemTimers });
const tasks = { post };

export type WebhookTasks = typeof tasks;

serveTasks(tasks, close);
