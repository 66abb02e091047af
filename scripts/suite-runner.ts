// Runs suites within the cores, counts their tests, and fails for what they leave behind.
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { atStop, line, readable, run, runWithinCores, type Task } from './run.ts';
import type { Suite } from './suites.ts';
import { type Explained, REPORT_VARIABLE, readResults } from './test-reporter.ts';
import { openTestRun, type TestRun } from './test-run.ts';

export interface Totals {
  passed: number;
  failed: number;
  skipped: number;
  /** Each failed test with what it said, for the end of the output: what is kept of a long output is often its end alone. */
  readonly failures: Explained[];
}

export interface RunOptions {
  readonly suites: readonly Suite[];
  /** What runs beside them, as the checks. */
  readonly tasks?: readonly Task[];
  /** Done before the first suite. */
  prepare?(): Promise<void>;
  readonly env: NodeJS.ProcessEnv;
  /** A skipped test fails, unless its title or its reason has one of these excuses; null: every test may be skipped. */
  readonly excuses: readonly string[] | null;
  /** After so long a suite hangs: it is stopped, and what it has run until then is counted. */
  readonly limitMs: number;
  /** Whether a suite that takes twice its usual time is reported. */
  readonly reportsSlow: boolean;
  /** How long a process of a suite may outlive it. */
  readonly graceMs?: number;
}

/** Adds to `totals` as suites end. */
export async function runSuites(options: RunOptions, totals: Totals): Promise<void> {
  const place = openTestRun(options.graceMs);
  // Ctrl-C ends here, before the process exits.
  const forget = atStop(() => place.remove());
  const prepared = Promise.withResolvers<void>();
  try {
    const suites = options.suites.map((suite) => ({
      cores: suite.cores,
      run: () => prepared.promise.then(() => runSuite(suite, options, place, totals)),
    }));
    await runWithinCores([
      { cores: 1, run: async () => options.prepare?.().finally(prepared.resolve) ?? prepared.resolve() },
      // The browsers first.
      ...[...(options.tasks ?? []), ...suites].toSorted((one, other) => other.cores - one.cores),
    ]);
    const failed = reportLeftovers(place);
    console.log(line(failed === 0, 'nothing left behind', 0, failed === 0 ? '' : `${failed} left behind`));
    totals[failed === 0 ? 'passed' : 'failed'] += Math.max(failed, 1);
  } finally {
    place.remove();
    forget();
  }
}

async function runSuite(suite: Suite, options: RunOptions, place: TestRun, totals: Totals): Promise<void> {
  const { name, command, usual } = suite;
  const reportPath = join(place.folder, `${name}.jsonl`);
  const env = { ...options.env, ...place.openSuite(name), [REPORT_VARIABLE]: reportPath };
  const result = await run(command, options.limitMs, env);
  // What it would have ended itself is nothing that it leaves behind.
  if (result.timedOut) place.killProcesses(name);
  const found = readResults(reportPath);
  const { passed = 0, skipped = [], unfinished = [] } = found ?? {};
  const isExcused = ({ title, reason }: Explained) =>
    options.excuses?.some((excuse) => `${title} ${reason}`.includes(excuse)) ?? true;
  const excused = skipped.filter(isExcused);
  const unexcused = skipped.filter((test) => !isExcused(test));
  let failed = (found?.failed.length ?? 0) + unexcused.length;
  // A suite that was stopped, ended badly without a failed test, or reported nothing has failed once more.
  if (result.timedOut || found === null || (!result.ok && failed === 0)) failed += 1;

  const isSlow = options.reportsSlow && result.durationMs > 2000 * usual;
  const notes = [isSlow && `(usually ${usual} s)`, result.timedOut && 'stopped: it hung'].filter(Boolean).join(' ');
  const counts = `${passed} passed, ${failed} failed, ${excused.length} skipped`;
  console.log(line(failed === 0, name, result.durationMs, `${counts}  ${notes}`));
  for (const title of unfinished) console.log(`  ✗ DID NOT END: ${title}`);
  for (const { title, reason } of unexcused) console.log(`  ✗ SKIPPED, which CI does not allow: ${title} (${reason})`);
  for (const { title, reason } of excused) console.log(`  ! SKIPPED: ${title} (${reason})`);
  if (failed > 0) console.log(`\n${readable(result.output)}\n`);
  for (const { title, reason } of found?.failed ?? []) totals.failures.push({ title: `${name}: ${title}`, reason });
  totals.passed += passed;
  totals.failed += failed + reportLeftovers(place, name);
  totals.skipped += excused.length;
  place.removeSuite(name);
}

/** Returns how many there are. */
function reportLeftovers(place: TestRun, suite?: string): number {
  const found = place.findLeftovers(suite);
  for (const { kind, name } of found) console.log(`  ✗ LEFT BEHIND${suite ? ` by ${suite}` : ''}: ${kind} ${name}`);
  return found.length;
}

const SHOWN_LINES = 30;
const SHOWN_LETTERS = 3000;

/** Prints each failed test once more, its message shortened. */
export function printFailures({ failures }: Totals): void {
  for (const { title, reason } of failures) {
    const lines = stripVTControlCharacters(reason).trim().slice(0, SHOWN_LETTERS).split('\n').slice(0, SHOWN_LINES);
    console.log(`✗ ${title}\n${lines.map((text) => `    ${text}`).join('\n')}\n`);
  }
}
