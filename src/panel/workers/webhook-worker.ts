// The webhook thread: sends requests, so that connections, TLS and replies take no time of the thread that answers the panel's users.
import { systemTimers } from '../../adapters/clock.ts';
import { createWebhookClient } from '../../adapters/webhook-client.ts';
import { serveTasks } from '../../adapters/worker-thread.ts';

const { post, close } = createWebhookClient({ timers: systemTimers });
const tasks = { post };

export type WebhookTasks = typeof tasks;

serveTasks(tasks, close);
