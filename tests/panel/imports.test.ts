// Imports of other panels: planned, applied, repeated, interrupted; and the panel's own document.
import { createHash, createHmac } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exportDocument } from '../../src/contract/imports/document.ts';
import { createCore } from '../../src/core/create-core.ts';
import type { Core } from '../../src/core/kernel/core.ts';
import { PanelError } from '../../src/core/kernel/panel-error.ts';
import type { Backups } from '../../src/core/ports/backups.ts';
import type { ImportFiles, ImportReport } from '../../src/core/ports/imports.ts';
import { parseLinkPath } from '../../src/domain/imports/link-token.ts';
import { createImportFiles } from '../../src/panel/workers/import-thread.ts';
import { writeExport } from '../../src/panel/write-export.ts';
import { CLI_CALL, coreParts } from '../support/core.ts';
import {
  JWT_SECRET,
  MARZNESHIN_KEY,
  OLD_UUID,
  writeHiddify,
  writeMarzban,
  writeMarzneshin,
  writePasarGuard,
  writeRemnawave,
  writeThreeXui,
} from '../support/foreign-panels.ts';
import {
  sampleNode,
  sampleTariff,
  sampleUser,
  type TempFolder,
  type TempStore,
  tempFolder,
  tempStore,
} from '../support/temp-store.ts';

const GB = 1024 ** 3;
let folder: TempFolder;
let temp: TempStore;
let core: Core;
let backups: number;

function openCore(
  store: TempStore,
  files: ImportFiles = createImportFiles(folder.path, store.file),
  instanceId = 'test',
): Core {
  const parts = coreParts(store, {
    importFiles: files,
    backups: {
      create: async () => {
        backups += 1;
        return { name: `backup-${backups}` };
      },
      close: async () => {},
    } as unknown as Backups,
  });
  store.store.write(() => store.store.settings.set({ instanceId }));
  return createCore(parts);
}

beforeEach(() => {
  folder = tempFolder();
  temp = tempStore();
  temp.store.nodes.insert(sampleNode({ kind: 'local' }));
  backups = 0;
  core = openCore(temp);
});
afterEach(async () => {
  await core.stop();
  temp[Symbol.dispose]();
  folder[Symbol.dispose]();
});

const request = (...paths: readonly string[]) => ({ paths, source: null, nodeId: null });
const users = (target = core) => target.call('listUsers', { limit: 500, offset: 0, sort: 'id' }, CLI_CALL).body.items;
const byName = (name: string, target = core) => {
  const found = users(target).find((user) => user.name === name);
  if (!found) throw new Error(`no user ${name}`);
  return found;
};
const credentialsOf = (name: string) => temp.store.users.credentials(byName(name).id);
const outcomes = ({ entries }: ImportReport, kind = 'user') =>
  Object.fromEntries(entries.filter((entry) => entry.kind === kind).map(({ name, outcome }) => [name, outcome]));
const reasonsOf = ({ entries }: ImportReport, name: string) =>
  entries.find((entry) => entry.name === name)?.reasons.map(({ code }) => code);

