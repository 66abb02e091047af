// `npm test`: the checks, then every suite, as many at once as keep two cores busy. `npm run test:full` runs the long forms,
// `npm test -- web http` those suites alone.
// The last line sums them all: N passed, N failed, N skipped.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuilt } from '../tests/support/built.ts';
import { ensureChromium } from '../tests/support/chromium.ts';
import {
  ensureAuthority,
  ensureEngines,
  ensureProviders,
  type FoundEngine,
  NO_ENGINE,
} from '../tests/support/engines.ts';
import { checkTasks } from './check.ts';
import { line, readable, root, run, runWithinCores } from './run.ts';
import { ensurePackages, KEYCHAIN_PROGRAMS, SCANNER_PROGRAMS } from './system-packages.ts';
import { REPORT_VARIABLE, readResults } from './test-reporter.ts';

interface Suite {
  readonly name: string;
  /** How many cores it keeps busy, with the processes and browsers that it starts. */
  readonly cores: 1 | 2;
  /** Seconds that it takes beside the others on a machine with two cores and nothing else to do. Twice as many are reported; nothing fails for being slow. */
  readonly usual: number;
  readonly command: readonly string[];
  /** Installs what it needs of the machine, where that is possible; returns why something is missing. */
  readonly prepare?: () => Promise<string | null>;
}

const REPORTER = './scripts/test-reporter.ts';
/** After so long a suite hangs: it is stopped, and what it has run until then is counted. */
const HANGS_MS = 60 * 60_000;
/** What a continuous-integration machine may lack; any other skipped test there is a failure. */
const EXCUSES = ['needs the Electron binary', 'needs sslscan', NO_ENGINE];

/** A project of vitest.config.ts, one file after the other. */
function vitest(name: string, usual: number, prepare?: Suite['prepare']): Suite {
  const reporters = ['--reporter=default', `--reporter=${REPORTER}`];
  const command = ['vitest', 'run', '--project', name, '--maxWorkers=1', ...reporters];
  return { name, cores: 1, usual, command, ...(prepare && { prepare }) };
}

const prepareChromium = () =>
  ensureChromium().then(
    () => null,
    (error: Error) => error.message,
  );

const prepareBuilt = async (ensure: () => Promise<Readonly<Record<string, FoundEngine>>>) => {
  const missing = Object.values(await ensure()).filter((program) => 'missing' in program);
  return missing.length === 0 ? null : missing.map((program) => program.missing).join('\n  ');
};

/** The browsers begin first, as they take nearly all of the time; then the longest, so that both cores are busy to the end. */
const suites: readonly Suite[] = [
  {
    name: 'e2e',
    cores: 2,
    usual: 700,
    command: ['playwright', 'test', `--reporter=line,${REPORTER}`],
    prepare: prepareChromium,
  },
  vitest('engines', 350, () => prepareBuilt(ensureEngines)),
  vitest('desktop', 240, prepareChromium),
  vitest('updates', 250),
  vitest('cli', 220),
  vitest('keychain', 120, () => ensurePackages(KEYCHAIN_PROGRAMS)),
  vitest('panel', 290),
  vitest('backup', 180),
  vitest('disk', 90),
  vitest('torture', 140),
  vitest('node', 160),
  vitest('http', 140),
  vitest('attacks', 95, () => ensurePackages(SCANNER_PROGRAMS)),
  vitest('std', 70),
  vitest('contract', 45),
  vitest('migrations', 40),
  vitest('fuzz', 40),
  vitest('transport', 35),
  vitest('shell', 30),
  vitest('acme', 20, () => prepareBuilt(ensureAuthority)),
  vitest('webhooks', 15),
  vitest('payments', 5, () => prepareBuilt(ensureProviders)),
  vitest('web', 5),
];

const UNIT = ['std', 'node', 'web'];

const isStrict = process.env.CI === 'true' || process.env.CI === '1';
const isFull = process.argv.includes('--full');
/** Suites that were asked for; none: all, after the checks. */
const named = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const total = { passed: 0, failed: 0, skipped: 0 };

const isPresent = ({ name }: Suite) => UNIT.includes(name) || existsSync(join(root, 'tests', name));
const chosen = suites.filter((suite) => isPresent(suite) && (named.length === 0 || named.includes(suite.name)));

async function runSuite({ name, command, usual }: Suite, reportPath: string): Promise<void> {
  const env = { [REPORT_VARIABLE]: reportPath, ...(isFull && { GATEHOUSE_TEST_FULL: '1' }) };
  const result = await run(command, isFull ? 10 * HANGS_MS : HANGS_MS, env);
  const found = readResults(reportPath);
  const { passed = 0, skipped = [], unfinished = [] } = found ?? {};
  const unexcused = isStrict
    ? skipped.filter(({ title, reason }) => !EXCUSES.some((excuse) => `${title} ${reason}`.includes(excuse)))
    : [];
  const excused = skipped.filter((test) => !unexcused.includes(test));
  let failed = (found?.failed ?? 0) + unexcused.length;
  // A suite that was stopped, ended badly without a failed test, or reported nothing has failed once more.
  if (result.timedOut || found === null || (!result.ok && failed === 0)) failed += 1;

  const isSlow = !isFull && result.durationMs > 2000 * usual;
  const notes = [isSlow && `(usually ${usual} s)`, result.timedOut && 'stopped: it hung'].filter(Boolean).join(' ');
  const counts = `${passed} passed, ${failed} failed, ${excused.length} skipped`;
  console.log(line(failed === 0, name, result.durationMs, `${counts}  ${notes}`));
  for (const title of unfinished) console.log(`  ✗ DID NOT END: ${title}`);
  for (const { title, reason } of unexcused) console.log(`  ✗ SKIPPED, which CI does not allow: ${title} (${reason})`);
  for (const { title, reason } of excused) console.log(`  ! SKIPPED: ${title} (${reason})`);
  if (failed > 0) console.log(`\n${readable(result.output)}\n`);
  total.passed += passed;
  total.failed += failed;
  total.skipped += excused.length;
}

/** What suites share is there before the first of them: the programs that they need, and the bundle, which is built once. */
async function prepare(): Promise<void> {
  for (const suite of chosen) {
    const missing = await suite.prepare?.();
    if (missing) console.log(`! ${suite.name}: ${missing}`);
  }
  try {
    await ensureBuilt();
  } catch (error) {
    total.failed += 1;
    console.log(`✗ the bundle\n\n${error instanceof Error ? error.message : error}\n`);
  }
}

const startedAt = performance.now();
const checks = checkTasks((ok) => {
  total[ok ? 'passed' : 'failed'] += 1;
});
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-'));
const prepared = Promise.withResolvers<void>();
try {
  const runs = chosen.map((suite) => ({
    cores: suite.cores,
    run: () => prepared.promise.then(() => runSuite(suite, join(folder, `${suite.name}.jsonl`))),
  }));
  await runWithinCores([
    { cores: 1, run: () => prepare().finally(prepared.resolve) },
    // The browsers first.
    ...[...(named.length === 0 ? checks : []), ...runs].toSorted((one, other) => other.cores - one.cores),
  ]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = total.failed > 0 ? 1 : 0;
console.log(`${((performance.now() - startedAt) / 60_000).toFixed(1)} minutes`);
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
