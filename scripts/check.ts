// `npm run check`: everything that can be said of the sources without running them. One line a step, output only of failures.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Finished, line, readable, root, run } from './run.ts';

type Step = { name: string; command: readonly string[]; onlyIf?: string };

const BUDGET_MS = 180_000;
/** Compilers are the slow steps and take a core each. */
const AT_ONCE = 2;

const steps: readonly Step[] = [
  { name: 'format, lint', command: ['biome', 'ci', '.', '--colors=off', '--error-on-warnings'] },
  { name: 'types: std', command: ['tsc', '-p', 'tsconfig.std.json', '--pretty', 'false'] },
  { name: 'types: node', command: ['tsc', '-p', 'tsconfig.node.json', '--pretty', 'false'] },
  { name: 'types: web', command: ['tsc', '-p', 'tsconfig.web.json', '--pretty', 'false'] },
  { name: 'types: e2e', command: ['tsc', '-p', 'tsconfig.e2e.json', '--pretty', 'false'], onlyIf: 'tests/e2e' },
  { name: 'boundaries', command: ['depcruise', '--config', '.dependency-cruiser.cjs', 'src', 'bin'] },
  { name: 'dead code', command: ['knip', '--no-progress', '--no-config-hints'] },
  { name: 'OpenAPI snapshot', command: ['node', 'scripts/openapi.ts', '--check'], onlyIf: 'scripts/openapi.ts' },
];

/** Runs all steps and prints a line for each. */
export async function check(): Promise<{ passed: number; failed: number }> {
  const waiting = steps.filter(({ onlyIf }) => !onlyIf || existsSync(join(root, onlyIf)));
  const counts = { passed: 0, failed: 0 };
  const work = async () => {
    for (let step = waiting.shift(); step; step = waiting.shift()) {
      const result = await run(step.command, BUDGET_MS);
      counts[result.ok ? 'passed' : 'failed'] += 1;
      report(step, result);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return counts;
}

function report(step: Step, result: Finished): void {
  console.log(line(result.ok, step.name, result.durationMs, result.timedOut ? 'over its time budget' : ''));
  if (!result.ok) console.log(`\n${readable(result.output)}\n`);
}

if (import.meta.main) {
  const { failed } = await check();
  process.exitCode = failed > 0 ? 1 : 0;
}