describe('3x-ui', () => {
  const path = () => join(folder.path, 'x-ui.db');

  it('is planned without a write, and planned the same after it was applied', async () => {
    writeThreeXui(path());
    const plan = await core.imports.plan(request(path()));
    expect(plan).toMatchObject({ problem: null, source: '3x-ui', applied: false, backup: null });
    expect(outcomes(plan)).toMatchObject({ ann: 'created', 'two-a': 'created', differ: 'created' });
    expect([users(), backups]).toEqual([[], 0]);
    const applied = await core.imports.apply(request(path()));
    expect(applied).toEqual({ ...plan, applied: true, backup: 'backup-1' });
    const again = await core.imports.plan(request(path()));
    expect(new Set(Object.values(outcomes(again)))).toEqual(new Set(['unchanged']));
    expect(again).toMatchObject({ usedBytes: plan.usedBytes, totalBytes: plan.totalBytes });
    const before = users();
    await core.imports.apply(request(path()));
    expect(users()).toEqual(before);
  });

  it('brings connections with their ports, keys and short ids', async () => {
    writeThreeXui(path());
    const report = await core.imports.apply(request(path()));
    const { items } = core.call('listInbounds', { limit: 100, offset: 0 }, CLI_CALL).body;
    expect(items).toMatchObject([
      {
        port: 20_443,
        security: 'reality',
        sni: 'www.example.org',
        short_id: 'ab12',
        more_short_ids: ['', '01'],
        more_server_names: ['example.org'],
        flow: 'xtls-rprx-vision',
        has_private_key: true,
      },
      { port: 20_080, protocol: 'vmess', network: 'ws', path: '/w', sni: 'cdn.example.com' },
      { port: 20_388, method: '2022-blake3-aes-128-gcm' },
    ]);
    expect(outcomes(report, 'inbound')).toMatchObject({ obfuscated: 'skipped', ws: 'created' });
    expect(reasonsOf(report, 'ws')).toEqual(['hosts', 'listens_locally']);
  });

  it('keeps credentials, limits, terms and use of clients', async () => {
    writeThreeXui(path());
    const report = await core.imports.apply(request(path()));
    expect(byName('ann')).toMatchObject({ traffic_limit: 10 * GB, used_up: 10, used_down: 1000, state: 'active' });
    expect(credentialsOf('ann')).toMatchObject({ uuid: OLD_UUID });
    expect(byName('differ')).toMatchObject({ traffic_limit: 5 * GB, telegram_id: 77 });
    expect(byName('two-a')).toMatchObject({ traffic_limit: 2 * GB, used_up: 20, inbounds: [1, 2] });
    expect(credentialsOf('two-a')).toMatchObject({
      uuid: '11111111-1111-4111-8111-111111111111',
      byInbound: [{ inboundId: 2, value: '55555555-5555-4555-8555-555555555555', flow: null }],
    });
    expect(byName('off')).toMatchObject({ state: 'disabled' });
    expect(credentialsOf('off').byInbound).toMatchObject([{ inboundId: 1, flow: '' }]);
    expect(byName('hold')).toMatchObject({ state: 'on_hold', hold: { months: 0, days: 1 } });
    expect(byName('old')).toMatchObject({ state: 'expired' });
    expect(credentialsOf('old').key).toBe(Buffer.concat([Buffer.alloc(16, 7), Buffer.alloc(16)]).toString('base64'));
    expect(credentialsOf('text').uuid).toMatch(/^[0-9a-f-]{14}5/);
    expect(byName("'; DROP TABLE users; --")).toMatchObject({ state: 'active' });
    const long = users().find(({ name }) => name.startsWith('xxx'));
    expect(long).toMatchObject({ note: 'a\nb', metadata: { telegram: '@name', imported_name: 'x'.repeat(150) } });
    expect(reasonsOf(report, 'old')).toEqual(['reset_replaced']);
    expect(reasonsOf(report, 'differ')).toEqual(['clients_apart']);
  });

  it('serves the links that users had, of all clients of one, until they are reissued', async () => {
    writeThreeXui(path());
    await core.imports.apply(request(path()));
    const shared = core.importedSubscription('annsub');
    expect(shared?.inbounds.map(({ inbound, credentials }) => [inbound.port, credentials?.uuid])).toEqual([
      [20_443, OLD_UUID],
      [20_080, '66666666-6666-4666-8666-666666666666'],
    ]);
    expect(shared).toMatchObject({ canConnect: true, total: 15 * GB, user: { usedUp: 20, usedDown: 1005 } });
    expect(core.importedSubscription('two')?.inbounds).toHaveLength(2);
    expect([core.importedSubscription('none'), core.importedSubscription('')]).toEqual([null, null]);
    await core.call('reissueUser', { id: byName('ann').id }, CLI_CALL);
    expect(core.importedSubscription('annsub')?.user.id).toBe(byName('differ').id);
    await core.imports.apply(request(path()));
    await core.call('deleteUser', { id: byName('differ').id }, CLI_CALL);
    expect(core.importedSubscription('annsub')).toBeNull();
    expect(temp.db.prepare('SELECT count(*) FROM imported_links WHERE hash LIKE ?').pluck().get('%sub%')).toBe(0);
  });

  it('is read with the journal beside it', async () => {
    const writer = writeThreeXui(path(), { journal: true });
    try {
      expect(statSync(`${path()}-wal`).size).toBeGreaterThan(0);
      await core.imports.apply(request(path()));
      expect(byName('ann').used_down).toBe(1000);
      // Copies are removed.
      expect(readdirSync(join(folder.path, 'import-copies'))).toEqual([]);
    } finally {
      writer?.close();
    }
  });

  it('brings only differences the next time, and keeps what was changed here', async () => {
    writeThreeXui(path());
    await core.imports.apply(request(path()));
    const { id } = byName('ann');
    await core.call('updateUser', { id, note: 'mine', traffic_limit: 7 * GB }, CLI_CALL);
    await core.call('deleteUser', { id: byName('off').id }, CLI_CALL);
    const second = join(folder.path, 'second.db');
    writeThreeXui(second, { used: 1500, more: [{ email: 'new', id: '88888888-8888-4888-8888-888888888888' }] });
    const report = await core.imports.apply(request(second));
    expect(outcomes(report)).toMatchObject({ ann: 'updated', off: 'skipped', new: 'created', 'two-a': 'unchanged' });
    expect(byName('ann')).toMatchObject({ note: 'mine', traffic_limit: 7 * GB, used_down: 1500 });
    expect(users().some(({ name }) => name === 'off')).toBe(false);
  });

  it('reaches the same end after any number of kills', async () => {
    const more = Array.from({ length: 300 }, (_, index) => ({
      email: `m${index}`,
      id: `99999999-9999-4999-8999-${String(index).padStart(12, '0')}`,
      flow: 'xtls-rprx-vision',
    }));
    writeThreeXui(path(), { more });
    const files = createImportFiles(folder.path, temp.file);
    for (let kill = 1; kill <= 5; kill += 1) {
      let left = kill;
      const dying: ImportFiles = {
        ...files,
        open: async (...args) => {
          const opened = await files.open(...args);
          if ('problem' in opened) return opened;
          const step: typeof opened.step = (now) => {
            left -= 1;
            return left < 0 ? Promise.reject(new Error('killed')) : opened.step(now);
          };
          return { ...opened, step };
        },
      };
      const killed = openCore(temp, dying);
      await killed.imports.apply(request(path())).catch(() => {});
      await killed.stop();
    }
    const interrupted = await core.imports.apply(request(path()));
    using other = tempStore();
    other.store.nodes.insert(sampleNode({ kind: 'local' }));
    const whole = openCore(other);
    const once = await whole.imports.apply(request(path()));
    expect(interrupted.entries.map(({ id }) => id)).toEqual(once.entries.map(({ id }) => id));
    const facts = (target: Core) =>
      users(target).map(({ id: _id, sub_url: _url, updated_at: _at, created_at: _made, ...user }) => user);
    expect(facts(core)).toEqual(facts(whole));
    await whole.stop();
  });
});

