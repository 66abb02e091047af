// The machine that figures were taken on: without it the absolute ones say nothing.
import { cpus, loadavg, release, totalmem, type } from 'node:os';
import Database from 'better-sqlite3';

/** One line. */
export function describeMachine(): string {
  const all = cpus();
  const db = new Database(':memory:');
  const sqlite = db.prepare('SELECT sqlite_version()').pluck().get();
  db.close();
  const memory = Math.round(totalmem() / 2 ** 30);
  const model = all[0]?.model.trim() || 'unknown CPU';
  return `${model}, ${all.length} cores, ${memory} GiB, ${type()} ${release()}, Node ${process.versions.node}, SQLite ${sqlite}`;
}

/** What else the machine does: its load average of the last minute. */
export function describeLoad(): string {
  return (loadavg()[0] ?? 0).toFixed(1);
}
