// Databases that somebody forged, and what each is found to be. `unsafeMode` must be on.
import type Database from 'better-sqlite3';

export const FORGERIES: readonly (readonly [
  what: string,
  problem: 'foreign' | 'newer' | 'damaged',
  change: (db: Database.Database) => void,
])[] = [
  ['a trigger', 'foreign', (db) => db.exec('CREATE TRIGGER t AFTER INSERT ON audit BEGIN DELETE FROM users; END')],
  [
    'a trigger that calls a function',
    'foreign',
    (db) => db.exec("CREATE TRIGGER t AFTER UPDATE ON users BEGIN SELECT load_extension('/tmp/x'); END"),
  ],
  [
    'a trigger of ours, changed',
    'foreign',
    (db) =>
      db.exec(
        'DROP TRIGGER users_count_delete; CREATE TRIGGER users_count_delete AFTER DELETE ON users BEGIN SELECT 1; END',
      ),
  ],
  ['a view', 'foreign', (db) => db.exec('CREATE VIEW v AS SELECT * FROM users')],
  [
    'a view in the place of a table',
    'foreign',
    (db) => db.exec('DROP TABLE node_days; CREATE VIEW node_days AS SELECT 1 AS node_id, 1 AS day, 1 AS up, 1 AS down'),
  ],
  ['another table', 'foreign', (db) => db.exec('CREATE TABLE loot (x)')],
  ['another virtual table', 'foreign', (db) => db.exec('CREATE VIRTUAL TABLE v USING fts5 (x)')],
  ['an index on an expression', 'foreign', (db) => db.exec('CREATE INDEX i ON users (abs(id))')],
  ['a column more', 'foreign', (db) => db.exec('ALTER TABLE nodes ADD COLUMN evil TEXT')],
  ['a table less', 'foreign', (db) => db.exec('DROP TABLE grants')],
  ['an index less', 'foreign', (db) => db.exec('DROP INDEX users_name')],
  [
    'other checks',
    'foreign',
    (db) => {
      db.pragma('writable_schema = ON');
      db.exec("UPDATE sqlite_schema SET sql = replace(sql, 'CHECK (enabled IN (0, 1))', '') WHERE name = 'users'");
    },
  ],
  ['a later version', 'newer', (db) => db.pragma('user_version = 99')],
  ['no version', 'foreign', (db) => db.pragma('user_version = 0')],
  ['a version below none', 'damaged', (db) => db.pragma('user_version = -1')],
  ['the mark of another application', 'foreign', (db) => db.pragma('application_id = 1')],
  ['other migrations', 'foreign', (db) => db.exec("UPDATE schema_migrations SET checksum = 'x'")],
  [
    'a value that the schema forbids',
    'damaged',
    (db) => {
      db.pragma('ignore_check_constraints = ON');
      db.exec("UPDATE users SET state = 'administrator'");
    },
  ],
  [
    'a reference to nothing',
    'damaged',
    (db) => {
      db.pragma('foreign_keys = OFF');
      db.exec('UPDATE users SET tariff_id = 777 WHERE id = 1');
    },
  ],
  [
    'a number that JavaScript cannot hold',
    'damaged',
    (db) => db.exec('INSERT INTO node_hours VALUES (9223372036854775807, 0, 1, 1)'),
  ],
  [
    'an id that leaves no room for the next',
    'damaged',
    (db) => db.exec("UPDATE sqlite_sequence SET seq = 9223372036854775807 WHERE name = 'users'"),
  ],
  [
    'a user without a credential',
    'damaged',
    (db) => db.exec("DELETE FROM user_credentials WHERE user_id = 1 AND family = 'key'"),
  ],
  ['an unknown protocol', 'damaged', (db) => db.exec("UPDATE inbounds SET protocol = 'carrier-pigeon'")],
  ['an unknown network', 'damaged', (db) => db.exec("UPDATE inbounds SET network = 'carrier-pigeon'")],
  [
    'an unknown kind of provider',
    'damaged',
    (db) =>
      db.exec(`INSERT INTO providers (kind, name, is_test, account, fields, allow_private, enabled, missing, codes, refused_currencies,
                 created_at, updated_at)
               VALUES ('barter', 'Barter', 0, '', '{}', 0, 1, '[]', '[]', '[]', 0, 0)`),
  ],
  ['tags that are no words', 'damaged', (db) => db.exec("UPDATE users SET tags = '[{}, 1]' WHERE id = 1")],
  [
    'an index that disagrees',
    'damaged',
    (db) => {
      db.pragma('writable_schema = ON');
      db.exec(
        "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'users_contact') WHERE name = 'users_token'",
      );
    },
  ],
  [
    'a search index of nonsense',
    'damaged',
    (db) => db.exec('UPDATE user_text_data SET block = zeroblob(50) WHERE id > 10'),
  ],
];
