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

it('of VLESS encryption and ML-DSA-65 are sealed too, and give what apps have', async () => {
  await using own = await openOwnPanel({ keyFile: join(keys, 'master.key') });
  await own.administrator.call('createNode', { name: 'N', address: 'n.example.com' });
  const client = createClient({ baseUrl: own.panel.baseUrl, key: await own.newKey('full'), ca: own.ca });
  const choice = { authentication: 'mlkem768', appearance: 'random' } as const;
  const [halves, other] = [
    (await own.administrator.call('makeVlessEncryption', choice)).body,
    (await own.administrator.call('makeVlessEncryption', { ...choice, authentication: 'x25519' })).body,
  ];
  const seeds = (await own.administrator.call('makeMldsa65', {})).body;
  const { decryption } = halves;
  const given = { ...CONNECTION, public_key: 'k'.repeat(43), decryption, mldsa65_seed: seeds.mldsa65_seed };
  const made = await client.call('createInbound', given);
  const shown = { encryption: halves.encryption, mldsa65_verify: seeds.mldsa65_verify };
  expect(made.body).toMatchObject(shown);
  const update = (change: object) => client.call('updateInbound', { id: 1, ...change });
  for (const [change, pointer, code] of [
    [{ encryption: other.encryption }, '#/encryption', 'key_mismatch'],
    [{ decryption: other.decryption, encryption: halves.encryption }, '#/encryption', 'key_mismatch'],
    [{ decryption: null, encryption: halves.encryption }, '#/decryption', 'required'],
    [{ mldsa65_verify: 'v'.repeat(2603) }, '#/mldsa65_verify', 'key_mismatch'],
    [{ security: 'none', public_key: null, sni: null }, '#/mldsa65_verify', 'inconsistent'],
  ] as const) {
    expect((await update(change)).problem.errors?.map((error) => [error.pointer, error.code])).toContainEqual([
      pointer,
      code,
    ]);
  }
  // Apps may resume or not, and pad as they like.
  const padded = halves.encryption.replace('.0rtt.', '.1rtt.100-111-1111.');
  expect((await update({ encryption: padded })).body.encryption).toBe(padded);
  const changed = await update({ decryption: other.decryption });
  expect(changed.body).toMatchObject({ ...shown, encryption: other.encryption });
  const audit = JSON.stringify((await own.administrator.call('listAudit', {})).body);
  const files = readdirSync(own.folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const bytes = Buffer.concat(files.map((entry) => readFileSync(join(entry.parentPath, entry.name))));
  for (const canary of [decryption, other.decryption, seeds.mldsa65_seed].map((text) => text.split('.').at(-1) ?? '')) {
    expect(bytes.includes(canary)).toBe(false);
    expect(bytes.includes(Buffer.from(canary, 'base64url'))).toBe(false);
    expect(audit + made.text + changed.text).not.toContain(canary);
  }
  expect((await update({ decryption: null, mldsa65_verify: null })).body).toMatchObject({
    encryption: null,
    mldsa65_verify: null,
  });
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
