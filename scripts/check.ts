// `npm run check`: everything that can be said of the sources without running them. One line a step, output only of failures.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { line, readable, root, run, runWithinCores, type Task } from './run.ts';

interface Step {
  readonly name: string;
  readonly command: readonly string[];
}

/** For what hangs, not for what is slow. */
const LIMIT_MS = 30 * 60_000;
const CACHE = 'node_modules/.cache/tsc';

/** Types of one environment. What was found is remembered: a second run looks only at what has changed since. */
function types(environment: string): Step {
  const remembered = ['--incremental', '--tsBuildInfoFile', `${CACHE}/${environment}.tsbuildinfo`];
  return {
    name: `types: ${environment}`,
    command: ['tsc', '-p', `tsconfig.${environment}.json`, '--pretty', 'false', ...remembered],
  };
}

/** The longest first. */
const steps: readonly Step[] = [
  types('web'),
  types('node'),
  types('std'),
  types('e2e'),
  { name: 'dead code', command: ['knip', '--no-progress', '--no-config-hints'] },
  { name: 'boundaries', command: ['depcruise', '--config', '.dependency-cruiser.cjs', 'src', 'bin'] },
  { name: 'format, lint', command: ['biome', 'ci', '.', '--colors=off', '--error-on-warnings'] },
  { name: 'docs', command: ['node', 'scripts/docs.ts'] },
  { name: 'words', command: ['node', 'scripts/words.ts'] },
  { name: 'ASVS', command: ['node', 'scripts/asvs.ts', '--check'] },
  { name: 'dependencies', command: ['node', 'scripts/dependencies.ts', '--check'] },
  { name: 'OpenAPI snapshot', command: ['node', 'scripts/openapi.ts', '--check'] },
];

/** The steps as tasks that print a line each and pass on whether they succeeded. */
export function checkTasks(onResult: (ok: boolean) => void): readonly Task[] {
  mkdirSync(join(root, CACHE), { recursive: true });
  return steps.map(({ name, command }) => ({
    cores: 1,
    async run() {
      const { ok, durationMs, timedOut, output } = await run(command, LIMIT_MS);
      console.log(line(ok, name, durationMs, timedOut ? 'stopped: it hung' : ''));
      if (!ok) console.log(`\n${readable(output)}\n`);
      onResult(ok);
    },
  }));
}

if (import.meta.main) {
  await runWithinCores(
    checkTasks((ok) => {
      if (!ok) process.exitCode = 1;
    }),
  );
}
