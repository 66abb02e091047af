// A rule of subscription links that applies to every app and changes nothing.
import type { SubscriptionRule } from '../../src/contract/subscription/rules.ts';

export const PLAIN_RULE: SubscriptionRule = {
  id: 1,
  name: 'Rule',
  enabled: true,
  apps: [],
  requires: [],
  action: 'serve',
  format: null,
  template: null,
  text: '',
  headers: [],
};