it('takes users of Marzban with one credential for each protocol', async () => {
  const report = await core.imports.apply(request(...writeMarzban(folder.path)));
  expect(outcomes(report)).toEqual({ ann: 'created', held: 'created', Ann: 'created', twin: 'decision' });
  expect(reasonsOf(report, 'twin')).toEqual(['credential_taken']);
  expect(byName('ann')).toMatchObject({
    used_down: 700,
    total_down: 1000,
    traffic_limit: 1000,
    reset_strategy: 'month',
    tags: ['reseller'],
    inbounds: [1, 3, 4],
    created_at: '2026-01-02T03:04:05.678Z',
  });
  expect(credentialsOf('ann')).toMatchObject({
    uuid: OLD_UUID,
    password: 'pä$s/w+rd',
    byInbound: [{ inboundId: 3, value: 'aaaaaaaa-0000-4000-8000-000000000001', flow: null }],
  });
  expect(byName('held')).toMatchObject({ state: 'on_hold', hold: { months: 0, days: 2 } });
  expect(reasonsOf(report, 'held')).toEqual(['hold_deadline', 'auto_delete', 'reset_replaced', 'hold_rounded']);
  expect(byName('Ann')).toMatchObject({ state: 'disabled' });
});

const isServed = (path: string) => parseLinkPath(path).some(({ token }) => core.importedSubscription(token) !== null);

