// `npm run mutation`: changes the sources of the rules that matter most, one small change at a time, and counts how many of the changes
// a test notices. `npm run mutation -- vault` runs one module, `npm run mutation -- domain src/domain/users/term.ts` one of its files.
// What has not changed since the run before is not run again.
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readable, root, run } from './run.ts';

interface Module {
  readonly sources: readonly string[];
  /**
   * What judges a changed source: the tests beside it. A thread or a child process runs the sources unchanged, so that what tests find there
   * is not counted, and a test of the whole panel takes minutes for what one of these finds at once.
   */
  readonly tests: readonly string[];
}

const MODULES: Readonly<Record<string, Module>> = {
  domain: { sources: ['src/domain/**/*.ts'], tests: ['src/domain/**/*.test.ts'] },
  keys: { sources: ['src/core/access/keys.ts'], tests: ['src/core/access/keys.test.ts'] },
  authentication: {
    sources: [
      'src/core/{access/{session,two-factor},proof/{attempts,browsers,proof},setup/administrator}.ts',
      'src/adapters/{passwords,totp}.ts',
    ],
    tests: ['src/core/{access,proof,setup}/*.test.ts', 'src/adapters/{passwords,totp}.test.ts'],
  },
  idempotency: {
    sources: ['src/core/dispatch.ts', 'src/door/{headers,parse}.ts'],
    tests: ['src/core/dispatch.test.ts', 'src/door/{headers,parse}.test.ts', 'src/http/{api,api-bodies}.test.ts'],
  },
  vault: {
    sources: ['src/adapters/vault/{key-file,master-key,vault}.ts', 'src/adapters/{chunk-seal,passphrase}.ts'],
    tests: ['src/adapters/vault/*.test.ts', 'src/adapters/{chunk-seal,passphrase}.test.ts'],
  },
  backups: {
    sources: ['src/store/backup/{check,compare}.ts', 'src/adapters/backup-file.ts', 'src/panel/backup/signature.ts'],
    tests: ['src/adapters/backup-file.test.ts', 'src/{store,panel}/backup/*.test.ts'],
  },
};

/** The share of changes that tests must notice, in percent. */
const REQUIRED = 85;
/** For what hangs. */
const LIMIT_MS = 24 * 60 * 60_000;

interface Report {
  readonly files: Readonly<Record<string, { readonly mutants: readonly { readonly status: string }[] }>>;
}

function listFiles(patterns: readonly string[]): string[] {
  return patterns.flatMap((pattern) => globSync(pattern, { cwd: root })).map((path) => path.replaceAll('\\', '/'));
}

/** Runs one module, or those of its files; returns the results of the runs up to now. */
async function testModule(name: string, { sources, tests }: Module, only: readonly string[]): Promise<Report> {
  const folder = join(root, 'node_modules/.cache/mutation');
  mkdirSync(folder, { recursive: true });
  const results = join(folder, `${name}.json`);
  const files = listFiles(sources).filter((path) => !path.endsWith('.test.ts'));
  const options = {
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    // The tests are named: which of them import a source is not looked for, before each of its mutants.
    vitest: { configFile: 'tests/mutation/vitest.config.ts', related: false },
    mutate: only.length > 0 ? only : files,
    ignorePatterns: ['/docs', '/out', '/dist', '/resources'],
    tempDirName: `out/mutation-${name}`,
    incremental: true,
    incrementalFile: results,
    reporters: ['clear-text'],
    clearTextReporter: { allowColor: false, logTests: false, reportTests: false, reportScoreTable: false },
    concurrency: 1,
    // A mutant that is slow on a busy machine is not one that hangs.
    timeoutMS: 60_000,
    logLevel: 'warn',
  };
  const config = join(folder, `${name}.config.json`);
  writeFileSync(config, JSON.stringify(options));
  const { ok, output } = await run(['stryker', 'run', config], LIMIT_MS, {
    MUTATION_TESTS: listFiles(tests).join(','),
  });
  console.log(readable(output));
  if (!ok) process.exitCode = 1;
  return JSON.parse(readFileSync(results, 'utf8')) as Report;
}

/** `noticed` of `all` changes, in percent; what does not compile is not counted. */
function score(mutants: readonly { readonly status: string }[]): { readonly all: number; readonly percent: number } {
  const judged = mutants.filter(({ status }) => !['CompileError', 'RuntimeError', 'Ignored'].includes(status));
  const noticed = judged.filter(({ status }) => status === 'Killed' || status === 'Timeout').length;
  return { all: judged.length, percent: judged.length === 0 ? 100 : (100 * noticed) / judged.length };
}

const [chosen, ...only] = process.argv.slice(2);
if (chosen !== undefined && MODULES[chosen] === undefined) {
  console.error(`No module ${chosen}. There are: ${Object.keys(MODULES).join(', ')}`);
  process.exit(2);
}
for (const [name, module] of Object.entries(MODULES)) {
  if (chosen !== undefined && chosen !== name) continue;
  const { files } = await testModule(name, module, only);
  for (const [path, { mutants }] of Object.entries(files)) {
    const { all, percent } = score(mutants);
    console.log(`${path}: ${percent.toFixed(1)} % of ${all}`);
  }
  const { all, percent } = score(Object.values(files).flatMap(({ mutants }) => mutants));
  console.log(`${name}: ${percent.toFixed(1)} % of ${all}`);
  if (percent < REQUIRED) process.exitCode = 1;
}
