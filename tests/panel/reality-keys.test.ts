// Private keys of REALITY connections: sealed when they come in, never sent back, gone with their connection.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createClient } from '../support/http-client.ts';
import { openOwnPanel } from '../support/own-panel.ts';

let keys = '';
beforeEach(() => {
  keys = mkdtempSync(join(tmpdir(), 'gatehouse-key-'));
});
afterEach(() => rmSync(keys, { recursive: true, force: true }));

const CONNECTION = {
  node_id: 1,
  tag: 'r',
  name: 'R',
  protocol: 'vless',
  security: 'reality',
  port: 443,
  sni: 'a.example',
} as const;

it('are sealed, give their public key, and leave no trace', async () => {
  await using own = await openOwnPanel({ keyFile: join(keys, 'master.key') });
  const keyFile = join(keys, 'master.key');
  expect((await own.administrator.call('getVault', {})).body).toMatchObject({ state: 'headless', key_file: keyFile });
  await own.administrator.call('createNode', { name: 'N', address: 'n.example.com' });
  const client = createClient({ baseUrl: own.panel.baseUrl, key: await own.newKey('full'), ca: own.ca });
  const pair = (await own.administrator.call('makeRealityKeys', {})).body;
  const made = await client.call('createInbound', { ...CONNECTION, private_key: pair.private_key });
  expect(made.body).toMatchObject({ public_key: pair.public_key, has_private_key: true });
  const other = (await own.administrator.call('makeRealityKeys', {})).body;
  const wrong = await client.call('updateInbound', {
    id: 1,
    private_key: other.private_key,
    public_key: pair.public_key,
  });
  expect(wrong.problem.errors?.[0]).toMatchObject({ pointer: '#/public_key', code: 'key_mismatch' });
  const changed = await client.call('updateInbound', { id: 1, private_key: other.private_key });
  expect(changed.body.public_key).toBe(other.public_key);
  const audit = JSON.stringify((await own.administrator.call('listAudit', {})).body);
  const files = readdirSync(own.folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const bytes = Buffer.concat(files.map((entry) => readFileSync(join(entry.parentPath, entry.name))));
  for (const canary of [pair.private_key, other.private_key]) {
    expect(bytes.includes(canary)).toBe(false);
    expect(bytes.includes(Buffer.from(canary, 'base64url'))).toBe(false);
    expect(audit + made.text + changed.text).not.toContain(canary);
  }
  await client.call('updateInbound', { id: 1, private_key: null });
  expect((await client.call('getInbound', { id: 1 })).body.has_private_key).toBe(false);
  client.close();
});

it('are refused, with everything as it was, where there is no vault', async () => {
  await using own = await openOwnPanel({ keyFile: join(keys, 'missing', 'master.key') });
  await own.administrator.call('createNode', { name: 'N', address: 'n.example.com' });
  const pair = (await own.administrator.call('makeRealityKeys', {})).body;
  const refused = await own.administrator.call('createInbound', { ...CONNECTION, private_key: pair.private_key });
  expect(refused.problem).toMatchObject({ status: 503, detail: 'vault_unavailable' });
  expect((await own.administrator.call('listInbounds', {})).body.total).toBe(0);
  const without = await own.administrator.call('createInbound', { ...CONNECTION, public_key: pair.public_key });
  expect(without.status).toBe(201);
});
