// Imports of the pages: files sent in parts, planned and applied in the background, and undone; and the export in parts.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { exportDocument } from '../../src/contract/imports/document.ts';
import type { Input, OPERATIONS, Output } from '../../src/contract/table.ts';
import { createCore } from '../../src/core/create-core.ts';
import type { Core } from '../../src/core/kernel/core.ts';
import { PanelError } from '../../src/core/kernel/panel-error.ts';
import type { Backups } from '../../src/core/ports/backups.ts';
import type { ImportFiles } from '../../src/core/ports/imports.ts';
import { openImportUploads } from '../../src/panel/import-uploads.ts';
import { createImportFiles } from '../../src/panel/workers/import-thread.ts';
import { CLI_CALL, coreParts } from '../support/core.ts';
import { writeThreeXui } from '../support/foreign-panels.ts';
import {
  sampleNode,
  sampleTariff,
  sampleUser,
  type TempFolder,
  type TempStore,
  tempFolder,
  tempStore,
} from '../support/temp-store.ts';

let folder: TempFolder;
let temp: TempStore;
let core: Core;

beforeEach(async () => {
  folder = tempFolder();
  temp = tempStore();
  temp.store.nodes.insert(sampleNode({ kind: 'local' }));
  core = createCore(
    coreParts(temp, {
      importFiles: createImportFiles(folder.path, temp.file),
      importUploads: await openImportUploads(folder.path),
      backups: { create: async () => ({ name: 'backup' }), close: async () => {} } as unknown as Backups,
    }),
  );
});
afterEach(async () => {
  await core.stop();
  temp[Symbol.dispose]();
  folder[Symbol.dispose]();
});

type Id = Extract<keyof typeof OPERATIONS, `${string}Import` | 'addImportFile' | 'exportData' | 'updateUser'>;
const act = async <Op extends Id>(id: Op, input: Input<Op>): Promise<Output<Op>> =>
  (await core.call(id, input as never, CLI_CALL)).body as Output<Op>;
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: { code?: string }) => error.code,
  );

async function send(path: string, name: string, part = 40_000): Promise<void> {
  const bytes = readFileSync(path);
  for (let offset = 0; offset < bytes.length; offset += part) {
    const data = bytes.subarray(offset, offset + part).toString('base64');
    await act('addImportFile', { name, offset, data });
  }
}

const untilOver = () =>
  expect
    .poll(async () => (await act('getImport', {})).phase, { timeout: 20_000 })
    .toMatch(/^(?:planned|applied|failed)$/);

async function sendThreeXui(): Promise<void> {
  const path = join(folder.path, 'x-ui.db');
  rmSync(path, { force: true });
  const writer = writeThreeXui(path, { journal: true });
  await send(path, 'x-ui.db');
  await send(`${path}-wal`, 'x-ui.db-wal');
  writer?.close();
}

