// Another clock for a process, by libfaketime: what the system says the time is, while timers go on as they do.
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLOCK_PROGRAMS, ensurePackages } from '../../scripts/system-packages.ts';

const LIBRARY = 'faketime/libfaketime.so.1';

function findLibrary(): string | null {
  const folders = existsSync('/usr/lib') ? readdirSync('/usr/lib') : [];
  const paths = ['', ...folders].map((folder) => join('/usr/lib', folder, LIBRARY));
  return paths.find((path) => existsSync(path)) ?? null;
}

/** Why there is none; null: there is one. */
export async function whyWithoutFakeTime(): Promise<string | null> {
  if (process.platform !== 'linux') return 'needs libfaketime on Linux';
  const reason = await ensurePackages(CLOCK_PROGRAMS);
  return reason ?? (findLibrary() === null ? `needs ${LIBRARY} below /usr/lib` : null);
}

export interface FakeTime {
  /** For the environment of processes. */
  readonly environment: Readonly<Record<string, string>>;
  /** From now on, also in processes that run: as in `+3650d`, `-400d` or `@2020-01-01 00:00:00`. */
  set(time: string): void;
  /** Removes what the library leaves of processes that have ended. */
  close(): void;
}

const SHARED = '/dev/shm';

function removeLeftovers(): void {
  for (const name of existsSync(SHARED) ? readdirSync(SHARED) : []) {
    const [, pid] = /^(?:sem\.faketime_sem|faketime_shm)_(\d+)$/.exec(name) ?? [];
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) rmSync(join(SHARED, name), { force: true });
  }
}

/** The right time until it is set. `file`: where it is written, for the processes. */
export function createFakeTime(file: string): FakeTime {
  const set = (time: string) => writeFileSync(file, `${time}\n`);
  set('+0');
  return {
    set,
    close: removeLeftovers,
    environment: {
      LD_PRELOAD: findLibrary() ?? '',
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      // Timers wait by the monotonic clock, which no wrong setting moves.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    },
  };
}
