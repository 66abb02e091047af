// Files that are no panel's, damaged, or hostile: refused with a reason, in bounded work, and nothing of them stays.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  writeHiddify,
  writeMarzban,
  writeMarzneshin,
  writePasarGuard,
  writeRemnawave,
  writeThreeXui,
} from '../../../tests/support/foreign-panels.ts';
import { sampleDocument, sampleDocumentUser } from '../../../tests/support/sample-document.ts';
import { EXPORT_FORMAT, type ExportDocument } from '../../contract/imports/document.ts';
import { type ForeignDatabase, openForeignDatabase, type Row } from './foreign-database.ts';
import { ImportRefusal } from './import-refusal.ts';
import { readMarzban } from './marzban.ts';
import { readMarzneshin } from './marzneshin.ts';
import { readPasarGuard } from './pasarguard.ts';
import { readSource } from './read-source.ts';
import { readThreeXui } from './three-x-ui.ts';
import { type Json, toObject } from './values.ts';

let folder: string;
let work: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-import-'));
  work = join(folder, 'work');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function refusalOf(...paths: readonly string[]): Pick<ImportRefusal, 'problem' | 'detail'> | null {
  try {
    readSource({ paths, source: null, folder: work, now: 0 });
    return null;
  } catch (error) {
    if (error instanceof ImportRefusal) return error;
    throw error;
  }
}

const problemOf = (...paths: readonly string[]) => refusalOf(...paths)?.problem ?? null;

