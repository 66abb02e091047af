// What a backup without a valid mark would bring into the panel: keys, settings and addresses of its own.
import type { BackupDifferences } from '../../core/ports/backups.ts';
import { openConnection } from '../database.ts';
import { MACHINE_SETTINGS, PATH } from './retain-machine.ts';

/** When scheduled backups were made says nothing of what a backup brings. */
const UNCOMPARED: readonly string[] = ['backupLast', 'enginePath'];

/** `candidate`: the judged database of a backup; `present`: the database in use. */
export function compareDatabases(candidate: string, present: string): BackupDifferences {
  const there = openConnection(candidate, { readonly: true });
  const here = openConnection(present, { readonly: true });
  try {
    const hashes = new Set(here.prepare<[], string>('SELECT hash FROM api_keys').pluck().all());
    const keys = there
      .prepare<[], { readonly hash: string } & BackupDifferences['keys'][number]>(
        'SELECT hash, name, access, prefix FROM api_keys WHERE revoked_at IS NULL ORDER BY id',
      )
      .all();
    const readSettings = (db: typeof here) =>
      new Map(db.prepare<[], [string, string]>('SELECT name, value FROM settings').raw().all());
    const [theirs, ours] = [readSettings(there), readSettings(here)];
    const names = new Set([...theirs.keys(), ...ours.keys()]);
    for (const name of [...MACHINE_SETTINGS, PATH, ...UNCOMPARED]) names.delete(name);
    const differing = [...names].sort().filter((name) => theirs.get(name) !== ours.get(name));
    const urls = new Set(here.prepare<[], string>('SELECT url FROM webhooks').pluck().all());
    const webhooks = there.prepare<[], string>('SELECT url FROM webhooks ORDER BY id').pluck().all();
    return {
      keys: keys.filter(({ hash }) => !hashes.has(hash)).map(({ name, access, prefix }) => ({ name, access, prefix })),
      settings: differing.map((name) => ({ name, here: ours.get(name) ?? null, there: theirs.get(name) ?? null })),
      webhooks: webhooks.filter((url) => !urls.has(url)),
    };
  } finally {
    there.close();
    here.close();
  }
}
