// Loaded before a victim: kills the process with SIGKILL right before the Nth call that puts something in its place or away, on the
// thread asked for; what is only being written is nowhere yet.
// Counting begins when the victim says so. What SQLite does by itself is not seen here.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const [thread = '', at = ''] = (process.env.DIE_AT ?? '').split(':');
const CHANGING = ['fsyncSync', 'renameSync', 'rmSync', 'mkdirSync', 'copyFileSync'] as const;

/** Set by the victim when what it is about to do counts. A file, so that every thread sees it. */
const armed = process.env.ARMED ?? '';
let count = 0;
const exists = fs.existsSync;

if ((thread === 'main') === isMainThread && Number(at) > 0) {
  for (const name of CHANGING) {
    const real = fs[name] as (...args: unknown[]) => unknown;
    Object.assign(fs, {
      [name]: (...args: unknown[]) => {
        if (exists(armed)) {
          count += 1;
          if (count === Number(at)) process.kill(process.pid, 'SIGKILL');
        }
        return real(...args);
      },
    });
  }
  syncBuiltinESMExports();
}
