// A database of another program: copied with its journal, and read as tables of plain values. Nothing in it is run.
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import Database from 'better-sqlite3';
import { PanelError } from '../../core/kernel/panel-error.ts';
import { ImportRefusal } from './import-refusal.ts';
import { cleanText, toText } from './values.ts';

/** More than any panel has: rows of one table, bytes of a file, and bytes of one value. */
const MAX_ROWS = 5_000_000;
const MAX_BYTES = 2 * 1024 ** 3;
const MAX_VALUE = 256 * 1024 ** 2;
const MAGIC = 'SQLite format 3\0';

export type Row = Readonly<Record<string, unknown>>;

export interface ForeignDatabase extends Disposable {
  has(table: string): boolean;
  columns(table: string): ReadonlySet<string>;
  /** Rows in the order in which the table has them. Integers are bigints. */
  rows(table: string): Iterable<Row>;
}

/** The size of a regular file; a refusal for anything else, and for one that is too large. */
export function checkFile(path: string, maxBytes = MAX_BYTES): number {
  let found: ReturnType<typeof lstatSync>;
  try {
    found = lstatSync(path);
  } catch (error) {
    throw toRefusal(error);
  }
  if (!found?.isFile()) throw new ImportRefusal('not_a_file');
  if (found.size > maxBytes) throw new ImportRefusal('too_large');
  return found.size;
}

/** Whether a file begins as a database of SQLite does. */
export function isDatabase(path: string): boolean {
  const start = Buffer.alloc(MAGIC.length);
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    readSync(file, start, 0, start.length, 0);
  } finally {
    closeSync(file);
  }
  return start.toString('latin1') === MAGIC;
}

/** `folder`: where the copy is made, for the owner alone; it is removed at the end. */
export function openForeignDatabase(path: string, folder: string): ForeignDatabase {
  const own = join(folder, `import-${randomBytes(8).toString('hex')}`);
  const discard = () => rmSync(own, { recursive: true, force: true });
  try {
    mkdirSync(own, { recursive: true, mode: 0o700 });
    const copy = join(own, 'copy.db');
    // With what was written and not yet moved into the file: the newest people.
    for (const suffix of ['', '-wal', '-journal']) copyPart(path, copy, suffix);
    const db = open(copy);
    return {
      ...readTables(db),
      [Symbol.dispose]: () => {
        db.close();
        discard();
      },
    };
  } catch (error) {
    discard();
    throw toRefusal(error);
  }
}

function copyPart(path: string, copy: string, suffix: string): void {
  const from = `${path}${suffix}`;
  if (suffix !== '' && lstatSync(from, { throwIfNoEntry: false }) === undefined) return;
  checkFile(from);
  copyFileSync(from, `${copy}${suffix}`, constants.COPYFILE_EXCL);
  chmodSync(`${copy}${suffix}`, 0o600);
}

function open(copy: string): Database.Database {
  const db = new Database(copy, { fileMustExist: true });
  try {
    db.pragma('trusted_schema = OFF');
    db.pragma('cell_size_check = ON');
    db.pragma('mmap_size = 0');
    // Reads the journal into the copy; nothing is written afterwards.
    db.pragma('journal_mode = DELETE');
    db.pragma('query_only = ON');
    // The check evaluates constraints and generated columns: expressions of the file. No panel has such columns.
    db.pragma('ignore_check_constraints = ON');
    const columns = listTables(db).flatMap((table) => listColumns(db, table));
    if (columns.some(({ isGenerated }) => isGenerated)) throw new ImportRefusal('unknown_source', 'generated columns');
    if (String(db.pragma('quick_check(1)', { simple: true })) !== 'ok') throw new ImportRefusal('damaged');
    db.defaultSafeIntegers(true);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** No view, which may compute anything, and no virtual table. */
function listTables(db: Database.Database): readonly string[] {
  return db
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
    .pluck()
    .all();
}

interface Column {
  readonly name: string;
  readonly isGenerated: boolean;
}

function listColumns(db: Database.Database, table: string): readonly Column[] {
  return db
    .prepare<[string], { readonly name: string; readonly hidden: number | bigint }>(
      'SELECT name, hidden FROM pragma_table_xinfo(?)',
    )
    .all(table)
    .map(({ name, hidden }) => ({ name, isGenerated: Number(hidden) !== 0 }));
}

function readTables(db: Database.Database): Omit<ForeignDatabase, typeof Symbol.dispose> {
  const names = new Set(listTables(db));
  const columnsOf = (table: string) => listColumns(db, table).map(({ name }) => name);
  const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;
  return {
    has: (table) => names.has(table),
    columns: (table) => new Set(names.has(table) ? columnsOf(table) : []),
    *rows(table) {
      if (!names.has(table)) return;
      let count = 0;
      const columns = columnsOf(table).map(quote).join(', ');
      try {
        for (const row of db.prepare<[], Row>(`SELECT ${columns} FROM ${quote(table)}`).iterate()) {
          count += 1;
          if (count > MAX_ROWS) throw new ImportRefusal('too_large');
          for (const value of Object.values(row))
            if (typeof value === 'string' && value.length > MAX_VALUE) throw new ImportRefusal('too_large');
          yield row;
        }
      } catch (error) {
        throw toRefusal(error);
      }
    },
  };
}

/** Rows by a column, each read. */
export function groupRows<T>(
  rows: Iterable<Row>,
  column: string,
  read: (row: Row) => T,
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const key = toText(row[column]);
    const group = groups.get(key);
    if (group) group.push(read(row));
    else groups.set(key, [read(row)]);
  }
  return groups;
}

const NO_SPACE: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'SQLITE_FULL']);
/** The account of the panel may not read the file, or it is gone or a link by now. */
const UNREADABLE: ReadonlySet<string> = new Set([
  'EACCES',
  'EPERM',
  'ENOENT',
  'ENOTDIR',
  'ELOOP',
  'ENAMETOOLONG',
  'EBUSY',
  'EIO',
]);

/** An error of the system or of SQLite in the person's terms; others as they are. */
export function toRefusal(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ImportRefusal || !('code' in error)) return error;
  const code = String(error.code);
  if (NO_SPACE.has(code)) return new PanelError('storage_full');
  if (code.startsWith('SQLITE_')) return new ImportRefusal('damaged');
  const path = 'path' in error ? cleanText(basename(String(error.path)), 300) : '';
  return UNREADABLE.has(code) ? new ImportRefusal('unreadable', path) : error;
}
