// Name and state of a webhook: its description, and of several states the one that needs attention first.
import { expect, it } from 'vitest';
import { describeWebhook, getWebhookName } from './webhook-texts.ts';

it('is named by its description, or else by its URL', () => {
  expect(getWebhookName({ description: 'Shop', url: 'https://a.example/' })).toBe('Shop');
  expect(getWebhookName({ description: '', url: 'https://a.example/' })).toBe('https://a.example/');
});

it.each([
  [null, true, null, 'webhooks.state.active'],
  [null, true, '2026-11-20T10:00:00.000Z', 'webhooks.state.failing'],
  [null, false, '2026-11-20T10:00:00.000Z', 'webhooks.state.noSecret'],
  ['administrator', true, null, 'webhooks.state.disabled'],
  ['gone', false, null, 'webhooks.state.gone'],
  ['failing', true, '2026-11-20T10:00:00.000Z', 'webhooks.state.gaveUp'],
] as const)(
  'disabled by %s, with a secret %s, failing since %s: %s',
  (disabled_reason, has_secret, failing_since, text) => {
    expect(describeWebhook({ disabled_reason, has_secret, failing_since }).text).toBe(text);
  },
);
