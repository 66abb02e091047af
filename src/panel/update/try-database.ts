// Before a switch, the new version is asked whether it can work with the data: it migrates and checks a copy of the database.

import { describeSystemError, refusal } from '../../adapters/refusal.ts';
import { findFault } from '../../store/backup/check.ts';
import { openDatabase } from '../../store/index.ts';

/** Returns the schema's version afterwards. Throws a refusal `database`. */
export function tryDatabase(copy: string): number {
  try {
    const db = openDatabase(copy);
    try {
      const fault = findFault(db);
      if (fault !== null) throw new Error(fault);
      return Number(db.pragma('user_version', { simple: true }));
    } finally {
      db.close();
    }
  } catch (error) {
    throw refusal('database', `the data cannot be migrated: ${describeSystemError(error)}`);
  }
}
