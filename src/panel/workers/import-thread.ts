// The import thread as the core sees it: one for each import.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { FILES } from '../../adapters/data-folder.ts';
import { moduleBeside, openTaskThread, type TaskThread } from '../../adapters/worker-thread.ts';
import type { ImportFiles } from '../../core/ports/imports.ts';
import type { ImportData, ImportTasks } from './import-worker.ts';

/** Between two steps of one import. */
const IDLE_MS = 3_600_000;

/** `folder`: the data folder, where files of other panels are copied to while they are read. */
export function createImportFiles(folder: string, database = join(folder, FILES.database)): ImportFiles {
  const copies = join(folder, FILES.importCopies);
  rmSync(copies, { recursive: true, force: true });
  const open = new Set<TaskThread<ImportTasks>>();
  const start = () => {
    const thread = openTaskThread<ImportTasks>({
      name: 'import thread',
      module: moduleBeside(import.meta.url, 'import-worker'),
      data: { database } satisfies ImportData,
      idleMs: IDLE_MS,
    });
    open.add(thread);
    const close = async () => {
      open.delete(thread);
      await thread.close();
    };
    return { thread, close };
  };
  return {
    async open(paths, source, now) {
      const { thread, close } = start();
      try {
        const opened = await thread.run('open', { paths, source, now, folder: copies });
        if ('problem' in opened) {
          await close();
          return opened;
        }
        return {
          ...opened,
          begin: (users) => thread.run('begin', users),
          step: (at) => thread.run('step', at),
          close,
        };
      } catch (error) {
        await close();
        if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
          return { problem: 'too_large', detail: '' };
        throw error;
      }
    },
    async close() {
      await Promise.all([...open].map((thread) => thread.abort()));
      open.clear();
    },
  };
}
