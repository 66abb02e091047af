// Reads the JSON reports of the test runners into one shape, so that suites of different runners can be summed.

export type Skipped = { title: string; reason: string };

export type Counts = {
  passed: number;
  failed: number;
  skipped: Skipped[];
};

export type ReportFormat = 'vitest' | 'playwright';

type VitestReport = {
  testResults: {
    name: string;
    status: string;
    assertionResults: { fullName: string; status: string }[];
  }[];
};

type PlaywrightSuite = {
  title: string;
  suites?: PlaywrightSuite[];
  specs?: { title: string; tests: { status: string; annotations: { type: string; description?: string }[] }[] }[];
};

type PlaywrightReport = { suites: PlaywrightSuite[]; errors?: unknown[] };

/** Counts a report's tests. Throws on text that is no such report. */
export function readReport(format: ReportFormat, text: string): Counts {
  const report: unknown = JSON.parse(text);
  return format === 'vitest' ? readVitest(report as VitestReport) : readPlaywright(report as PlaywrightReport);
}

/** A file that failed before its tests were known (an import error) counts as one failed test. */
function readVitest({ testResults }: VitestReport): Counts {
  const counts: Counts = { passed: 0, failed: 0, skipped: [] };
  for (const file of testResults) {
    const failedBefore = counts.failed;
    for (const { fullName, status } of file.assertionResults) {
      if (status === 'passed') counts.passed += 1;
      else if (status === 'failed') counts.failed += 1;
      else counts.skipped.push({ title: fullName, reason: status });
    }
    if (file.status === 'failed' && counts.failed === failedBefore) counts.failed += 1;
  }
  return counts;
}

/** A flaky test, one that passed only when repeated, counts as failed. */
function readPlaywright({ suites, errors = [] }: PlaywrightReport): Counts {
  const counts: Counts = { passed: 0, failed: errors.length, skipped: [] };
  const walk = (suite: PlaywrightSuite, path: string) => {
    for (const spec of suite.specs ?? []) {
      for (const { status, annotations } of spec.tests) {
        if (status === 'expected') counts.passed += 1;
        else if (status !== 'skipped') counts.failed += 1;
        else {
          const reason = annotations.find(({ type }) => type === 'skip' || type === 'fixme')?.description ?? '';
          counts.skipped.push({ title: `${path} ${spec.title}`.trim(), reason });
        }
      }
    }
    for (const inner of suite.suites ?? []) walk(inner, `${path} ${inner.title}`.trim());
  };
  for (const suite of suites) walk(suite, suite.title);
  return counts;
}