function write(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

it.each([
  ['junk', Buffer.alloc(100_000, 7)],
  ['nothing', ''],
  ['a header of SQLite and junk', `SQLite format 3\0${'x'.repeat(5000)}`],
  ['JSON of another kind', '{"users":[]}'],
  ['a document without its members', JSON.stringify({ format: EXPORT_FORMAT })],
  ['deep JSON', '['.repeat(100_000)],
])('refuses %s', (_what, content) => {
  expect(problemOf(write('file', content))).toMatch(/^(?:damaged|unknown_source|not_a_document)$/);
});

it('refuses a database of another program, a truncated one, and one of views', () => {
  const path = join(folder, 'x-ui.db');
  const db = new Database(join(folder, 'other.db'));
  db.exec('CREATE TABLE users (id INTEGER)');
  db.close();
  expect(problemOf(join(folder, 'other.db'))).toBe('unknown_source');
  writeThreeXui(path);
  expect(problemOf(path)).toBeNull();
  truncateSync(path, 8192);
  expect(problemOf(path)).toBe('damaged');
  const views = new Database(join(folder, 'views.db'));
  views.exec(`CREATE VIEW client_traffics AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n;
    CREATE VIEW inbounds AS SELECT 1 AS stream_settings`);
  views.close();
  expect(problemOf(join(folder, 'views.db'))).toBe('unknown_source');
  expect(readdirSync(work)).toEqual([]);
});

it('follows no link, and reads no folder and no missing file', () => {
  const path = join(folder, 'x-ui.db');
  writeThreeXui(path);
  symlinkSync(path, join(folder, 'link.db'));
  expect(problemOf(join(folder, 'link.db'))).toBe('not_a_file');
  expect(problemOf(folder)).toBe('not_a_file');
  expect(problemOf(join(folder, 'none'))).toBe('unreadable');
});

it('reads a database whose values have other types as far as they mean something', () => {
  const path = join(folder, 'x-ui.db');
  writeThreeXui(path);
  const db = new Database(path);
  db.exec(`UPDATE client_traffics SET up = 'many', down = x'00ff', total = 1e300, expiry_time = '12'`);
  db.close();
  const { users } = readSource({ paths: [path], source: null, folder: work, now: 0 });
  expect(users.length).toBeGreaterThan(5);
  expect(users.every(({ used_up }) => used_up === 0)).toBe(true);
});

it('names the panel, and refuses another one than was said', () => {
  const [path = '', config = ''] = writeMarzban(folder);
  const read = (source: 'marzban' | '3x-ui') =>
    readSource({ paths: [config, path], source, folder: work, now: 0 }).source.name;
  expect(read('marzban')).toBe('marzban');
  expect(() => read('3x-ui')).toThrow('wrong_source');
  expect(readFileSync(path).length).toBeGreaterThan(0);
});

const key = Buffer.alloc(32).toString('base64');
const grant = {
  bytes: 5,
  bytes_left: 5,
  lifetime: 'used',
  days: null,
  ends_at: null,
  note: '',
  created_at: '2026-11-20T00:00:00.000Z',
} as const;
const before = '1969-12-31T23:59:59.000Z';
const by = (value: string, inbound = '1') => ({
  credentials: { uuid: null, password: null, key: null, wireguard: null, by_inbound: [{ inbound, value, flow: null }] },
});

it.each([
  ['name', { name: 'two\nlines' }],
  ['online_at', { online_at: before }],
  ['created_at', { created_at: before }],
  ['resets_at', { resets_at: before }],
  ['expires_at', { expires_at: '2100-01-02T00:00:00.000Z' }],
  ['hold', { hold: { months: 0, days: 1_000_000 } }],
  ['hold', { hold: { months: 0, days: 1 }, expires_at: '2027-01-01T00:00:00.000Z' }],
  ['traffic_limit', { traffic_limit: 0 }],
  ['used_up', { used_up: -1 }],
  ['device_limit', { device_limit: 101 }],
  ['token', { token: 'short' }],
  ['grants.0.bytes', { grants: [{ ...grant, bytes: 0 }] }],
  ['grants.0.bytes_left', { grants: [{ ...grant, bytes_left: 6 }] }],
  ['grants.0.days', { grants: [{ ...grant, lifetime: 'days' as const }] }],
  ['grants.0.note', { grants: [{ ...grant, note: 'x'.repeat(201) }] }],
  ['credentials.uuid', { credentials: { ...by(key).credentials, uuid: 'text' } }],
  ['credentials.wireguard', { credentials: { ...by(key).credentials, wireguard: 'text' } }],
  ['credentials.by_inbound.0.value', by('no UUID')],
  ['credentials.by_inbound.0.inbound', by('00000000-0000-4000-8000-000000000000', '2')],
  [
    'credentials.by_inbound',
    { credentials: { ...by(key).credentials, by_inbound: [1, 2].flatMap(() => by(key).credentials.by_inbound) } },
  ],
])('names %s of a document that cannot be stored', (member, fields) => {
  const document = sampleDocument({ users: [sampleDocumentUser({ id: '0' }), sampleDocumentUser(fields)] });
  const refusal = refusalOf(write('export.json', JSON.stringify(document)));
  expect([refusal?.problem, refusal?.detail]).toEqual(['not_a_document', expect.stringContaining(`users.1.${member}`)]);
});

it('refuses a document in which ids are not unique, or a plan that cannot start', () => {
  const { tariffs, inbounds } = sampleDocument();
  const detailOf = (changes: Partial<ExportDocument>) =>
    refusalOf(write('export.json', JSON.stringify(sampleDocument(changes))))?.detail;
  expect(detailOf({ users: [sampleDocumentUser(), sampleDocumentUser()] })).toBe('users.1.id: repeats another one');
  expect(detailOf({ inbounds: [...inbounds, ...inbounds] })).toBe('inbounds.1.id: repeats another one');
  expect(detailOf({ tariffs: tariffs.map((tariff) => ({ ...tariff, duration: null })) })).toBe(
    'tariffs.0.starts: needs a duration',
  );
  expect(detailOf({})).toBeUndefined();
});

it('leaves out users of another panel with values that cannot be stored', () => {
  const uuid = '00000000-0000-4000-8000-000000000001';
  const users = [{ name: 'nobody' }, { uuid, name: 'ann' }, { uuid, name: 'twin' }];
  const path = write('backup.json', JSON.stringify({ users, hconfigs: [], admin_users: [] }));
  const document = readSource({ paths: [path], source: null, folder: work, now: 0 });
  expect(document.users.map(({ name }) => name)).toEqual(['ann']);
  expect(document.left_out).toEqual([
    { kind: 'user', id: '-', name: 'nobody', reason: expect.stringMatching(/^(?:id|name): /) },
    { kind: 'user', id: expect.stringMatching(/^[0-9a-f]{32}$/), name: 'twin', reason: 'id: repeats another one' },
  ]);
});

const listUsers = (text: string) =>
  readSource({ paths: [write('list.csv', text)], source: null, folder: work, now: 0 });

it('makes no credential of a text that anyone can guess', () => {
  const uuid = '00000000-0000-4000-8000-00000000000A';
  const { users, left_out: leftOut } = listUsers(
    `id,name,password\n1,ann,\n2,bob,secret\n${uuid},cid,\nann,\u001b[31m,`,
  );
  expect(users.map(({ name, credentials }) => [name, credentials.uuid, credentials.password])).toEqual([
    ['bob', null, 'secret'],
    ['cid', uuid.toLowerCase(), null],
  ]);
  expect(users.map(({ losses }) => losses)).toEqual([[{ code: 'credential_invalid', detail: '' }], []]);
  const reason = 'its id is no UUID';
  expect(leftOut).toEqual([
    { kind: 'user', id: 'line 2', name: 'ann', reason },
    { kind: 'user', id: 'line 5', name: ' [31m', reason },
  ]);
});

it('has credentials and link tokens of users nowhere else', () => {
  const uuid = '00000000-0000-4000-8000-000000000001';
  const backup = JSON.stringify({ users: [{ uuid, name: '' }], hconfigs: [], admin_users: [] });
  const hiddify = readSource({ paths: [write('backup.json', backup)], source: null, folder: work, now: 0 });
  const list = listUsers('password\nopen-sesame\n');
  writeThreeXui(join(folder, 'x-ui.db'));
  const threeXui = readSource({ paths: [join(folder, 'x-ui.db')], source: null, folder: work, now: 0 });
  const secrets = [hiddify, list, threeXui].flatMap(({ users }) =>
    users.flatMap(({ credentials, links }) => [
      ...[credentials.uuid, credentials.password, credentials.key].filter((value) => value !== null),
      ...links.map(({ token }) => token),
    ]),
  );
  expect(secrets).toEqual(expect.arrayContaining([uuid, 'open-sesame', 'annsub']));
  const rest = JSON.stringify(
    [hiddify, list, threeXui].map(({ users, left_out: leftOut }) => [
      users.map(({ credentials: _own, links: _links, ...others }) => others),
      leftOut,
    ]),
  );
  // Shorter ones are also parts of names.
  const words = secrets.filter((secret) => secret.length > 4);
  expect(words.filter((secret) => rest.includes(secret.slice(0, 8)))).toEqual([]);
});

it('cleans names and reasons of what is left out, also in a document', () => {
  const given = { kind: 'user', id: '\u001b[2J', name: '\u001b[2J', reason: 'a\nb' } as const;
  const path = write('export.json', JSON.stringify(sampleDocument({ left_out: [given] })));
  const { left_out: leftOut } = readSource({ paths: [path], source: null, folder: work, now: 0 });
  expect(leftOut).toEqual([{ kind: 'user', id: ' [2J', name: ' [2J', reason: 'a b' }]);
});

/** What another process says that reads the files: of an account that is not root, or whose files may have so many bytes. */
function refusalElsewhere(paths: readonly string[], limit = ''): string {
  const request = JSON.stringify({ paths, source: null, folder: work, now: 0 });
  const program = `const { readSource } = await import(${JSON.stringify(import.meta.resolve('./read-source.ts'))});
    if (${limit === ''} && process.getuid() === 0) process.setuid(65534);
    try { readSource(${request}); console.log('read'); }
    catch (error) { console.log(error.problem ?? error.code, error.detail ?? ''); }`;
  const command = `${limit}exec "$0" --input-type=module --eval "$1"`;
  const { stdout, stderr } = spawnSync('sh', ['-c', command, process.execPath, program], { encoding: 'utf8' });
  return `${stdout}${stderr}`.trim();
}

it.skipIf(process.platform === 'win32')('says so where the account of the panel may not read a file', () => {
  chmodSync(folder, 0o755);
  writeThreeXui(join(folder, 'x-ui.db'));
  const text = write('list.txt', 'trojan://password@example.com:443');
  for (const path of [join(folder, 'x-ui.db'), text]) {
    chmodSync(path, 0);
    expect(refusalElsewhere([path])).toBe(`unreadable ${basename(path)}`);
  }
});

it.skipIf(process.platform === 'win32')('says so where there is no space for the copy of a database', () => {
  writeThreeXui(join(folder, 'x-ui.db'));
  expect(refusalElsewhere([join(folder, 'x-ui.db')], 'ulimit -f 8; ')).toBe('storage_full');
  expect(readdirSync(work)).toEqual([]);
});

const MANY = 1_000_000;

it.each([
  ['lines', '\n'.repeat(MANY)],
  ['spaces', ' '.repeat(MANY)],
  ['spaces in a value', `A=x${' '.repeat(MANY)}y`],
  ['spaces around the sign', `A${' '.repeat(MANY)}x`],
  ['spaces after export', `export${' '.repeat(MANY)}x`],
  ['quotes', `A=${'"'.repeat(MANY)}x`],
  ['padding in a link', `vmess://${'='.repeat(MANY)}x`],
  ['padding in a link of Shadowsocks', `ss://${'='.repeat(MANY)}x@a:1`],
  ['separators', `uuid,name\n${','.repeat(MANY)}`],
  ['quotes in CSV', `uuid,name\n${'"'.repeat(MANY)}`],
])('reads a file of many %s', (_what, content) => {
  expect([null, 'unknown_source']).toContain(problemOf(write('file', content)));
});

it('reads settings of an environment with comments, quotes and spaces', () => {
  const lines = [
    '# XRAY_SUBSCRIPTION_PATH = a',
    ' \texport XRAY_SUBSCRIPTION_PATH = "own path"  ',
    "OTHER='x'",
    'EMPTY=',
    'no setting',
  ];
  const [path = ''] = writeMarzban(folder);
  const pathOf = (text: string) =>
    readSource({ paths: [path, write('.env', text)], source: null, folder: work, now: 0 }).links?.path;
  expect(pathOf(lines.join('\n'))).toBe('/own path/');
  expect(pathOf(lines.join('\r\n'))).toBe('/own path/');
  expect(pathOf('XRAY_SUBSCRIPTION_PATH=\n')).toBe('/sub/');
  expect(pathOf('XRAY_SUBSCRIPTION_PATH="a')).toBe('/"a/');
});

function writeThreeXuiFile(): readonly string[] {
  const path = join(folder, 'x-ui.db');
  writeThreeXui(path);
  return [path];
}

const HOSTILE = [{ toString: 1, valueOf: 1 }, 'constructor', '__proto__', [[]], 1e308, -1, true, '\u0000'];
/** Of a database, where JSON is text. */
const HOSTILE_CELLS = [
  ...HOSTILE.filter((value) => typeof value === 'string'),
  -1n,
  1e308,
  Buffer.from([0, 255]),
  null,
];

/** The JSON with one of its values replaced, for each of its values. */
function* replaceEach(json: unknown, value: unknown): Iterable<unknown> {
  yield value;
  if (typeof json !== 'object' || json === null) return;
  for (const [key, child] of Object.entries(json)) {
    for (const changed of replaceEach(child, value))
      yield Array.isArray(json) ? json.with(Number(key), changed) : { ...json, [key]: changed };
  }
}

it.each([
  ['Hiddify', () => [writeHiddify(folder)]],
  ['Remnawave', () => writeRemnawave(folder)],
])('reads files of %s with any value in place of each', (_panel, writeFiles) => {
  const paths = writeFiles();
  let count = 0;
  for (const path of paths) {
    const content = readFileSync(path, 'utf8');
    for (const value of HOSTILE) {
      for (const json of replaceEach(JSON.parse(content), value)) {
        writeFileSync(path, JSON.stringify(json));
        expect([null, 'unknown_source', 'incomplete']).toContain(problemOf(...paths));
        count += 1;
      }
    }
    writeFileSync(path, content);
  }
  expect(count).toBeGreaterThan(400);
});

it.each([
  ['3x-ui', readThreeXui, writeThreeXuiFile],
  ['Marzban', readMarzban, () => writeMarzban(folder)],
  ['PasarGuard', readPasarGuard, () => [writePasarGuard(folder)]],
  ['Marzneshin', readMarzneshin, () => writeMarzneshin(folder)],
] as const)('reads a database of %s with any value in place of each', (_panel, read, writeFiles) => {
  const [path, config] = writeFiles();
  const stored = config === undefined ? null : JSON.parse(readFileSync(config, 'utf8'));
  const readChanged = (db: Pick<ForeignDatabase, 'has' | 'columns' | 'rows'>, xray: Json | null) => {
    const parse = (text: string): unknown => JSON.parse(text);
    expect(read({ ...db, [Symbol.dispose]() {} }, { config: xray, env: {}, parse, now: 0 }).users).toEqual(
      expect.any(Array),
    );
    count += 1;
  };
  let count = 0;
  using db = openForeignDatabase(path ?? '', work);
  for (const value of HOSTILE) for (const json of replaceEach(stored, value)) readChanged(db, toObject(json));
  const source = new Database(path ?? '');
  const names = source.prepare<[], string>('SELECT name FROM sqlite_schema').pluck().all();
  source.close();
  for (const table of names) {
    const [first = {}, ...others] = db.rows(table);
    for (const [column, cell] of Object.entries(first)) {
      const isJson = typeof cell === 'string' && /^[[{]/.test(cell);
      const values = isJson
        ? HOSTILE.flatMap((value) => [...replaceEach(JSON.parse(cell), value)].map((json) => JSON.stringify(json)))
        : HOSTILE_CELLS;
      for (const value of values) {
        const rows = (name: string) => (name === table ? [{ ...first, [column]: value }, ...others] : db.rows(name));
        readChanged({ ...db, rows }, stored);
      }
    }
  }
  expect(count).toBeGreaterThan(200);
});

it('reads more inbounds and addresses than a call takes arguments', () => {
  const many = 200_000;
  const inbound = { settings: '{}', stream_settings: JSON.stringify({ externalProxy: Array(many).fill(0) }), id: 1n };
  const core = { config: JSON.stringify({ inbounds: Array(many).fill(0) }) };
  const tables = { inbounds: [inbound], core_configs: [core] };
  const db = {
    has: () => true,
    columns: () => new Set<string>(),
    rows: (name: string): readonly Row[] => tables[name as keyof typeof tables] ?? [],
    [Symbol.dispose]() {},
  };
  const files = { config: null, env: {}, parse: (text: string): unknown => JSON.parse(text), now: 0 };
  expect(readThreeXui(db, files).hosts).toHaveLength(many);
  expect(readPasarGuard(db, files).inbounds).toEqual([]);
});

/** Rows of 3x-ui with so many inbounds, of which the panel can have those with a port. */
function writeInbounds(count: number, { port, proxies }: { readonly port: boolean; readonly proxies: number }): string {
  const [path = ''] = writeThreeXuiFile();
  const db = new Database(path);
  const insert = db.prepare(
    "INSERT INTO inbounds (remark, enable, port, protocol, settings, stream_settings, tag) VALUES ('a', 1, ?, 'vless', '{}', ?, 'a')",
  );
  const stream = JSON.stringify({ network: 'tcp', externalProxy: Array(proxies).fill({ dest: 'a', port: 1 }) });
  const insertAll = db.transaction(() => {
    for (let index = 0; index < count; index += 1) insert.run(port ? 1000 + index : 0, stream);
  });
  insertAll();
  db.close();
  return path;
}

it('refuses more inbounds and addresses than a document may have', () => {
  const { problem, detail } = refusalOf(writeInbounds(1001, { port: true, proxies: 0 })) ?? {};
  expect([problem, detail]).toEqual(['too_large', 'inbounds']);
  rmSync(join(folder, 'x-ui.db'));
  expect(problemOf(writeInbounds(900, { port: true, proxies: 0 }))).toBeNull();
  rmSync(join(folder, 'x-ui.db'));
  const addresses = refusalOf(writeInbounds(2, { port: false, proxies: 5001 }));
  expect([addresses?.problem, addresses?.detail]).toEqual(['too_large', 'hosts: 10003']);
});

it('names inbounds of one tag in a time that grows with their number only', () => {
  const path = writeInbounds(30_000, { port: false, proxies: 0 });
  const { left_out: leftOut } = readSource({ paths: [path], source: null, folder: work, now: 0 });
  expect(leftOut.length).toBeGreaterThan(30_000);
});

it('evaluates no generated column of a database', () => {
  const [path = ''] = writeThreeXuiFile();
  const db = new Database(path);
  db.exec('CREATE TABLE made (value INTEGER, twice AS (value * 2) NOT NULL); INSERT INTO made VALUES (1)');
  db.close();
  expect(problemOf(path)).toBe('unknown_source');
});

it('evaluates no constraint of a database', () => {
  const [path = ''] = writeThreeXuiFile();
  const db = new Database(path);
  db.pragma('ignore_check_constraints = ON');
  db.exec('CREATE TABLE checked (value INTEGER, CHECK (value <> 1)); INSERT INTO checked VALUES (1)');
  db.close();
  expect(problemOf(path)).toBeNull();
});

it.each([
  ['Marzban', () => writeMarzban(folder), 'xray_config.json'],
  ['Marzneshin', () => writeMarzneshin(folder), 'xray_config.json'],
  ['Remnawave', () => writeRemnawave(folder), 'squads.json'],
])('reports users of %s whose connections are in a file that is missing', (_panel, writeFiles, file) => {
  const paths = writeFiles();
  const lossesOf = (given: readonly string[]) =>
    readSource({ paths: given, source: null, folder: work, now: 0 }).users.map(({ inbounds, losses }) => [
      inbounds === null,
      losses.filter(({ code }) => code === 'connections_unknown'),
    ]);
  const whole = lossesOf(paths);
  expect(whole).toEqual(whole.map(() => [false, []]));
  const unknown = [{ code: 'connections_unknown', detail: file }];
  expect(lossesOf(paths.slice(0, -1))).toEqual(whole.map(() => [true, unknown]));
});
