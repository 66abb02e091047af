// Users of a document, planned or written in parts: for the thread that has read it.
import type { DocumentUser } from '../../contract/imports/document.ts';
import type { Env } from '../kernel/context.ts';
import { createContext } from '../kernel/transaction.ts';
import type { ImportPart, UserImport } from '../ports/imports.ts';
import { type ImportState, planUser } from './import-user.ts';

/** Users in one transaction, which other writes wait for. */
const CHUNK = 100;

/** The audited name of an import. */
export const IMPORT_ACTION = 'importData';

/** Each call handles the next users, in one transaction; null: there are no more. */
export function createUserImport(
  env: Env,
  users: readonly DocumentUser[],
  { call, isApplied, ...given }: UserImport,
): () => ImportPart | null {
  const state: ImportState = { ...given, seen: new Map() };
  let next = 0;
  const write = (chunk: readonly DocumentUser[]) =>
    env.transactNow({ name: IMPORT_ACTION, by: call }, (tx) =>
      tx.gatherEvents(() =>
        chunk.map((user) => {
          const planned = planUser(tx, user, state);
          planned.write(tx);
          return planned.entry;
        }),
      ),
    );
  const plan = (chunk: readonly DocumentUser[]) =>
    env.store.read(() => {
      const context = createContext(env, call, env.clock.now());
      return chunk.map((user) => planUser(context, user, state).entry);
    });
  return () => {
    const chunk = users.slice(next, next + CHUNK);
    if (chunk.length === 0) return null;
    env.forgetSettings();
    const entries = (isApplied ? write : plan)(chunk);
    next += chunk.length;
    const here = chunk.filter((_, index) => isHere(entries[index]?.outcome));
    const sum = (bytes: (user: DocumentUser) => number) => here.reduce((total, user) => total + bytes(user), 0);
    return {
      entries,
      usedBytes: sum(({ used_up, used_down }) => used_up + used_down),
      totalBytes: sum(({ total_up, total_down }) => total_up + total_down),
    };
  };
}

function isHere(outcome: ImportPart['entries'][number]['outcome'] | undefined): boolean {
  return outcome !== undefined && outcome !== 'skipped' && outcome !== 'decision';
}
