// Writes each result of Vitest or Playwright to a file as it comes, so that a suite that had to be stopped still counts what it ran.
import { appendFileSync, readFileSync } from 'node:fs';

/** The variable that names the file. */
export const REPORT_VARIABLE = 'GATEHOUSE_TEST_REPORT';

type Line =
  | { readonly event: 'begin'; readonly title: string }
  /** The reason of one that was skipped or has failed. */
  | { readonly event: 'end'; readonly title: string; readonly outcome: Outcome; readonly reason: string }
  /** What failed outside of a test: a file that cannot be loaded, a hook, a rejection that nothing handles. */
  | { readonly event: 'error'; readonly message: string };

type Outcome = 'passed' | 'failed' | 'skipped';

export interface Explained {
  readonly title: string;
  readonly reason: string;
}

export interface Results {
  readonly passed: number;
  readonly failed: readonly Explained[];
  readonly skipped: readonly Explained[];
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
  let passed = 0;
  const failed: Explained[] = [];
  const skipped: Explained[] = [];
  const begun = new Set<string>();
  const ended = new Set<string>();
  for (const written of text.split('\n').slice(0, -1)) {
    const line = JSON.parse(written) as Line;
    if (line.event === 'begin') begun.add(line.title);
    if (line.event === 'error') failed.push({ title: 'outside of a test', reason: line.message });
    if (line.event !== 'end') continue;
    ended.add(line.title);
    if (line.outcome === 'skipped') skipped.push(line);
    else if (line.outcome === 'failed') failed.push(line);
    else passed += 1;
  }
  // On a busy machine Vitest may tell that a test has begun after it has told how it ended.
  return { passed, failed, skipped, unfinished: [...begun].filter((title) => !ended.has(title)) };
}

function write(line: Line): void {
  const path = process.env[REPORT_VARIABLE];
  if (path !== undefined) appendFileSync(path, `${JSON.stringify(line)}\n`);
}

interface Failure {
  readonly message?: string | undefined;
}

interface Failures {
  errors(): readonly { readonly message: string }[];
}

interface VitestCase {
  readonly fullName: string;
  readonly module: { readonly relativeModuleId: string };
  result(): {
    readonly state: 'passed' | 'failed' | 'skipped' | 'pending';
    readonly note?: string | undefined;
    readonly errors?: readonly Failure[] | undefined;
  };
}

interface PlaywrightCase {
  readonly annotations: readonly { readonly type: string; readonly description?: string }[];
  titlePath(): readonly string[];
  outcome(): 'expected' | 'unexpected' | 'flaky' | 'skipped';
}

const joinMessages = (errors: readonly Failure[]) => errors.map(({ message = '' }) => message).join('\n');
const vitestTitle = ({ module, fullName }: VitestCase) => `${module.relativeModuleId}: ${fullName}`;
const playwrightTitle = (test: PlaywrightCase) => test.titlePath().filter(Boolean).join(' > ');

/** The methods of both runners' reporters: neither calls what only the other knows. */
// biome-ignore lint/style/noDefaultExport: both runners load the default export.
export default class LineReporter {
  onTestCaseReady(test: VitestCase): void {
    write({ event: 'begin', title: vitestTitle(test) });
  }

  onTestCaseResult(test: VitestCase): void {
    const { state, note = '', errors = [] } = test.result();
    if (state === 'pending') return;
    const reason = state === 'failed' ? joinMessages(errors) : note;
    write({ event: 'end', title: vitestTitle(test), outcome: state, reason });
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

  onTestEnd(test: PlaywrightCase, { errors }: { readonly errors: readonly Failure[] }): void {
    const outcome = test.outcome();
    // A flaky test, one that passed only when repeated, has failed.
    const counted = outcome === 'expected' ? 'passed' : outcome === 'skipped' ? 'skipped' : 'failed';
    const skip = test.annotations.find(({ type }) => type === 'skip' || type === 'fixme')?.description ?? '';
    const reason = counted === 'failed' ? joinMessages(errors) : skip;
    write({ event: 'end', title: playwrightTitle(test), outcome: counted, reason });
  }

  onError({ message = '' }: { readonly message?: string }): void {
    write({ event: 'error', message });
  }
}
