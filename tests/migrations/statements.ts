// Takes a migration apart into its statements, so that each can be made to fail, and makes migrations for tests.
import { createHash } from 'node:crypto';
import { loadMigrations, type Migration } from '../../src/store/migrate.ts';

/** Of a text: a comment, a string, a quoted name, or one character. */
const TOKEN = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|[\s\S]/g;
const TRIGGER = /^\s*CREATE\s+(?:TEMP(?:ORARY)?\s+)?TRIGGER\b/i;

/** The statements, comments left out, each with its semicolon. A trigger's body is part of its statement. */
export function statementsOf(sql: string): readonly string[] {
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

function migrationOf(version: number, name: string, sql: string): Migration {
  return { version, name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
}

/**
 * A later version of the panel, with all that a migration may do to what is there: columns, tables made anew, rows moved and
 * rewritten, indexes, a trigger, the search index.
 */
const LATER = `
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

/** This version's migrations and a later one's: so every kind of step is tried, however few migrations there are yet. */
export function laterMigrations(): readonly Migration[] {
  const own = loadMigrations();
  return [...own, migrationOf(own.length + 1, 'later.sql', LATER)];
}

/** What a statement may fail by: when it is read, and when it runs. */
export const FAULTS = ['SELECT x FROM nowhere;', "SELECT json('{');"] as const;

/** The migrations up to `version`, with `fault` before the statement at `at` of the last one. Its checksum stays. */
export function broken(migrations: readonly Migration[], version: number, at: number, fault: string): Migration[] {
  const upTo = migrations.slice(0, version);
  const last = upTo.at(-1);
  if (!last) throw new Error('no such migration');
  const sql = statementsOf(last.sql).toSpliced(at, 0, fault).join('\n');
  return [...upTo.slice(0, -1), { ...last, sql }];
}