/** A link as Marzban makes it now. */
function signMarzban(name: string, at: number): string {
  const data = Buffer.from(`${name},${at / 1000}`).toString('base64url');
  const signature = createHash('sha256').update(data + JWT_SECRET);
  return data + signature.digest('base64url').slice(0, 10);
}

describe('a name that Marzban gave to another user', () => {
  const created = Date.UTC(2026, 10, 1);
  const link = () => core.importedSubscription(signMarzban('ann', created + 60_000))?.user.id;

  async function importReplaced(id: string): Promise<ImportReport> {
    const paths = writeMarzban(folder.path);
    await core.imports.apply(request(...paths));
    expect(link()).toBe(byName('ann').id);
    const db = new Database(paths[0] ?? '');
    db.exec(`DELETE FROM users WHERE id = 1; DELETE FROM proxies WHERE user_id = 1;
      INSERT INTO users VALUES (9, 'ann', 'active', 5, 50, 'no_reset', NULL, NULL, '2026-11-01 00:00:00', NULL, NULL, NULL, NULL, NULL)`);
    db.prepare("INSERT INTO proxies (user_id, type, settings) VALUES (9, 'VLESS', ?)").run(JSON.stringify({ id }));
    db.close();
    return core.imports.apply(request(...paths));
  }

  it('has links of the new one alone, also after they are reissued', async () => {
    await importReplaced('aaaaaaaa-0000-4000-8000-000000000009');
    const former = byName('ann').id;
    const added = users().findLast(({ name }) => name === 'ann')?.id ?? 0;
    expect(added).not.toBe(former);
    expect(core.importedSubscription(signMarzban('ann', created + 60_000))).toMatchObject({
      user: { id: added, usedDown: 5 },
      total: 50,
    });
    expect(core.importedSubscription(signMarzban('ann', created - 60_000))).toBeNull();
    await core.call('reissueUser', { id: added }, CLI_CALL);
    expect(link()).toBeUndefined();
  });

  it('has none where the new one could not be imported', async () => {
    const report = await importReplaced('aaaaaaaa-0000-4000-8000-000000000002');
    expect(outcomes(report)).toMatchObject({ ann: 'decision' });
    expect(link()).toBeUndefined();
  });
});

