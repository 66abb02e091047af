// One record of everything that the panel keeps, all named by the same text, and every place where such records are shown.
import { ADMIN, type BrowserPanel } from './panels.ts';
import { makeUser, otherWindow } from './users.ts';

export interface Made {
  readonly userId: number;
  readonly planId: number;
  readonly nodeId: number;
  readonly connectionId: number;
}

/** `name`: at most 60 characters, as a panel's title may have. */
export async function makeOneOfEach(panel: BrowserPanel, name: string): Promise<Made> {
  const { call } = otherWindow(panel);
  const { body: node } = await call('createNode', { name, address: 'node.example.net' });
  const { body: connection } = await call('createInbound', {
    node_id: node.id,
    tag: 'one',
    name,
    protocol: 'vless',
    port: 443,
    security: 'tls',
    network: 'ws',
    path: '/ws',
    host: 'a.example.net',
    sni: 'a.example.net',
  });
  const { body: plan } = await call('createTariff', { name, traffic_limit: 50_000_000_000, duration: { months: 1 } });
  const price = { amount: 499, currency: 'EUR' };
  const { body: offer } = await call('createOffer', {
    tariff_id: plan.id,
    name,
    sold: { kind: 'months', months: 1 },
    prices: [price],
    on_sale: true,
  });
  await call('createPromo', { code: `ONE${offer.id}`, effect: { kind: 'percent', percent: 20 }, note: name });
  const user = await makeUser(panel, name, {
    tariff_id: plan.id,
    contact: name,
    note: name,
    tags: [name.slice(0, 32)],
  });
  await call('createGrant', { id: user.id, bytes: 1_000_000_000, lifetime: 'used', note: name });
  const payment = { key: `of ${user.id} by hand`, user_id: user.id, offer_id: offer.id, ...price } as const;
  await call('recordPayment', { ...payment, method: 'cash', reference: name, note: name, password: ADMIN.password });
  await call('updateUser', { id: user.id, enabled: false });
  await call('updateUser', { id: user.id, enabled: true });
  await call('createKey', { name, access: 'full', password: ADMIN.password });
  const hook = { url: 'http://127.0.0.1:9/', description: name, types: null, allow_private: true };
  await call('createWebhook', { ...hook, password: ADMIN.password });
  await call('createBackup', {});
  await call('updateSettings', { panel_title: name, subscription_title: name, announcement: name });
  return { userId: user.id, planId: plan.id, nodeId: node.id, connectionId: connection.id };
}

/** Behind `#/`: the lists that have the records, and the records. */
export function placesOfRecords({ userId, planId, nodeId, connectionId }: Made): readonly string[] {
  return [
    'overview',
    'users',
    `users/${userId}`,
    'plans',
    `plans/${planId}`,
    'sales/orders',
    'sales/reconciliation',
    'sales/offers',
    'sales/promos',
    'sales/referrals',
    'connections',
    `connections/${connectionId}`,
    'nodes',
    `nodes/${nodeId}`,
    'audit',
    'settings/general',
    'settings/subscription',
    'settings/security/api',
    'settings/security/webhooks',
    'settings/security/webhooks/1',
  ];
}

/** Every screen, every record and every form. */
export function everyPlace(made: Made): readonly string[] {
  return [
    ...placesOfRecords(made),
    'overview?range=7d&by=node',
    `users/${made.userId}?do=extend`,
    'users/new',
    'users/broadcast',
    'users/999999',
    'plans/new',
    'sales',
    'sales/offers/new',
    'sales/promos/new',
    'connections/new',
    'nodes/new',
    'audit/1',
    'settings/addresses',
    'settings/certificates',
    'settings/certificates/import',
    'settings/security',
    'settings/security/api/new',
    'settings/security/api/docs',
    'settings/updates',
    'settings/security/webhooks/new',
    'settings/payments',
    'settings/payments/new',
    'settings/backups',
  ];
}
