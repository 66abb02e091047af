// What keeps a panel's memory small: how V8 collects, and how the C library's allocator gives back (docs/decisions/0010).

/**
 * Little room for new objects, and old ones are collected early: no request is slower for it (docs/benchmarks.md). package.json has
 * them too, for systems on which a process cannot become another.
 */
export const FLAGS = ['--max-semi-space-size=2', '--heap-growing-percent=20'];

/** Read by glibc when a process starts; another C library passes them over. Bytes. */
export const ALLOCATOR = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '65536',
  MALLOC_TRIM_THRESHOLD_: '65536',
  MALLOC_TOP_PAD_: '0',
};

/** Whether this process was started with settings for the allocator, ours or somebody else's: then they stay. */
const isSettled = () => Object.keys(process.env).some((name) => name.startsWith('MALLOC_'));

/** The variables of a process that is to be small. */
export const frugal = () => (isSettled() ? process.env : { ...process.env, ...ALLOCATOR });

/**
 * Becomes the same program with these settings, as the same process; what it has written is kept. Returns where that cannot be: it
 * is small already, this is no Linux, or a parent talks to it over a channel, which would be lost.
 */
export function becomeFrugal(script, args) {
  const { execve, execPath, execArgv, platform, versions } = process;
  if (isSettled() || platform !== 'linux' || versions.electron !== undefined) return;
  if (process.channel !== undefined || execve === undefined) return;
  const others = execArgv.filter((flag) => !FLAGS.includes(flag));
  execve(execPath, [execPath, ...FLAGS, ...others, script, ...args], frugal());
}
