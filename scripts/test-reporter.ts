// Writes each result of Vitest or Playwright to a file as it comes, so that a suite that had to be stopped still counts what it ran.
import { appendFileSync, readFileSync } from 'node:fs';

/** The variable that names the file. */
export const REPORT_VARIABLE = 'GATEHOUSE_TEST_REPORT';

type Line =
  | { readonly event: 'begin'; readonly title: string }
  | { readonly event: 'end'; readonly title: string; readonly outcome: Outcome; readonly reason: string }
  /** What failed outside of a test: a file that cannot be loaded, a hook, a rejection that nothing handles. */
  | { readonly event: 'error'; readonly message: string };

type Outcome = 'passed' | 'failed' | 'skipped';

export interface Results {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: readonly { readonly title: string; readonly reason: string }[];
  /** Titles of the tests that began and did not end. */
  readonly unfinished: readonly string[];
}

/** Reads what a suite has reported so far; null where it has not begun. */
export function readResults(path: string): Results | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return null;
  }
  const counts = { passed: 0, failed: 0 };
  const skipped: { title: string; reason: string }[] = [];
  const begun = new Set<string>();
  const ended = new Set<string>();
  for (const written of text.split('\n').slice(0, -1)) {
    const line = JSON.parse(written) as Line;
    if (line.event === 'begin') begun.add(line.title);
    if (line.event === 'error') counts.failed += 1;
    if (line.event !== 'end') continue;
    ended.add(line.title);
    if (line.outcome === 'skipped') skipped.push(line);
    else counts[line.outcome] += 1;
  }
  // On a busy machine Vitest may tell that a test has begun after it has told how it ended.
  return { ...counts, skipped, unfinished: [...begun].filter((title) => !ended.has(title)) };
}

function write(line: Line): void {
  const path = process.env[REPORT_VARIABLE];
  if (path !== undefined) appendFileSync(path, `${JSON.stringify(line)}\n`);
}

interface Failures {
  errors(): readonly { readonly message: string }[];
}

interface VitestCase {
  readonly fullName: string;
  readonly module: { readonly relativeModuleId: string };
  result(): { readonly state: 'passed' | 'failed' | 'skipped' | 'pending'; readonly note?: string | undefined };
}

interface PlaywrightCase {
  readonly annotations: readonly { readonly type: string; readonly description?: string }[];
  titlePath(): readonly string[];
  outcome(): 'expected' | 'unexpected' | 'flaky' | 'skipped';
}

const vitestTitle = ({ module, fullName }: VitestCase) => `${module.relativeModuleId}: ${fullName}`;
const playwrightTitle = (test: PlaywrightCase) => test.titlePath().filter(Boolean).join(' > ');

/** The methods of both runners' reporters: neither calls what only the other knows. */
// biome-ignore lint/style/noDefaultExport: both runners load the default export.
export default class LineReporter {
  onTestCaseReady(test: VitestCase): void {
    write({ event: 'begin', title: vitestTitle(test) });
  }

  onTestCaseResult(test: VitestCase): void {
    const { state, note } = test.result();
    if (state === 'pending') return;
    write({ event: 'end', title: vitestTitle(test), outcome: state, reason: note ?? '' });
  }

  onTestSuiteResult(suite: Failures): void {
    for (const { message } of suite.errors()) write({ event: 'error', message });
  }

  onTestModuleEnd(module: Failures): void {
    for (const { message } of module.errors()) write({ event: 'error', message });
  }

  onTestRunEnd(_modules: unknown, errors: readonly { readonly message: string }[]): void {
    for (const { message } of errors) write({ event: 'error', message });
  }

  onTestBegin(test: PlaywrightCase): void {
    write({ event: 'begin', title: playwrightTitle(test) });
  }

  onTestEnd(test: PlaywrightCase): void {
    const outcome = test.outcome();
    const reason = test.annotations.find(({ type }) => type === 'skip' || type === 'fixme')?.description ?? '';
    // A flaky test, one that passed only when repeated, has failed.
    const counted = outcome === 'expected' ? 'passed' : outcome === 'skipped' ? 'skipped' : 'failed';
    write({ event: 'end', title: playwrightTitle(test), outcome: counted, reason });
  }

  onError({ message = '' }: { readonly message?: string }): void {
    write({ event: 'error', message });
  }
}
