// The suites of `npm test` and of `npm run test:system`, and what each needs of the machine. A suite of tests/ is in the first where npm packages are
// all that it needs and its time allows; single files of it that need more are named in system-parts.ts and run in the second.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ensureChromium, findChromium } from '../tests/support/chromium.ts';
import {
  AUTHORITY_PROGRAMS,
  ENGINE_PROGRAMS,
  ensurePrograms,
  listMissing,
  PROVIDER_PROGRAMS,
  type Program,
  STORAGE_PROGRAMS,
} from '../tests/support/engines.ts';
import { root } from './run.ts';
import {
  ANALYZER_PROGRAMS,
  ensurePackages,
  KEYCHAIN_PROGRAMS,
  SCANNER_PROGRAMS,
  SERVER_PROGRAMS,
  SPREADSHEET_PROGRAMS,
  TRACING_PROGRAMS,
} from './system-packages.ts';
import { listSystemFiles, SYSTEM_PARTS } from './system-parts.ts';

export type TestCommand = 'test' | 'system';

export interface Suite {
  readonly name: string;
  /** How many cores it keeps busy, with the processes and browsers that it starts. */
  readonly cores: 1 | 2;
  /** Seconds that it takes beside the others on a machine with two cores and nothing else to do. Twice as many are reported; nothing fails for being slow. */
  readonly usual: number;
  readonly command: readonly string[];
  /** Installs what it needs of the machine, where that is possible; returns why something is missing. */
  readonly prepare?: Prepare;
}

type Prepare = () => Promise<string | null>;

const REPORTER = './scripts/test-reporter.ts';
const SMOKE = '@smoke';

interface Options {
  /** How many of its files run at once. */
  readonly workers?: 1 | 2;
  readonly prepare?: Prepare;
  /** Left out: all of its files that the command runs. */
  readonly files?: readonly string[];
}

/** A project of vitest.config.ts. */
function vitest(name: string, usual: number, { workers = 1, prepare, files = [] }: Options = {}): Suite {
  const reporters = ['--reporter=default', `--reporter=${REPORTER}`];
  const command = ['vitest', 'run', '--project', name, `--maxWorkers=${workers}`, ...reporters, ...files];
  return { name, cores: workers, usual, command, ...(prepare && { prepare }) };
}

/** What other programs do to the machine's network does not reach the browser. */
const OWN_NETWORK = process.platform === 'linux' ? ['./scripts/own-network.sh'] : [];
const playwright = (...options: readonly string[]) => [
  ...OWN_NETWORK,
  'playwright',
  'test',
  `--reporter=line,${REPORTER}`,
  ...options,
];

const prepareChromium = () =>
  ensureChromium().then(
    () => null,
    (error: Error) => error.message,
  );
const preparePrograms = (programs: readonly Program[]) => () => ensurePrograms(programs).then(listMissing);
const preparePackages = (packages: Readonly<Record<string, string>>) => () => ensurePackages(packages);
const prepareBoth = (packages: Readonly<Record<string, string>>, programs: readonly Program[]) => async () =>
  (await ensurePackages(packages)) ?? listMissing(await ensurePrograms(programs));

/** The longest first, so that both cores are busy to the end. */
export const TEST: readonly Suite[] = [
  { name: 'smoke', cores: 2, usual: 60, command: playwright('--grep', SMOKE) },
  vitest('panel', 120, { workers: 2 }),
  vitest('cli', 90),
  vitest('node', 80),
  vitest('http', 70),
  vitest('torture', 40),
  vitest('std', 30),
  vitest('contract', 20),
  vitest('migrations', 20),
  vitest('webhooks', 15),
  vitest('fuzz', 15),
  vitest('transport', 10),
  vitest('commands', 10),
  vitest('shell', 10),
  vitest('web', 5),
];

export const SYSTEM: readonly Suite[] = [
  { name: 'e2e', cores: 2, usual: 400, command: playwright(), prepare: prepareChromium },
  vitest('engines', 1300, { prepare: prepareBoth({ nginx: 'nginx' }, ENGINE_PROGRAMS) }),
  vitest('updates', 150),
  vitest('desktop', 150, { prepare: prepareChromium }),
  vitest('backup', 300, {
    prepare: prepareBoth(SERVER_PROGRAMS, STORAGE_PROGRAMS),
  }),
  vitest('keychain', 90, { prepare: preparePackages(KEYCHAIN_PROGRAMS) }),
  vitest('attacks', 80, {
    prepare: preparePackages({ ...SCANNER_PROGRAMS, ...ANALYZER_PROGRAMS, ...SPREADSHEET_PROGRAMS }),
  }),
  vitest('torture', 70),
  vitest('disk', 60, { prepare: preparePackages(TRACING_PROGRAMS) }),
  ...Object.entries(SYSTEM_PARTS).map(([name, { usual, packages = {}, programs = [] }]) =>
    vitest(name, usual, { files: listSystemFiles(name), prepare: prepareBoth(packages, programs) }),
  ),
  vitest('acme', 20, { prepare: preparePrograms(AUTHORITY_PROGRAMS) }),
  vitest('payments', 10, { prepare: preparePrograms(PROVIDER_PROGRAMS) }),
];

const UNIT = ['std', 'node', 'web'];

const COMMANDS: Readonly<Record<TestCommand, readonly Suite[]>> = { test: TEST, system: SYSTEM };
const OTHER = { test: 'system', system: 'test' } as const;

export interface Chosen {
  readonly suites: readonly Suite[];
  /** Suites that are left out, each with the reason. */
  readonly skipped: readonly string[];
}

/**
 * The suites of a command, or those of it with these names. A suite that only the other command has is chosen by its name too. Throws where there is
 * none of that name.
 */
export function chooseSuites(command: TestCommand, names: readonly string[], isStrict: boolean): Chosen {
  const present = COMMANDS[command].filter(isPresent);
  const named = names.flatMap((name) => {
    const found = [command, OTHER[command]].flatMap((each) => COMMANDS[each].filter((suite) => suite.name === name));
    if (found[0] === undefined) throw new Error(`no suite is named ${name}`);
    return found[0];
  });
  const suites = names.length === 0 ? present : named;
  const why = whyNoSmoke(isStrict);
  return {
    suites: suites.filter(({ name }) => name !== 'smoke' || why === null),
    skipped:
      why === null || isStrict
        ? []
        : suites.filter(({ name }) => name === 'smoke').map(({ name }) => `${name}: ${why}`),
  };
}

/** Why no browser tests are in `npm test`. Under CI `npm run test:system` has all of them, and brings the browser. */
function whyNoSmoke(isStrict: boolean): string | null {
  if (isStrict) return 'npm run test:system has all browser tests';
  return findChromium() === null ? 'no Chromium is on PATH; npm run test:system installs it' : null;
}

const isPresent = ({ name }: Suite) =>
  UNIT.includes(name) || existsSync(join(root, 'tests', name === 'smoke' ? 'e2e' : name));
