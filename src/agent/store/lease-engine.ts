// The engine's last start, and which users of the lease are applied to it.
import { parseOwnJson } from '../../domain/own-json.ts';
import type { Connection } from '../../store/database.ts';
import type { NodeLease, StartedEngine } from '../ports/lease.ts';
import type { LeaseRows, TextSeal } from './lease-rows.ts';
import type { LeaseStatements } from './lease-statements.ts';

export type LeaseEngine = Pick<
  NodeLease,
  'engine' | 'saveEngine' | 'unapplied' | 'markApplied' | 'markStarted' | 'members'
>;

export function createLeaseEngine(
  db: Connection,
  seal: TextSeal,
  sql: LeaseStatements,
  rows: Pick<LeaseRows, 'toLeaseMember'>,
): LeaseEngine {
  return {
    engine() {
      const sealed = sql.started.get();
      return sealed === undefined ? null : (parseOwnJson(seal.open(sealed)) as StartedEngine);
    },
    saveEngine: (engine) => {
      if (engine === null) sql.dropStarted.run();
      else sql.saveStarted.run(seal.seal(JSON.stringify(engine)));
    },
    unapplied: (after, limit) => sql.unapplied.all(after, limit).map(rows.toLeaseMember),
    markApplied: db.transaction((applied, by) => {
      for (const { userId, isAllowed: isIn } of applied) {
        if (isIn) sql.addToEngine.run(userId);
        else sql.dropFromEngine.run(userId);
        sql.setApplied.run({ userId, isIn: Number(isIn), isRemoved: Number(by === 'panel') });
      }
    }),
    markStarted: db.transaction((userIds, by) => {
      sql.clearEngine.run();
      for (const userId of userIds) sql.addToEngine.run(userId);
      sql.setStarted.run({ isRemoved: Number(by === 'panel') });
    }),
    members: () => sql.allowed.all().map(rows.toLeaseMember),
  };
}
