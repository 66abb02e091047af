// The name and the state of a webhook in lists.
import type { Webhook } from '../../../../../contract/webhooks.ts';
import type { State } from '../../../components/state.tsx';

export const WEBHOOKS_PATH = ['settings', 'security', 'webhooks'] as const;

/** Its description; if that is empty, its URL. */
export function getWebhookName({ description, url }: Pick<Webhook, 'description' | 'url'>): string {
  return description === '' ? url : description;
}

interface Look {
  readonly state: State;
  readonly text: `webhooks.state.${'active' | 'failing' | 'disabled' | 'gone' | 'gaveUp' | 'noSecret'}`;
}

const DISABLED = {
  administrator: { state: 'disabled', text: 'webhooks.state.disabled' },
  gone: { state: 'expired', text: 'webhooks.state.gone' },
  failing: { state: 'expired', text: 'webhooks.state.gaveUp' },
} as const;

type WebhookHealth = Pick<Webhook, 'disabled_reason' | 'has_secret' | 'failing_since'>;

/** The webhook's state; of several, the one that needs attention first. */
export function describeWebhook({ disabled_reason, has_secret, failing_since }: WebhookHealth): Look {
  if (disabled_reason !== null) return DISABLED[disabled_reason];
  if (!has_secret) return { state: 'down', text: 'webhooks.state.noSecret' };
  if (failing_since !== null) return { state: 'degraded', text: 'webhooks.state.failing' };
  return { state: 'enabled', text: 'webhooks.state.active' };
}
