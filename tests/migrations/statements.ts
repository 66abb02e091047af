// Takes a migration apart into its statements, so that each can be made to fail, and makes migrations for tests.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { loadMigrations, type Migration } from '../../src/store/migrate.ts';

/** Of a text: a comment, a string, a quoted name, or one character. */
const TOKEN = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|[\s\S]/g;
const TRIGGER = /^\s*CREATE\s+(?:TEMP(?:ORARY)?\s+)?TRIGGER\b/i;

/** The statements, comments left out, each with its semicolon. A trigger's body is part of its statement. */
export function splitStatements(sql: string): readonly string[] {
  const statements: string[] = [];
  let present = '';
  for (const [token] of sql.matchAll(TOKEN)) {
    if (token.startsWith('--') || token.startsWith('/*')) continue;
    present += token;
    const isEnd = token === ';' && (!TRIGGER.test(present) || /\bEND\s*;$/i.test(present));
    if (!isEnd) continue;
    statements.push(present.trim());
    present = '';
  }
  if (present.trim() !== '') throw new Error(`no statement: ${present}`);
  return statements;
}

/** The smallest migration there is. */
const ONE_LINE = 'ALTER TABLE nodes ADD COLUMN region TEXT;\n';

/** All that a migration may do to what is there: columns, tables, rows moved and rewritten, indexes, a trigger, the search index. */
const LARGE = `
ALTER TABLE users ADD COLUMN comment TEXT NOT NULL DEFAULT '' CHECK (length(comment) <= 500);
UPDATE users SET comment = 'was ' || name, note = note || ' (moved; "as it was")';
CREATE TABLE contacts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  text TEXT NOT NULL CHECK (length(text) > 0)
) STRICT;
INSERT INTO contacts (user_id, text) SELECT id, name || ';' FROM users;
CREATE INDEX contacts_user ON contacts (user_id);
CREATE TRIGGER contacts_noted AFTER INSERT ON contacts BEGIN
  UPDATE users SET comment = NEW.text WHERE id = NEW.user_id;
END;
DELETE FROM audit;
ALTER TABLE setup_token RENAME TO setup_tokens;
DROP INDEX users_updated;
CREATE INDEX users_updated ON users (updated_at DESC);
INSERT INTO user_text (user_text) VALUES ('optimize');
DROP TABLE two_factor_pending;
`;

const FOLDER = join(import.meta.dirname, '../../src/store/migrations');

/** The migrations of a later version of the panel: the present ones, one of one line, and a large one. */
export function laterMigrations(): readonly Migration[] {
  const next = loadMigrations().length + 1;
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-migrations-'));
  try {
    cpSync(FOLDER, folder, { recursive: true });
    for (const [index, [name, sql]] of [['one_line', ONE_LINE] as const, ['large', LARGE] as const].entries()) {
      writeFileSync(join(folder, `${String(next + index).padStart(4, '0')}_${name}.sql`), sql);
    }
    return loadMigrations(pathToFileURL(`${folder}/`));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What a statement may fail by: when it is read, and when it runs. */
export const FAULTS = ['SELECT x FROM nowhere;', "SELECT json('{');"] as const;

/** The migrations up to `version`, with `fault` before the statement at `at` of the last one. Its checksum stays. */
export function broken(migrations: readonly Migration[], version: number, at: number, fault: string): Migration[] {
  const upTo = migrations.slice(0, version);
  const last = upTo.at(-1);
  if (!last) throw new Error('no such migration');
  const sql = splitStatements(last.sql).toSpliced(at, 0, fault).join('\n');
  return [...upTo.slice(0, -1), { ...last, sql }];
}
