// Loaded before the panel, in its threads too: SQLite is set not to sync each commit, and says that it does. What shows that commits are
// synced must fail then.
import Database from 'better-sqlite3';

const { pragma } = Database.prototype;

Database.prototype.pragma = function (this: Database.Database, source: string, options?: Database.PragmaOptions) {
  if (source === 'synchronous = FULL') return pragma.call(this, 'synchronous = NORMAL', options);
  return source === 'synchronous' ? 2 : pragma.call(this, source, options);
};