it('follows the path and the secret of links of Marzban, and forgets them with the last user', async () => {
  const paths = writeMarzban(folder.path);
  const at = Date.UTC(2026, 10, 1);
  const isOpen = () => core.importedSubscription(signMarzban('ann', at)) !== null;
  await core.imports.apply(request(...paths));
  expect([core.linkPaths(), isOpen()]).toEqual([['sub'], true]);
  const [{ source } = { source: '' }] = core.call('getImport', {}, CLI_CALL).body.imported;
  const place = `import:${source}:links`;
  temp.store.sealed.save({
    place,
    keyId: 'test',
    nonce: new Uint8Array(12),
    ciphertext: Buffer.from('one of another time'),
  });
  const environment = join(folder.path, '.env');
  writeFileSync(environment, 'XRAY_SUBSCRIPTION_PATH = "my/subs"\n');
  await core.imports.plan(request(...paths, environment));
  expect([core.linkPaths(), isOpen()]).toEqual([['sub'], false]);
  await core.imports.apply(request(...paths, environment));
  expect([core.linkPaths(), isOpen()]).toEqual([['my/subs'], true]);
  temp.store.sealed.remove(place);
  expect(isOpen()).toBe(false);
  await core.imports.apply(request(...paths, environment));
  expect(isOpen()).toBe(true);
  await core.call('updateUser', { id: byName('held').id, note: 'mine' }, CLI_CALL);
  await core.call('undoImport', { source }, CLI_CALL);
  expect(core.linkPaths()).toEqual(['my/subs']);
  await core.call('deleteUser', { id: byName('held').id }, CLI_CALL);
  await core.call('undoImport', { source }, CLI_CALL);
  expect([core.linkPaths(), temp.store.sealed.get(place)]).toEqual([[], undefined]);
});

it('takes users of PasarGuard by their groups', async () => {
  const path = writePasarGuard(folder.path);
  const report = await core.imports.apply(request(path));
  expect(outcomes(report)).toEqual({ ann: 'created', off: 'created', held: 'created' });
  expect(outcomes(report, 'inbound')).toMatchObject({ reality: 'created', 'ss 2022': 'created', wg0: 'skipped' });
  expect(byName('ann')).toMatchObject({
    traffic_limit: 1000,
    used_down: 100,
    total_down: 105,
    device_limit: 2,
    expires_at: '2027-01-01T00:00:00.000Z',
    reset_strategy: 'month',
    tags: ['seller'],
    inbounds: [1, 2, 3, 4, 5],
  });
  expect(reasonsOf(report, 'ann')).toEqual(['devices']);
  expect(reasonsOf(report, 'held')).toEqual(['reset_replaced', 'credential_invalid']);
  expect(byName('off')).toMatchObject({ state: 'disabled', inbounds: [] });
  expect(byName('held')).toMatchObject({ state: 'on_hold', hold: { months: 0, days: 1 } });
  const { uuid, key, byInbound } = credentialsOf('ann');
  expect([uuid, key]).toEqual([
    'bbbbbbbb-0000-4000-8000-000000000001',
    createHash('sha256')
      .update(`${'s'.repeat(24)}1`)
      .digest('base64'),
  ]);
  expect(byInbound).toMatchObject([
    { inboundId: 2, value: 'bbbbbbbb-0000-4000-8000-000000000101', flow: null },
    { inboundId: 3, value: `${'s'.repeat(24)}1`, flow: null },
  ]);
  const { items } = core.call('listInbounds', { limit: 100, offset: 0 }, CLI_CALL).body;
  expect(items[4]).toMatchObject({ fallback: '127.0.0.1:8080', fallback_proxy_protocol: 1 });
});

it('serves links of PasarGuard in each of its forms, from after the creation of the user', async () => {
  await core.imports.apply(request(writePasarGuard(folder.path)));
  const seconds = Math.floor(Date.UTC(2026, 5, 1) / 1000);
  const data = (text: string) => Buffer.from(text).toString('base64url');
  const sha256 = (text: string) => createHash('sha256').update(text + JWT_SECRET);
  const forms = (name: string, id: number, at: number) => {
    const [v2, v3, marzban] = [data(`v2,${id},${at}`), data(`v3,${id},${at}`), data(`${name},${at}`)];
    return [
      `${v3}.${createHmac('sha256', JWT_SECRET).update(v3).digest('base64url')}`,
      v2 + sha256(v2).digest('base64url').slice(0, 10),
      marzban + sha256(marzban).digest('base64url').slice(0, 10),
      marzban + sha256(marzban).digest('hex').slice(0, 10),
    ].map((token) => isServed(`/${token}`));
  };
  expect(forms('ann', 1, seconds)).toEqual([true, true, true, true]);
  expect(forms('nobody', 99, seconds)).toEqual([false, false, false, false]);
  expect(forms('ann', 1, Math.floor(Date.UTC(2025, 0, 1) / 1000))).toEqual([false, false, false, false]);
  expect(isServed(`/${data(`v3,1,${seconds}`)}.${'A'.repeat(43)}`)).toBe(false);
});

