// Makes the administrator's password cheap to verify in a data folder whose password is not what is tested.
import Database from 'better-sqlite3';
import { createPasswordHasher } from '../../src/adapters/passwords.ts';

/** log2 of scrypt's N. The real cost is 17: half a second of a processor for each sign-in, key or confirmation. */
export const CHEAP_COST = 8;

/** Replaces the hash of `password`, which names its own cost, in the database at this path; a panel may be running on it. */
export async function cheapenPassword(database: string, password: string, cost = CHEAP_COST): Promise<void> {
  const hash = await createPasswordHasher(cost).hash(password);
  const db = new Database(database);
  db.prepare('UPDATE administrator SET password_hash = ?').run(hash);
  db.close();
}