it('plans what was sent, applies it, and takes back what is untouched', async () => {
  await sendThreeXui();
  expect(await act('getImport', {})).toMatchObject({
    phase: 'empty',
    files: [{ name: 'x-ui.db' }, { name: 'x-ui.db-wal' }],
  });
  expect(await act('planImport', { source: null, node_id: 1 })).toMatchObject({ phase: 'planning' });
  expect(await codeOf(act('planImport', { source: null, node_id: 1 }))).toBe('import_running');
  await untilOver();
  const planned = await act('getImport', {});
  expect(planned).toMatchObject({
    phase: 'planned',
    done: 9,
    error: null,
    report: {
      problem: null,
      source: '3x-ui',
      users: { created: 9 },
      inbounds: { created: 3, skipped: 1 },
      backup: null,
    },
    imported: [],
  });
  expect(planned.report?.reasons.find(({ code }) => code === 'connection_unsupported')).toMatchObject({
    count: 1,
    records: [{ kind: 'inbound', name: 'obfuscated', outcome: 'skipped' }],
  });
  expect(temp.store.users.lastId()).toBe(0);
  await act('applyImport', {});
  await untilOver();
  const applied = await act('getImport', {});
  expect(applied).toMatchObject({ phase: 'applied', files: [], report: { backup: 'backup', users: { created: 9 } } });
  const [imported] = applied.imported;
  expect(imported).toMatchObject({ name: '3x-ui', users: 9, untouched: 9 });
  expect(existsSync(join(folder.path, 'imports'))).toBe(false);

  await act('updateUser', { id: 1, note: 'mine' });
  expect((await act('getImport', {})).imported).toMatchObject([{ users: 9, untouched: 8 }]);
  const source = imported?.source ?? '';
  expect(await codeOf(act('undoImport', { source: 'nothing' }))).toBe('not_found');
  expect(await act('undoImport', { source })).toMatchObject({ users: 8 });
  expect(temp.store.users.ids({}, 0)).toEqual([1]);
  const [first] = temp.store.users.ids({}, 0);
  expect(temp.store.inbounds.page({}, 10, 0).map(({ id }) => id)).toEqual(temp.store.users.get(first ?? 0)?.inbounds);

  // The next import brings what was taken back again.
  await sendThreeXui();
  await act('planImport', { source: null, node_id: 1 });
  await untilOver();
  expect(await act('getImport', {})).toMatchObject({ phase: 'planned', error: null });
  expect((await act('getImport', {})).report?.users).toMatchObject({ created: 8, unchanged: 1 });
});

async function importAll(): Promise<string> {
  await sendThreeXui();
  await act('planImport', { source: null, node_id: 1 });
  await untilOver();
  await act('applyImport', {});
  await untilOver();
  return (await act('getImport', {})).imported[0]?.source ?? '';
}

it('audits an import and an undo before they write, and each part of an export', async () => {
  const audited = () =>
    temp.db
      .prepare<[], { action: string; detail: string }>(
        'SELECT action, detail FROM audit WHERE target IS NULL ORDER BY id',
      )
      .all()
      .map(({ action, detail }) => [action, JSON.parse(detail)]);
  const source = await importAll();
  for (const after of [null, 0, 9]) await act('exportData', { after });
  for await (const _part of core.imports.exportDocument()) break;
  await act('undoImport', { source });
  expect(audited()).toMatchObject([
    ['importData', { source: '3x-ui', state: 'started' }],
    ['importData', { source: '3x-ui', state: 'done', created: 9 }],
    ['exportData', { after: null }],
    ['exportData', { after: 0 }],
    ['exportData', { after: 9 }],
    ['exportData', {}],
    ['undoImport', { source: '3x-ui', state: 'started' }],
    ['undoImport', { source: '3x-ui', state: 'done', users: 9 }],
  ]);
});

it('takes nothing back that is being changed meanwhile', async () => {
  const source = await importAll();
  const changes = [1, 2, 3].map((id) => act('updateUser', { id, note: 'mine' }));
  const undo = act('undoImport', { source });
  await Promise.all(changes);
  expect(await undo).toMatchObject({ users: 6 });
  expect(temp.store.users.ids({}, 0)).toEqual([1, 2, 3]);
});

it.each([
  ['user', () => temp.store.users.insert(sampleUser({ inbounds: null }))],
  ['tariff', () => temp.store.tariffs.insert(sampleTariff({ inbounds: null }))],
])('takes no connection back while a %s has all of them', async (_kind, insert) => {
  const source = await importAll();
  temp.store.write(insert);
  expect(await act('undoImport', { source })).toMatchObject({ users: 9, inbounds: 0 });
  expect(temp.store.inbounds.count({})).toBe(3);
});

