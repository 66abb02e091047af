// Accounts at payment providers; their secrets are in the table of sealed secrets.

import type { ProviderRow, ProviderStore } from '../../core/ports/providers.ts';
import { parseOwnJson } from '../../domain/own-json.ts';
import type { Connection } from '../database.ts';

type Flag = 'isTest' | 'allowPrivate' | 'enabled';
type List = 'codes' | 'missing' | 'refusedCurrencies';
type Cells = Omit<ProviderRow, List | 'fields' | Flag> &
  Readonly<Record<List | 'fields', string>> & {
    readonly [Name in Flag]: number;
  };

const COLUMNS = `id, kind, name, is_test AS isTest, account, fields, api_root AS apiRoot, allow_private AS allowPrivate, enabled,
  hook_token AS hookToken, ok_at AS okAt, error, missing, codes, refused_currencies AS refusedCurrencies, error_at AS errorAt, created_at AS createdAt, updated_at AS updatedAt`;

function decode(cells: Cells): ProviderRow {
  return {
    ...cells,
    fields: parseOwnJson(cells.fields),
    missing: parseOwnJson(cells.missing),
    codes: parseOwnJson(cells.codes),
    refusedCurrencies: parseOwnJson(cells.refusedCurrencies),
    isTest: cells.isTest === 1,
    allowPrivate: cells.allowPrivate === 1,
    enabled: cells.enabled === 1,
  };
}

function encode<Row extends Omit<ProviderRow, 'id'>>(row: Row) {
  return {
    ...row,
    fields: JSON.stringify(row.fields),
    missing: JSON.stringify(row.missing),
    codes: JSON.stringify(row.codes),
    refusedCurrencies: JSON.stringify(row.refusedCurrencies),
    isTest: row.isTest ? 1 : 0,
    allowPrivate: row.allowPrivate ? 1 : 0,
    enabled: row.enabled ? 1 : 0,
  };
}

export function createProviderStore(db: Connection): ProviderStore {
  const insert = db.prepare<[Omit<Cells, 'id'>]>(
    `INSERT INTO providers (kind, name, is_test, account, fields, api_root, allow_private, enabled, hook_token, ok_at, error, missing, codes, refused_currencies, error_at,
       created_at, updated_at)
     VALUES (:kind, :name, :isTest, :account, :fields, :apiRoot, :allowPrivate, :enabled, :hookToken, :okAt, :error, :missing, :codes, :refusedCurrencies, :errorAt,
       :createdAt, :updatedAt)`,
  );
  const get = db.prepare<[number], Cells>(`SELECT ${COLUMNS} FROM providers WHERE id = ?`);
  const byHookToken = db.prepare<[string], Cells>(`SELECT ${COLUMNS} FROM providers WHERE hook_token = ?`);
  const all = db.prepare<[], Cells>(`SELECT ${COLUMNS} FROM providers ORDER BY id`);
  const save = db.prepare<[Cells]>(
    `UPDATE providers SET name = :name, is_test = :isTest, account = :account, fields = :fields, api_root = :apiRoot,
       allow_private = :allowPrivate, enabled = :enabled, hook_token = :hookToken, ok_at = :okAt, error = :error, missing = :missing, codes = :codes,
       refused_currencies = :refusedCurrencies,       error_at = :errorAt, updated_at = :updatedAt
     WHERE id = :id`,
  );
  const remove = db.prepare<[number]>('DELETE FROM providers WHERE id = ?');
  const reading = db.prepare<[number], { readonly cursor: string | null; readonly caughtUpAt: number | null }>(
    'SELECT cursor, caught_up_at AS caughtUpAt FROM providers WHERE id = ?',
  );
  const saveReading = db.prepare<[string | null, number | null, number]>(
    'UPDATE providers SET cursor = ?, caught_up_at = ? WHERE id = ?',
  );
  return {
    insert: (provider) => Number(insert.run(encode(provider)).lastInsertRowid),
    get: (id) => {
      const cells = get.get(id);
      return cells && decode(cells);
    },
    byHookToken: (token) => {
      const cells = byHookToken.get(token);
      return cells && decode(cells);
    },
    all: () => all.all().map(decode),
    save: (provider) => {
      save.run(encode(provider));
    },
    remove: (id) => {
      remove.run(id);
    },
    reading: (id) => reading.get(id),
    saveReading: (id, cursor, caughtUpAt) => {
      saveReading.run(cursor, caughtUpAt, id);
    },
  };
}
