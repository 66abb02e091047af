// Every table and column of the migrations has one restore class, and every kind of difference in the contract has columns.
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { BACKUP_DIFFERENCE_KINDS } from '../../contract/backups.ts';
import { listTables } from '../database.ts';
import { loadMigrations, migrate } from '../migrate.ts';
import {
  getWholeClass,
  listNamedPlaces,
  listSettings,
  PENDING_RULES,
  RESTORE_CLASSES,
  SEQUENCE_CLASSES,
} from './restore-classes.ts';

const db = new Database(':memory:');
migrate(db, ':memory:', 0, loadMigrations());
const tables = listTables(db);
const listColumns = (table: string) =>
  db.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(table);

it('is about the tables of the schema, and no others', () => {
  expect(tables.length).toBeGreaterThan(50);
  expect(Object.keys(RESTORE_CLASSES).sort()).toEqual([...tables].sort());
  expect(() => getWholeClass('later')).toThrow('later has no restore class');
});

describe.each(tables)('%s', (table) => {
  const classes = RESTORE_CLASSES[table as keyof typeof RESTORE_CLASSES];
  it('has one class, or each of its columns has one', () => {
    if (typeof classes !== 'string') expect(Object.values(classes).flat().sort()).toEqual(listColumns(table).sort());
  });
});

it('each id that SQLite gives has a class, and is never given again', () => {
  const sql = (table: string) =>
    String(db.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').pluck().get(table)).replaceAll(/\s+/g, ' ');
  const numbered = tables.filter((table) => / AUTOINCREMENT/.test(sql(table)));
  expect(Object.keys(SEQUENCE_CLASSES).sort()).toEqual(numbered.sort());
  // Without AUTOINCREMENT, SQLite may choose the id of a deleted row again.
  const chosen = tables.filter((table) => {
    const [, column] = /(\w+) INTEGER PRIMARY KEY(?! AUTOINCREMENT| REFERENCES| CHECK)/.exec(sql(table)) ?? [];
    return column !== undefined;
  });
  // The ids of these have a meaning of their own (blocks of users, nodes, chats, versions), or are never shown (stored replies).
  expect(chosen.sort()).toEqual(['bot_chats', 'idempotency', 'node_totals', 'schema_migrations', 'user_blocks']);
});

it('the contract has a kind for each column that a check names', () => {
  const kinds = listNamedPlaces().map(({ kind }) => kind);
  expect([...kinds].sort()).toEqual([...BACKUP_DIFFERENCE_KINDS].sort());
});

it('columns whose names are those of destinations, identities, prices or secrets are no plain data', () => {
  const telling =
    /(^|_)(token|secret|password|hash|url|api_root|address|host|port|proxy|price|prices|pin|code|telegram_id)(_|$)/;
  const plain = Object.entries(RESTORE_CLASSES).flatMap(([table, classes]) =>
    typeof classes === 'string' || !('data' in classes)
      ? []
      : classes.data.filter((column) => telling.test(column)).map((column) => `${table}.${column}`),
  );
  expect(plain).toEqual([
    // Columns of past events.
    'administrator.password_changed_at',
    'audit.address',
    'inbounds.address_pool',
    // The name of an HTTP header.
    'inbounds.proxy_header',
    // An inbound of the same backup, and a number beside a destination.
    'inbounds.shares_port_of',
    'inbounds.fallback_proxy_protocol',
    'inbounds.host_order',
    'nodes.error_code',
    'promo_uses.telegram_id',
    // A code that buyers type; its effect is listed instead.
    'promos.code',
    'trials.telegram_id',
    'webhooks.previous_secret_ends_at',
  ]);
});

it('the rules for pending work are SQL of this schema', () => {
  db.exec("ATTACH ':memory:' AS present; CREATE TABLE present.idempotency AS SELECT * FROM main.idempotency");
  for (const [table, { waits, end }] of Object.entries(PENDING_RULES)) {
    expect(() => db.exec(end)).not.toThrow();
    expect(db.prepare(`SELECT count(*) FROM ${table} WHERE ${waits}`).pluck().get()).toBe(0);
  }
});

it('settings that a check does not name are of the machine', () => {
  expect(listSettings('machine', 'path', 'program', 'moment')).toEqual([
    'enginePath',
    'host',
    'port',
    'secretPath',
    'publicAddress',
    'linksPort',
    'linksHost',
    'hostNames',
    'trustedProxies',
    'instanceId',
    'acme',
    'acmeState',
    'authority',
    'backupLast',
    'backupLeftAt',
    'backupLateAt',
    'updateSeen',
    'updateLast',
    'knownAt',
    'epoch',
    'startedAt',
  ]);
});
