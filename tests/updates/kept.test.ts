// Users and their traffic over an update, and over one that fails: every row of them is as it was.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { noVault } from '../../src/adapters/vault/vault.ts';
import { createHeavyEnv } from '../../src/core/create-core.ts';
import { machineParts } from '../../src/panel/machine-parts.ts';
import { openPanel } from '../../src/panel/panel.ts';
import { openConnection } from '../../src/store/database.ts';
import { openStore } from '../../src/store/index.ts';
import { createAdministrator } from '../support/administrator.ts';
import { CHEAP_COST } from '../support/cheap-password.ts';
import { countTraffic } from '../support/count-traffic.ts';
import { type Installed, openInstalled, PATIENT } from './installed.ts';

const PASSWORD = 'correct horse battery';
const USERS = 50;
/** No table: the code of this version would have no restore class for it. */
const MIGRATION = 'CREATE INDEX more ON tariffs (created_at);';
/** Migrates the data, as a start does, and ends. */
const MIGRATES_AND_ENDS = `if (command !== 'serve') await run();
else {
  const { spawnSync } = await import('node:child_process');
  const data = process.env.GATEHOUSE_DATA + '/panel.db';
  const tried = spawnSync(process.execPath, [process.argv[1], 'try-database', data], { stdio: 'inherit' });
  process.exit(tried.status === 0 ? 9 : 8);
}`;

/** What users are and have used. */
const KEPT = [
  ...['users', 'user_credentials', 'user_tags', 'user_inbounds', 'grants', 'tariffs', 'inbounds', 'orders', 'api_keys'],
  ...['user_hours', 'user_days', 'user_months', 'node_hours', 'node_days', 'node_totals', 'inbound_totals'],
] as const;

let here: Installed;
beforeEach(async () => {
  here = await openInstalled();
});
afterEach(() => here[Symbol.asyncDispose]());

/** A panel with users in it who have moved traffic. */
async function fillPanel({ data }: Installed): Promise<void> {
  const panel = await openPanel({
    folder: data,
    port: 0,
    keyFile: join(dirname(data), 'key'),
    passwordCost: CHEAP_COST,
  });
  await panel.core.local.setUp('admin', PASSWORD);
  const administrator = createAdministrator(panel.panelUrl, readFileSync(join(data, 'tls/ca.pem'), 'utf8'));
  await administrator.call('signIn', { name: 'admin', password: PASSWORD });
  const nodeId = (await administrator.call('createNode', { name: 'N', address: 'n.example', kind: 'remote' })).body.id;
  const connection = { node_id: nodeId, tag: 'in', name: 'In', protocol: 'vless', port: 443 } as const;
  const inboundId = (await administrator.call('createInbound', connection)).body.id;
  const plan = { name: 'Monthly', duration: { months: 1 }, traffic_limit: 1_000_000_000 } as const;
  const tariff_id = (await administrator.call('createTariff', plan)).body.id;
  await administrator.call('createKey', { name: 'bot', access: 'full', password: PASSWORD });
  const users = [];
  for (let count = 0; count < USERS; count += 1) {
    users.push((await administrator.call('createUser', { name: `User ${count}`, tariff_id, tags: ['a'] })).body.id);
  }
  administrator.close();
  await panel.close();
  const store = openStore(join(data, 'panel.db'));
  const log = { info() {}, warn() {}, error() {} };
  const env = createHeavyEnv({
    ...machineParts(),
    store,
    vault: noVault,
    log,
    heavy: null,
    host: () => null,
    origin: () => '',
  });
  const moved = users.map((userId) => ({ userId, up: userId * 1000, down: userId * 10_000 }));
  const total = { up: 1_275_000, down: 12_750_000 };
  env.transactNow({ name: 'traffic', by: 'node' }, (tx) =>
    countTraffic(tx, { nodeId, total, users: moved, inbounds: [{ inboundId, ...total }] }),
  );
  store.close();
}

/** Every row of those tables. */
function readKept({ data }: Installed): Readonly<Record<string, readonly unknown[]>> {
  const db = openConnection(join(data, 'panel.db'), { readonly: true });
  try {
    return Object.fromEntries(KEPT.map((table) => [table, db.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all()]));
  } finally {
    db.close();
  }
}

it.each([
  { what: 'an update', build: { migration: MIGRATION }, code: 0, version: '1.1.0' },
  {
    what: 'one that migrates and fails',
    build: { migration: MIGRATION, main: MIGRATES_AND_ENDS },
    code: 1,
    version: '1.0.0',
  },
  {
    what: 'one that fails at once',
    build: { main: "if (command === 'serve') process.exit(1); await run();" },
    code: 1,
    version: '1.0.0',
  },
])('are the same after $what', async ({ build, code, version }) => {
  await fillPanel(here);
  await here.serve();
  const before = readKept(here);
  const total = { up: 1_275_000, down: 12_750_000 };
  expect([before.users?.length, before.user_hours?.length]).toEqual([USERS, USERS]);
  expect(before.node_totals).toMatchObject([total, total]);
  here.server.publish({ version: '1.1.0', ...build });
  const updated = await here.run(['update', '--wait', '10']);
  expect(updated.code, updated.out).toBe(code);
  await expect.poll(here.running, PATIENT).toBe(version);
  expect(readKept(here)).toEqual(before);
});
