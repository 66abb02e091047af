// The import thread: reads files of other panels, and plans and writes their users, over a database connection of its own.
import { workerData } from 'node:worker_threads';
import { ImportRefusal } from '../../adapters/imports/import-refusal.ts';
import { type ImportRequest, readSource } from '../../adapters/imports/read-source.ts';
import { noVault } from '../../adapters/vault/vault.ts';
import { serveTasks, threadLog } from '../../adapters/worker-thread.ts';
import type { DocumentHeader, ExportDocument } from '../../contract/imports/document.ts';
import { createHeavyEnv } from '../../core/create-core.ts';
import { createUserImport } from '../../core/imports/import-users.ts';
import type { Env } from '../../core/kernel/context.ts';
import type { ImportPart, ImportProblem, UserImport } from '../../core/ports/imports.ts';
import { type FileStore, openStore } from '../../store/index.ts';
import { machineParts } from '../machine-parts.ts';

/** The thread's start parameters. */
export type ImportData = { readonly database: string };

const { database }: ImportData = workerData;
/** The panel's time of the last request. */
let now = 0;
let store: FileStore | null = null;
let document: ExportDocument | null = null;
let nextPart: (() => ImportPart | null) | null = null;

function openEnv(): Env {
  store = openStore(database);
  // In KiB, as for other writes of many records.
  store.connection().pragma('cache_size = -16000');
  return createHeavyEnv({
    ...machineParts(),
    clock: { now: () => now },
    store,
    vault: noVault,
    log: threadLog,
    heavy: null,
    host: () => null,
    origin: () => '',
  });
}

const tasks = {
  open(request: ImportRequest): { header: DocumentHeader } | { problem: ImportProblem; detail: string } {
    try {
      document = readSource(request);
      const { users: _users, ...header } = document;
      return { header };
    } catch (error) {
      if (error instanceof ImportRefusal) return { problem: error.problem, detail: error.detail };
      throw error;
    }
  },
  begin(users: UserImport): void {
    nextPart = createUserImport(openEnv(), document?.users ?? [], users);
  },
  step(at: number): ImportPart | null {
    now = at;
    return nextPart?.() ?? null;
  },
};

export type ImportTasks = typeof tasks;

serveTasks(tasks, () => store?.close());
