// `npm test`: the checks, then every suite with a time budget, two at once. The last line sums them all: N passed, N failed, N skipped.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuilt } from '../tests/support/built.ts';
import { check } from './check.ts';
import { type Counts, readReport, type Skipped } from './reports.ts';
import { type Finished, line, readable, run } from './run.ts';
import { type Suite, suites } from './suites.ts';
import { ensurePackages } from './system-packages.ts';

/** Most suites wait for disks, processes and browsers half of their time. */
const AT_ONCE = 2;
/** What a continuous-integration machine may lack; any other skipped test there is a failure. */
const EXCUSES = ['needs the Electron binary'];

const isStrict = process.env.CI === 'true' || process.env.CI === '1';
const isExcused = ({ title, reason }: Skipped) => EXCUSES.some((excuse) => `${title} ${reason}`.includes(excuse));

async function runSuite(suite: Suite, reportPath: string): Promise<Counts> {
  const lacking = missing.get(suite.name);
  if (lacking !== undefined) console.log(`! ${suite.name}: ${lacking}`);
  const result = await run(suite.command(reportPath), suite.budget * 1000, suite.env?.(reportPath));
  const counts = readCounts(suite, result, reportPath);
  const unexcused = isStrict ? counts.skipped.filter((test) => !isExcused(test)) : [];
  counts.failed += unexcused.length;
  counts.skipped = counts.skipped.filter((test) => !unexcused.includes(test));

  const note = result.timedOut ? `over its budget of ${suite.budget} s` : '';
  const summary = `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped.length} skipped`;
  console.log(line(counts.failed === 0, suite.name, result.durationMs, `${summary}  ${note}`));
  for (const test of unexcused) console.log(`  ✗ SKIPPED, which CI does not allow: ${test.title} (${test.reason})`);
  for (const test of counts.skipped) console.log(`  ! SKIPPED: ${test.title} (${test.reason})`);
  if (!result.ok) console.log(`\n${readable(result.output)}\n`);
  return counts;
}

/** A suite that was killed, ended badly without a failed test, or left no report has failed once more. */
function readCounts(suite: Suite, result: Finished, reportPath: string): Counts {
  let counts: Counts = { passed: 0, failed: 0, skipped: [] };
  try {
    counts = readReport(suite.format, readFileSync(reportPath, 'utf8'));
  } catch (error) {
    if (result.ok) {
      console.log(`${suite.name}: no report can be read: ${error instanceof Error ? error.message : error}`);
      counts.failed += 1;
    }
  }
  if (result.timedOut || (!result.ok && counts.failed === 0)) counts.failed += 1;
  return counts;
}

/** What suites share is there before the first of them: the programs they need, and the bundle, which none may build under another. */
async function prepare(): Promise<boolean> {
  for (const { name, programs } of suites) {
    const reason = programs ? await ensurePackages(programs) : null;
    if (reason !== null) missing.set(name, reason);
  }
  try {
    await ensureBuilt();
    return true;
  } catch (error) {
    console.log(`✗ the bundle\n\n${error instanceof Error ? error.message : error}\n`);
    return false;
  }
}

/** What could not be installed for a suite, by its name. */
const missing = new Map<string, string>();
const [checked, isPrepared] = await Promise.all([check(), prepare()]);
const total = { ...checked, failed: checked.failed + (isPrepared ? 0 : 1), skipped: 0 };
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-'));
const waiting = [...suites];
async function work(): Promise<void> {
  for (let suite = waiting.shift(); suite; suite = waiting.shift()) {
    const { passed, failed, skipped } = await runSuite(suite, join(folder, `${suite.name}.json`));
    total.passed += passed;
    total.failed += failed;
    total.skipped += skipped.length;
  }
}
try {
  await Promise.all(Array.from({ length: AT_ONCE }, work));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = total.failed > 0 ? 1 : 0;
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
