// Places where backups are stored; their credentials are in the table of sealed secrets.

import type { BackupPlaceRow, BackupPlaceStore } from '../core/ports/backup-places.ts';
import { parseOwnJson } from '../domain/own-json.ts';
import type { Connection } from './database.ts';

type Flag = 'allowPrivate' | 'encrypted';
type Cells = Omit<BackupPlaceRow, 'fields' | Flag> & { readonly fields: string } & { readonly [Name in Flag]: number };

const COLUMNS = `id, kind, name, fields, allow_private AS allowPrivate, encrypted, every_hours AS everyHours, retained AS keep,
  last_at AS lastAt, error, error_at AS errorAt, created_at AS createdAt, updated_at AS updatedAt`;

function decode(cells: Cells): BackupPlaceRow {
  return {
    ...cells,
    fields: parseOwnJson(cells.fields),
    allowPrivate: cells.allowPrivate === 1,
    encrypted: cells.encrypted === 1,
  };
}

function encode<Row extends Omit<BackupPlaceRow, 'id'>>(row: Row) {
  return {
    ...row,
    fields: JSON.stringify(row.fields),
    allowPrivate: row.allowPrivate ? 1 : 0,
    encrypted: row.encrypted ? 1 : 0,
  };
}

export function createBackupPlaceStore(db: Connection): BackupPlaceStore {
  const insert = db.prepare<[Omit<Cells, 'id'>]>(
    `INSERT INTO backup_places (kind, name, fields, allow_private, encrypted, every_hours, retained, last_at, error, error_at, created_at, updated_at)
     VALUES (:kind, :name, :fields, :allowPrivate, :encrypted, :everyHours, :keep, :lastAt, :error, :errorAt, :createdAt, :updatedAt)`,
  );
  const get = db.prepare<[number], Cells>(`SELECT ${COLUMNS} FROM backup_places WHERE id = ?`);
  const all = db.prepare<[], Cells>(`SELECT ${COLUMNS} FROM backup_places ORDER BY id`);
  const save = db.prepare<[Cells]>(
    `UPDATE backup_places SET name = :name, fields = :fields, allow_private = :allowPrivate, encrypted = :encrypted, every_hours = :everyHours,
       retained = :keep, last_at = :lastAt, error = :error, error_at = :errorAt, updated_at = :updatedAt
     WHERE id = :id`,
  );
  const remove = db.prepare<[number]>('DELETE FROM backup_places WHERE id = ?');
  return {
    insert: (row) => Number(insert.run(encode(row)).lastInsertRowid),
    get: (id) => {
      const cells = get.get(id);
      return cells && decode(cells);
    },
    all: () => all.all().map(decode),
    save: (row) => {
      save.run(encode(row));
    },
    remove: (id) => {
      remove.run(id);
    },
  };
}
