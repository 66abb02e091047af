// `npm run check`: everything that can be said of the sources without running them. One line a step, output only of failures.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { line, readable, root, run, runWithinCores, type Task } from './run.ts';

interface Step {
  readonly name: string;
  readonly command: readonly string[];
}

/** For what hangs, not for what is slow. */
const LIMIT_MS = 30 * 60_000;
const CACHE = 'node_modules/.cache/tsc';
/** The native compiler, by its path: the package with the compiler's API has a program of the same name. */
const TSC = fileURLToPath(new URL('bin/tsc', import.meta.resolve('typescript-native/package.json')));

/**
 * Types of one environment. What was found is remembered: a second run looks only at what has changed since. One thread: several steps
 * run at once, and each further thread checks again what the first one has.
 */
function types(environment: string): Step {
  const remembered = ['--incremental', '--tsBuildInfoFile', `${CACHE}/${environment}.tsbuildinfo`];
  return {
    name: `types: ${environment}`,
    command: [
      'node',
      TSC,
      '-p',
      `tsconfig.${environment}.json`,
      '--singleThreaded',
      '--pretty',
      'false',
      ...remembered,
    ],
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
  { name: 'ASVS', command: ['node', 'scripts/asvs.ts', '--check'] },
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