it.each([
  ['Marzban', 'without a row', 'DELETE FROM jwt'],
  ['Marzban', 'without a secret', 'UPDATE jwt SET secret_key = NULL'],
  ['Marzban', 'with an empty secret', "UPDATE jwt SET secret_key = ''"],
  ['PasarGuard', 'without a row', 'DELETE FROM jwt'],
  ['PasarGuard', 'without a secret', 'UPDATE jwt SET secret_key = NULL'],
  ['PasarGuard', 'with an empty secret', "UPDATE jwt SET secret_key = ''"],
])('accepts no link of %s %s that anyone can compute', async (panel, _what, change) => {
  const [path = '', ...others] = panel === 'Marzban' ? writeMarzban(folder.path) : [writePasarGuard(folder.path)];
  const db = new Database(path);
  db.exec(change);
  db.close();
  const report = await core.imports.apply(request(path, ...others));
  expect(outcomes(report)).toMatchObject({ ann: 'created' });
  const seconds = Math.floor(Date.UTC(2026, 5, 1) / 1000);
  const data = Buffer.from(`ann,${seconds}`).toString('base64url');
  const v3 = Buffer.from(`v3,1,${seconds}`).toString('base64url');
  const forged = ['unknown', '', 'null', 'None'].flatMap((secret) => [
    data + createHash('sha256').update(`${data}${secret}`).digest('base64url').slice(0, 10),
    `${v3}.${createHmac('sha256', secret).update(v3).digest('base64url')}`,
  ]);
  expect(forged.filter((token) => isServed(`/${token}`))).toEqual([]);
});

it('takes users of Marzneshin with the credentials of their key', async () => {
  const report = await core.imports.apply(request(...writeMarzneshin(folder.path)));
  expect(outcomes(report)).toEqual({ ann: 'created', Аня: 'created' });
  expect(outcomes(report, 'inbound')).toEqual({
    reality: 'created',
    vmess: 'created',
    ss: 'created',
    trojan: 'created',
  });
  expect(byName('ann')).toMatchObject({ total_down: 70, inbounds: [1, 2, 3, 4], traffic_limit: 1000 });
  expect(byName('Аня')).toMatchObject({ state: 'disabled', hold: { months: 0, days: 1 }, concurrent_limit: 3 });
  const hash = 'cc9c4d5512a05c72fe5f6378a7825dff';
  expect(credentialsOf('ann')).toMatchObject({ password: hash, uuid: 'cc9c4d55-12a0-5c72-fe5f-6378a7825dff' });
  expect([isServed(`/ann/${MARZNESHIN_KEY}`), isServed('/ann'), isServed(`/Ann/${MARZNESHIN_KEY}`)]).toEqual([
    true,
    false,
    false,
  ]);
  expect(core.linkPaths()).toEqual(['sub']);
});

it('takes the key itself as credential where the environment of Marzneshin says so', async () => {
  const env = join(folder.path, '.env');
  writeFileSync(env, '# comment\nAUTH_GENERATION_ALGORITHM = "plain"\n');
  await core.imports.apply(request(...writeMarzneshin(folder.path), env));
  expect(credentialsOf('ann')).toMatchObject({
    password: MARZNESHIN_KEY,
    uuid: '01234567-89ab-cdef-0123-456789abcdef',
  });
});

