// `npm test`: the checks, then every suite that needs npm packages alone. `npm run test:system`: the suites that need more of the machine, or more time.
// `npm test -- web http` runs those suites alone, without the checks; `--full` runs the long forms.
// The last line sums them all: N passed, N failed, N skipped.
import { ensureBuilt } from '../tests/support/built.ts';
import { CACHE_VARIABLE, programCache } from '../tests/support/engines.ts';
import { checkTasks } from './check.ts';
import { printFailures, runSuites, type Totals } from './suite-runner.ts';
import { chooseSuites } from './suites.ts';
import { COMMAND_VARIABLE } from './system-packages.ts';

const HANGS_MS = 60 * 60_000;
/** What a continuous-integration machine may lack. */
const EXCUSES = ['needs the Electron binary'];

const isStrict = process.env.CI === 'true' || process.env.CI === '1';
const isFull = process.argv.includes('--full');
const command = process.argv.includes('--system') ? 'system' : 'test';
const names = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const { suites, skipped } = chooseSuites(command, names, isStrict);
const totals: Totals = { passed: 0, failed: 0, skipped: skipped.length, failures: [] };

/** What suites share is there before the first of them: the programs that they need, and the bundle, which is built once. */
async function prepare(): Promise<void> {
  for (const suite of suites) {
    const missing = await suite.prepare?.();
    if (missing) console.log(`! ${suite.name}: ${missing}`);
  }
  try {
    await ensureBuilt();
  } catch (error) {
    totals.failed += 1;
    console.log(`✗ the bundle\n\n${error instanceof Error ? error.message : error}\n`);
  }
}

const startedAt = performance.now();
// Also for what the suites' own setups look for.
process.env[COMMAND_VARIABLE] = command;
for (const reason of skipped) console.log(`! SKIPPED: ${reason}`);
await runSuites(
  {
    suites,
    tasks:
      command === 'test' && names.length === 0
        ? checkTasks((ok) => {
            totals[ok ? 'passed' : 'failed'] += 1;
          })
        : [],
    prepare,
    env: { [CACHE_VARIABLE]: programCache(), ...(isFull && { GATEHOUSE_TEST_FULL: '1' }) },
    excuses: isStrict ? EXCUSES : null,
    limitMs: isFull ? 10 * HANGS_MS : HANGS_MS,
    reportsSlow: !isFull,
  },
  totals,
);
printFailures(totals);
process.exitCode = totals.failed > 0 ? 1 : 0;
console.log(`${((performance.now() - startedAt) / 60_000).toFixed(1)} minutes`);
console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
