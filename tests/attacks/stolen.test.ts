// What a thief has after he copied a session whole, or could write where backups lie: neither gives him the panel.
import { renameSync } from 'node:fs';
import https from 'node:https';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nodeCrypto } from '../../src/adapters/crypto.ts';
import { needsProof, type Operation } from '../../src/contract/operation.ts';
import { OPERATIONS, type OperationId } from '../../src/contract/table.ts';
import { base62FromBytes, formatKey } from '../../src/domain/key-format.ts';
import { tamper } from '../backup/tamper.ts';
import { PASSWORD } from '../support/cli.ts';
import { createClient } from '../support/http-client.ts';
import { type Attacked, openAttacked } from './attacked.ts';

const OWNER = '203.0.113.9';
const STRANGER = '198.51.100.7';

/** The input of an operation's example, without a proof; or another where that needs none. */
function buildInput(id: OperationId): object {
  if (id === 'updateSettings') return { audit_kept_days: 30 };
  const operation: Operation = OPERATIONS[id];
  const { password: _password, code: _code, ...input } = { ...(operation.example.body as Record<string, unknown>) };
  return input;
}

function download({ panel, ca }: Attacked, session: Readonly<Record<string, string>>, name: string): Promise<number> {
  const headers = { ...session, 'sec-fetch-site': 'same-origin' };
  return new Promise((resolve, reject) => {
    const url = new URL(`panel/backups/${name}`, panel.panelUrl);
    https
      .get(url, { ca, headers, agent: false }, (reply) => {
        reply.resume();
        resolve(reply.statusCode ?? 0);
      })
      .on('error', reject);
  });
}

test('a session that was copied whole takes nothing out, weakens nothing and does not outlive its owner', async () => {
  await using attacked = await openAttacked();
  const owner = attacked.browserAt(OWNER);
  await owner.call('signIn', { name: 'admin', password: PASSWORD });
  await owner.call('createKey', { name: 'bot', access: 'read', password: PASSWORD });
  const { body: backup } = await owner.call('createBackup', {});
  // A sign-in begins a session in which nothing was proven.
  await owner.call('signIn', { name: 'admin', password: PASSWORD });
  const thief = attacked.browserAt(STRANGER);
  const session = owner.jar.headers();
  thief.jar.store({ 'set-cookie': session.cookie?.split('; '), 'panel-session': session['panel-session'] });

  const guarded = (Object.keys(OPERATIONS) as OperationId[]).filter((id) => needsProof(OPERATIONS[id], buildInput(id)));
  expect(guarded.length).toBeGreaterThan(25);
  for (const id of guarded) {
    const { problem } = await thief.call(id, buildInput(id) as never);
    expect([id, problem.detail]).toEqual([id, id === 'changePassword' ? 'validation' : 'proof_required']);
  }
  expect(await download(attacked, session, backup.name)).toBe(403);

  expect((await owner.call('listKeys', {})).body.items).toMatchObject([{ name: 'bot', revoked_at: null }]);
  expect((await owner.call('listBackups', {})).body.items.map(({ name }) => name)).toContain(backup.name);
  await owner.call('signOut', {});
  expect((await thief.call('listKeys', {})).status).toBe(401);
});

test('a backup that was changed and put back gives no key, hides nothing, and its check names what it would change', async () => {
  await using attacked = await openAttacked();
  const { cli, panel, ca } = attacked;
  const owner = attacked.browserAt(OWNER);
  await owner.call('signIn', { name: 'admin', password: PASSWORD });
  const { body: made } = await owner.call('createBackup', { password: PASSWORD });
  const planted = formatKey(base62FromBytes(nodeCrypto.randomBytes, 36));
  const file = join(cli.folder, 'backups', made.name);
  tamper(file, `${file}.changed`, (db) => {
    db.prepare(
      `INSERT INTO api_keys (hash, name, access, prefix, created_at) VALUES (?, 'planted', 'full', 'pnl_evil', 0)`,
    ).run(nodeCrypto.sha256(planted));
    db.exec(
      `INSERT OR REPLACE INTO settings (name, value) VALUES ('publicUrl', '"https://evil.example"'); DELETE FROM audit`,
    );
  });
  renameSync(`${file}.changed`, file);

  const { body: verdict } = await owner.call('checkBackup', { name: made.name });
  expect(verdict).toMatchObject({ ok: true, origin: 'unknown' });
  expect(verdict.differences?.keys).toMatchObject({ count: 1, items: [{ name: 'planted', access: 'full' }] });
  expect(verdict.differences?.settings).toContainEqual(expect.objectContaining({ name: 'publicUrl' }));
  const before = (await owner.call('listAudit', { limit: 100 })).body.items.map(({ id }) => id);
  const restore = { name: made.name, password: PASSWORD };
  expect((await owner.call('restoreBackup', restore)).problem.errors).toMatchObject([{ code: 'unconfirmed' }]);
  const confirm = verdict.fingerprint ?? '';
  expect((await owner.call('restoreBackup', { ...restore, confirm })).status).toBe(200);

  const client = createClient({ baseUrl: panel.baseUrl, key: planted, ca });
  expect((await client.send({ method: 'GET', path: '/users' })).status).toBe(401);
  client.close();
  await owner.call('signIn', { name: 'admin', password: PASSWORD });
  const after = (await owner.call('listAudit', { limit: 100 })).body.items.map(({ id }) => id);
  expect(after).toEqual(expect.arrayContaining(before));
});
