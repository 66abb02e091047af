// The table of test suites: what `npm test` runs after the checks, begun in this order; the longest of those that cross a boundary first.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ReportFormat } from './reports.ts';
import { root } from './run.ts';

export type Suite = {
  name: string;
  /** Seconds after which the suite is killed and counted as failed. */
  budget: number;
  /** The command, given the path at which it must leave its JSON report. */
  command: (reportPath: string) => readonly string[];
  /** Variables added to the command's environment. */
  env?: (reportPath: string) => NodeJS.ProcessEnv;
  format: ReportFormat;
  /** Folder or file without which there is no such suite. */
  onlyIf?: string;
  /** Programs that it needs of the machine, each with its Debian package: installed first where that is possible. */
  programs?: Readonly<Record<string, string>>;
};

function vitest(name: string, budget: number, onlyIf?: string): Suite {
  return {
    name,
    budget,
    format: 'vitest',
    command: (reportPath) => [
      ...['vitest', 'run', '--project', name, '--reporter=default', '--reporter=json'],
      `--outputFile.json=${reportPath}`,
    ],
    ...(onlyIf ? { onlyIf } : {}),
  };
}

const crossing = (name: string, budget: number) => vitest(name, budget, `tests/${name}`);

const all: readonly Suite[] = [
  vitest('std', 240),
  vitest('node', 360),
  vitest('web', 240, 'src/renderer'),
  {
    name: 'e2e',
    budget: 1200,
    format: 'playwright',
    command: () => ['playwright', 'test', '--reporter=line,json'],
    env: (reportPath) => ({ PLAYWRIGHT_JSON_OUTPUT_FILE: reportPath }),
    onlyIf: 'tests/e2e',
  },
  crossing('torture', 720),
  crossing('disk', 480),
  crossing('panel', 600),
  crossing('transport', 360),
  crossing('cli', 480),
  { ...crossing('keychain', 360), programs: KEYCHAIN_PROGRAMS },
  crossing('backup', 480),
  crossing('fuzz', 480),
  crossing('migrations', 480),
  crossing('http', 480),
  crossing('contract', 240),
  crossing('shell', 360),
];

/** The suites of this checkout. */
export const suites = all.filter(({ onlyIf }) => !onlyIf || existsSync(join(root, onlyIf)));
