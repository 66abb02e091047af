// Keeps the table of production packages in docs/dependencies.md: version, last release and what each brings along. `npx node scripts/dependencies.ts`
// asks the registry for the releases of the packages that package.json names; `--check` compares the table with package-lock.json, without a network.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './run.ts';

const PAGE = join(root, 'docs/dependencies.md');
const HEAD = '| package | version | last release | why | brings along |\n|---|---|---|---|---|\n';

interface Locked {
  /** Left out where it is the folder's. */
  readonly name?: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, Locked>>;
};
const direct = Object.keys(packages['']?.dependencies ?? {}).sort();

/** The folder of a package as one in `from` loads it; undefined for an optional one that is not locked. */
function resolve(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (path in packages) return path;
    if (folder === '') return undefined;
  }
}

/** What a package loads, and what that loads, without those that package.json names itself. */
function listBrought(name: string): readonly string[] {
  const found = new Set<string>();
  const visit = (path: string | undefined) => {
    const { dependencies, optionalDependencies } = packages[path ?? ''] ?? {};
    for (const each of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const next = resolve(each, path ?? '');
      if (next === undefined || found.has(next) || direct.some((one) => next === `node_modules/${one}`)) continue;
      found.add(next);
      visit(next);
    }
  };
  visit(resolve(name, ''));
  const names = [...found].map((path) => packages[path]?.name ?? path.slice(path.lastIndexOf('node_modules/') + 13));
  return [...new Set(names)].sort();
}

interface Row {
  readonly name: string;
  /** As the page has it. */
  readonly shown: string;
  readonly version: string;
  readonly released: string;
  readonly why: string;
  readonly brings: string;
}

function readRows(page: string): Row[] {
  const at = page.indexOf(HEAD);
  if (at < 0) throw new Error('docs/dependencies.md has no table of production packages');
  const [table = ''] = page.slice(at + HEAD.length).split('\n\n', 1);
  return table.split('\n').map((line) => {
    const [shown = '', version = '', released = '', why = '', brings = ''] = line.slice(2, -2).split(' | ');
    return { name: shown.split(' ')[0] ?? '', shown, version, released, why, brings };
  });
}

function formatRow({ shown, version, released, why, brings }: Row): string {
  return `| ${shown} | ${version} | ${released} | ${why} | ${brings} |`;
}

/** The row as the lock file wants it. */
function toCurrent(row: Row): Row {
  const brought = listBrought(row.name);
  return {
    ...row,
    version: packages[`node_modules/${row.name}`]?.version ?? '',
    brings: brought.length === 0 ? '–' : `${brought.length}: ${brought.join(', ')}`,
  };
}

/** The day of its newest release. */
function readLastRelease(name: string): string {
  const registered = packages[`node_modules/${name}`]?.name ?? name;
  const times = JSON.parse(execFileSync('npm', ['view', registered, 'time', '--json'], { encoding: 'utf8' }));
  const releases = Object.entries(times as Readonly<Record<string, string>>).filter(([version]) => /^\d/.test(version));
  return (
    releases
      .map(([, time]) => time.slice(0, 10))
      .sort()
      .at(-1) ?? ''
  );
}

const page = readFileSync(PAGE, 'utf8');
const rows = readRows(page);
const named = rows.map(({ name }) => name);
const faults = [
  ...direct.filter((name) => !named.includes(name)).map((name) => `${name} has no row`),
  ...named.filter((name) => !direct.includes(name)).map((name) => `${name} is no production package`),
  ...rows.filter(({ why }) => why.length < 10).map(({ name }) => `${name}: not said why`),
];
if (process.argv.includes('--check')) {
  for (const row of rows) {
    if (formatRow(row) !== formatRow(toCurrent(row))) faults.push(`${row.name} is not as it is locked`);
    if (!/^\d{4}-\d\d-\d\d$/.test(row.released)) faults.push(`${row.name} has no date of a release`);
  }
} else {
  const current = rows.map((row) => ({ ...toCurrent(row), released: readLastRelease(row.name) }));
  writeFileSync(PAGE, page.replace(rows.map(formatRow).join('\n'), current.map(formatRow).join('\n')));
}
for (const fault of faults) console.error(`docs/dependencies.md: ${fault}: npx node scripts/dependencies.ts`);
if (faults.length > 0) process.exitCode = 1;