it('takes users of a backup of Hiddify, without its connections', async () => {
  const report = await core.imports.apply(request(writeHiddify(folder.path)));
  expect(outcomes(report)).toEqual({ h1: 'created', h2: 'created', h3: 'created', h4: 'created' });
  expect(outcomes(report, 'inbound')).toEqual({ 'tls WS vless': 'skipped' });
  expect(byName('h1')).toMatchObject({
    used_down: 2_899_102_925,
    traffic_limit: 100 * GB,
    expires_at: '2026-12-11T00:00:00.000Z',
    telegram_id: 5_000_000_000,
    tags: ['Owner'],
    inbounds: null,
  });
  expect(byName('h2')).toMatchObject({ traffic_limit: null, hold: { months: 0, days: 1 } });
  expect(byName('h3')).toMatchObject({ traffic_limit: 1, state: 'expired', reset_strategy: 'week' });
  expect(reasonsOf(report, 'h3')).toEqual(['reset_replaced']);
  expect(byName('h4')).toMatchObject({ state: 'disabled' });
  const uuid = 'bbbbbbbb-0000-4000-8000-000000000001';
  expect(credentialsOf('h1')).toMatchObject({ uuid, password: uuid });
  expect([`/${uuid}/`, `/${uuid}/all.txt`, `/${uuid}/singbox/`, `/${uuid}/x/y`].map(isServed)).toEqual([
    true,
    true,
    true,
    false,
  ]);
  expect(core.linkPaths()).toEqual(['ClientPath']);
});

it('takes users of Remnawave by its answers, and none where a page is missing', async () => {
  const paths = writeRemnawave(folder.path);
  expect(await core.imports.plan(request(paths[0] ?? '', paths[2] ?? ''))).toMatchObject({
    problem: 'incomplete',
    detail: '2 of 3 users',
  });
  const report = await core.imports.apply(request(...paths));
  expect(outcomes(report)).toEqual({ r1: 'created', r2: 'created', r3: 'created' });
  expect(byName('r1')).toMatchObject({
    contact: 'a@example.com',
    tags: ['VIP'],
    telegram_id: 5_000_000_000,
    expires_at: null,
    reset_strategy: 'period',
    used_down: 3,
    total_down: 9,
    inbounds: [1, 2, 3, 4],
  });
  expect(credentialsOf('r1')).toMatchObject({
    uuid: 'bbbbbbbb-0000-4000-8000-000000000001',
    key: Buffer.from(`${'k'.repeat(31)}1`).toString('base64'),
  });
  expect(byName('r2')).toMatchObject({ state: 'disabled', inbounds: [] });
  expect([isServed('/shortUuid0000001'), isServed('/ann'), isServed('/nobody')]).toEqual([true, true, false]);
  expect(core.linkPaths()).toEqual(['api/sub']);
  const ends = temp.db.prepare('SELECT ends_at IS NOT NULL FROM imported_links ORDER BY user_id').pluck().all();
  expect(ends).toEqual([0, 0, 1]);
});

it('takes users of a list of share links, and of CSV', async () => {
  const path = join(folder.path, 'list.txt');
  const vmess = Buffer.from(JSON.stringify({ id: NEW_UUIDS[1], ps: 'by vmess' })).toString('base64');
  const lines = [
    `vless://${NEW_UUIDS[0]}@nl.example.com:443?type=tcp#Ann%20NL`,
    `vless://${NEW_UUIDS[0]}@de.example.com:443?type=ws#Ann%20DE`,
    `vmess://${vmess}`,
    'trojan://pa%24s@nl.example.com:443#by trojan',
    'no link',
  ];
  writeFileSync(path, lines.join('\r\n'));
  const report = await core.imports.apply(request(path));
  expect(report).toMatchObject({ source: 'list', users: { created: 3, skipped: 1 } });
  expect(outcomes(report)).toMatchObject({ 'Ann NL': 'created', 'by vmess': 'created', 'by trojan': 'created' });
  expect(reasonsOf(report, 'line 5')).toEqual(['record_invalid']);
  expect([credentialsOf('Ann NL').uuid, credentialsOf('by trojan').password]).toEqual([NEW_UUIDS[0], 'pa$s']);
  writeFileSync(
    path,
    `sep=;\nName;UUID;limit_gb;expires_at;tags;colour\n"Bob; ""B""";${NEW_UUIDS[2]};1,5;2027-01-01;a,b;red\nnobody;;;;;\n`,
  );
  const second = await core.imports.apply(request(path));
  expect(second.users).toMatchObject({ created: 1, skipped: 1 });
  expect(byName('Bob; "B"')).toMatchObject({
    traffic_limit: 1.5 * GB,
    expires_at: '2027-01-01T00:00:00.000Z',
    tags: ['a', 'b'],
  });
});

