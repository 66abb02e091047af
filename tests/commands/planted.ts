// Runs planted suites as the test commands run theirs, and prints what those print: `node planted.ts '<script of a suite>' …`. Each script is run by
// Node in the place of a test runner, and reports one test that has passed.
import { printFailures, runSuites, type Totals } from '../../scripts/suite-runner.ts';
import { REPORT_VARIABLE } from '../../scripts/test-reporter.ts';

const REPORT = `require('node:fs').appendFileSync(process.env.${REPORT_VARIABLE}, '{"event":"end","title":"a test","outcome":"passed"}\\n');`;

const totals: Totals = { passed: 0, failed: 0, skipped: 0, failures: [] };
await runSuites(
  {
    suites: process.argv.slice(2).map((script, index) => ({
      name: `suite-${index}`,
      cores: 1,
      usual: 60,
      command: ['node', '-e', `${REPORT}${script}`],
    })),
    env: {},
    excuses: null,
    limitMs: 60_000,
    reportsSlow: false,
    graceMs: 0,
  },
  totals,
);
printFailures(totals);
const { failures: _, ...counts } = totals;
console.log(JSON.stringify(counts));
