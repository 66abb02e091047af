// Rules of subscription links, headers for single apps, the offered apps, and a preview of the reply to an app.

import { DEFAULT_APPS } from '../../contract/subscription/default-apps.ts';
import type { SubscriptionHeaders } from '../../contract/subscription/headers.ts';
import type { Input, Output } from '../../contract/table.ts';
import type { Context, Handlers, Transaction } from '../kernel/context.ts';
import { PanelError } from '../kernel/panel-error.ts';
import { changedMembers, isSameJson } from '../kernel/wire.ts';
import type { Result } from '../ports/call.ts';
import type { SettingValues } from '../ports/settings.ts';
import { findSubscription } from './subscription.ts';

function saveRules(
  { items }: Input<'saveSubscriptionRules'>,
  tx: Transaction,
): Result<Output<'saveSubscriptionRules'>> {
  if (!isSameJson(items, tx.settings.subscriptionRules)) {
    tx.saveSettings({ subscriptionRules: items });
    tx.emit('settings.changed', {}, ['subscription_rules']);
    tx.audit('settings', { subscription_rules: items });
  }
  return { body: { items } };
}

function saveHeaders(headers: Input<'saveSubscriptionHeaders'>, tx: Transaction): Result<SubscriptionHeaders> {
  const changed = changedMembers(tx.settings.subscriptionHeaders, headers);
  if (changed.length > 0) {
    tx.saveSettings({ subscriptionHeaders: headers });
    tx.emit('settings.changed', {}, changed);
    tx.audit('settings', { subscription_headers: headers });
  }
  return { body: headers };
}

function viewApps({ subscriptionApps }: Pick<SettingValues, 'subscriptionApps'>): Output<'getSubscriptionApps'> {
  return { items: [...(subscriptionApps ?? DEFAULT_APPS)], is_default: subscriptionApps === null };
}

function saveApps({ items }: Input<'saveSubscriptionApps'>, tx: Transaction): Result<Output<'saveSubscriptionApps'>> {
  if (!isSameJson(items, tx.settings.subscriptionApps)) {
    tx.saveSettings({ subscriptionApps: items });
    tx.emit('settings.changed', {}, ['subscription_apps']);
    tx.audit('settings', { subscription_apps: items });
  }
  return { body: viewApps({ subscriptionApps: items }) };
}

function tryLink(
  { id, user_agent, accept, format, headers, rules }: Input<'trySubscription'>,
  { env, now, settings, store }: Context,
): Result<Output<'trySubscription'>> {
  const token = store.users.get(id)?.token;
  const subscription = token === undefined ? null : findSubscription(env, token);
  if (subscription === null) throw new PanelError('not_found');
  if (!env.subscriptionReply) throw new PanelError('unavailable');
  const sent = { accept, 'user-agent': user_agent };
  const usual = Object.entries(sent).filter(([, value]) => value !== '');
  const allHeaders = Object.fromEntries([...usual, ...headers.map(({ name, value }) => [name, value] as const)]);
  const reply = env.subscriptionReply(
    subscription,
    { ...settings, subscriptionRules: rules ?? settings.subscriptionRules },
    { userAgent: allHeaders['user-agent'], accept: allHeaders.accept, format: format || undefined, allHeaders, now },
  );
  const { rule } = reply.choice;
  return {
    body: {
      status: reply.status,
      format: reply.choice.format,
      reason: reply.choice.reason,
      rule: rule && { id: rule.id, name: rule.name },
      headers: Object.entries(reply.headers).map(([name, value]) => ({ name, value })),
      body: reply.body,
    },
  };
}

export const LINK_SETTING_HANDLERS = {
  getSubscriptionRules: {
    read: (_input: Input<'getSubscriptionRules'>, { settings }: Context) => ({
      body: { items: [...settings.subscriptionRules] },
    }),
  },
  saveSubscriptionRules: { write: saveRules },
  getSubscriptionHeaders: {
    read: (_input: Input<'getSubscriptionHeaders'>, { settings }: Context) => ({ body: settings.subscriptionHeaders }),
  },
  saveSubscriptionHeaders: { write: saveHeaders },
  getSubscriptionApps: {
    read: (_input: Input<'getSubscriptionApps'>, { settings }: Context) => ({ body: viewApps(settings) }),
  },
  saveSubscriptionApps: { write: saveApps },
  trySubscription: { read: tryLink, opensTransaction: true },
} satisfies Handlers<
  | 'getSubscriptionRules'
  | 'saveSubscriptionRules'
  | 'getSubscriptionHeaders'
  | 'saveSubscriptionHeaders'
  | 'getSubscriptionApps'
  | 'saveSubscriptionApps'
  | 'trySubscription'
>;