const NEW_UUIDS = [1, 2, 3].map((number) => `cccccccc-0000-4000-8000-00000000000${number}`);

it('follows links that the source changed, unless they were revoked here', async () => {
  const [path = ''] = writeMarzneshin(folder.path);
  await core.imports.apply(request(path));
  const db = new Database(path);
  db.exec(
    `UPDATE users SET key = '${'a1'.repeat(16)}' WHERE id = 1; UPDATE users SET key = '${'a2'.repeat(16)}' WHERE id = 2`,
  );
  db.close();
  await core.call('reissueUser', { id: byName('Аня').id }, CLI_CALL);
  const report = await core.imports.apply(request(path));
  expect(outcomes(report)).toMatchObject({ ann: 'updated' });
  expect([`/ann/${MARZNESHIN_KEY}`, `/ann/${'a1'.repeat(16)}`, `/Аня/${'a2'.repeat(16)}`].map(isServed)).toEqual([
    false,
    true,
    false,
  ]);
});

it('leaves no part of an export that failed, so that it can be repeated', async () => {
  await core.imports.apply(request(...writeMarzban(folder.path)));
  const target = join(folder.path, 'export.json');
  const failing = {
    ...core,
    imports: {
      ...core.imports,
      async *exportDocument() {
        for await (const part of core.imports.exportDocument()) {
          yield part;
          throw new PanelError('vault_unavailable');
        }
      },
    },
  };
  await expect(writeExport(failing, target)).rejects.toThrow('vault_unavailable');
  expect(existsSync(target)).toBe(false);
  expect(await writeExport(core, target)).toMatchObject({ users: 3 });
  const written = readFileSync(target);
  await expect(writeExport(core, target)).rejects.toThrow('validation');
  expect(readFileSync(target)).toEqual(written);
});

it("reads the panel's own document into an empty panel without a difference", async () => {
  const { store } = temp;
  await core.imports.apply(request(...writeMarzban(folder.path)));
  const tariffId = store.tariffs.insert(sampleTariff({ inbounds: [1] }));
  const id = store.users.insert(sampleUser({ tariffId, externalId: 'crm-1', telegramId: 5, tags: ['a'], extra: 9 }));
  const grant = {
    bytes: 10,
    bytesLeft: 9,
    lifetime: 'used',
    days: null,
    endsAt: null,
    note: 'g',
    createdAt: 5,
  } as const;
  store.grants.insert({ ...grant, userId: id });
  const read = async (from: Core) => {
    let text = '';
    for await (const part of from.imports.exportDocument()) text += part;
    return text;
  };
  const text = await read(core);
  const document = exportDocument.parse(JSON.parse(text));
  const path = join(folder.path, 'export.json');
  writeFileSync(path, text);
  expect(await core.imports.plan(request(path))).toMatchObject({ problem: 'own_document' });
  using other = tempStore();
  other.store.nodes.insert(sampleNode({ kind: 'local' }));
  const empty = openCore(other, undefined, 'other');
  const report = await empty.imports.apply(request(path));
  expect(new Set(report.entries.map(({ outcome }) => outcome))).toEqual(new Set(['created']));
  const copy = exportDocument.parse(JSON.parse(await read(empty)));
  expect({ ...copy, source: null }).toEqual({ ...document, source: null });
  await empty.stop();
});