it('runs alone, from the pages as on the command line', async () => {
  const source = await importAll();
  const undo = act('undoImport', { source });
  expect(await codeOf(act('undoImport', { source }))).toBe('import_running');
  const refused = [act('addImportFile', { name: 'a.db', offset: 0, data: 'AAAA' }), act('discardImport', {})];
  expect(await Promise.all(refused.map(codeOf))).toEqual(refused.map(() => 'import_running'));
  const local = { paths: ['/a.db'], source: null, nodeId: null };
  const locals = [core.imports.plan(local), core.imports.apply(local)];
  expect(await Promise.all(locals.map(codeOf))).toEqual(['import_running', 'import_running']);
  expect(await undo).toMatchObject({ users: 9 });
  const parts = ['AAAA', 'BBBB'].map((data) => act('addImportFile', { name: 'a.db', offset: 0, data }));
  const plan = act('planImport', { source: null, node_id: null });
  expect(await Promise.all([...parts, plan].map(codeOf))).toEqual([null, 'import_running', 'import_running']);
  expect(await act('planImport', { source: null, node_id: null })).toMatchObject({ phase: 'planning' });
  await untilOver();
  const running = core.imports.plan(local);
  expect(await codeOf(act('planImport', { source: null, node_id: null }))).toBe('import_running');
  expect(await running).toMatchObject({ problem: 'unreadable' });
});

it('does not hold a stop up while a file is read', async () => {
  const { promise: reading, reject } = Promise.withResolvers<never>();
  const importFiles: ImportFiles = { open: () => reading, close: async () => reject(new PanelError('unavailable')) };
  const importUploads = await openImportUploads(folder.path);
  await importUploads.append('a.db', 0, 'AAAA');
  const stopped = createCore(coreParts(temp, { importFiles, importUploads }));
  await stopped.call('planImport', { source: null, node_id: null }, CLI_CALL);
  await stopped.stop();
  // Ended, so that nothing reads on.
  await expect(reading).rejects.toMatchObject({ code: 'unavailable' });
});

it('refuses parts that do not follow, an import without a plan, and files of no panel', async () => {
  const data = Buffer.from('junk').toString('base64');
  expect(await codeOf(act('addImportFile', { name: 'a.db', offset: 5, data }))).toBe('validation');
  expect(await act('addImportFile', { name: 'a.db', offset: 0, data })).toEqual({ name: 'a.db', size_bytes: 4 });
  expect(await act('addImportFile', { name: 'a.db', offset: 4, data })).toEqual({ name: 'a.db', size_bytes: 8 });
  expect(await act('addImportFile', { name: 'a.db', offset: 0, data })).toEqual({ name: 'a.db', size_bytes: 4 });
  expect(await codeOf(act('applyImport', {}))).toBe('not_found');
  await act('planImport', { source: null, node_id: null });
  await untilOver();
  expect(await act('getImport', {})).toMatchObject({ phase: 'planned', report: { problem: 'unknown_source' } });
  expect(await codeOf(act('applyImport', {}))).toBe('not_found');
  expect(await act('discardImport', {})).toMatchObject({ phase: 'empty', files: [] });
  expect(await codeOf(act('planImport', { source: null, node_id: null }))).toBe('not_found');
});

it('exports everything in parts that together are the document', async () => {
  await sendThreeXui();
  await act('planImport', { source: null, node_id: 1 });
  await untilOver();
  await act('applyImport', {});
  await untilOver();
  let text = '';
  for (let after: number | null = null; ; ) {
    const part: Output<'exportData'> = await act('exportData', { after });
    text += part.text;
    if (part.next === null) break;
    after = part.next;
  }
  const { users, inbounds } = exportDocument.parse(JSON.parse(text));
  expect([users.length, inbounds.length]).toEqual([9, 3]);
});

it('deletes files of an earlier start', async () => {
  await act('addImportFile', { name: 'a.db', offset: 0, data: '' });
  expect(existsSync(join(folder.path, 'imports', 'a.db'))).toBe(true);
  await openImportUploads(folder.path);
  expect(existsSync(join(folder.path, 'imports'))).toBe(false);
});
