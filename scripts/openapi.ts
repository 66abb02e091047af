// Writes docs/panel-openapi.json from the table of operations and docs/gatehouse-export.schema.json from the document of exports, or with --check
// fails where a file differs; then lints the first.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { exportDocument } from '../src/contract/imports/document.ts';
import { openApiDocument } from '../src/contract/openapi/openapi.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const snapshot = 'docs/panel-openapi.json';
/** Stands for every installation; a panel that serves the file fills in its own address. */
const serverUrl = 'https://192.168.1.10:8443/secret-path/api/v1';

/** The linters, started as scripts of their packages: no shell, no network. */
const linters = [
  ['@redocly/cli/bin/cli.js', 'lint', snapshot, '--config', 'redocly.yaml'],
  ['@stoplight/spectral-cli/dist/index.js', 'lint', snapshot, '--ruleset', '.spectral.yaml', '--fail-severity', 'warn'],
];

function lint(): boolean {
  const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  return linters.every(([program, ...args]) => {
    const options = { cwd: root, env: { ...process.env, ...quiet }, encoding: 'utf8' } as const;
    const result = spawnSync(process.execPath, [`${root}node_modules/${program}`, ...args], options);
    if (result.status !== 0) console.error(`${program} failed:\n${result.stdout}${result.stderr}`);
    return result.status === 0;
  });
}

/** The first line at which two texts differ, and both of its versions. */
function firstDifference(committed: string, made: string): string {
  const [before, after] = [committed.split('\n'), made.split('\n')];
  const at = after.findIndex((line, index) => line !== before[index]);
  const line = at < 0 ? after.length : at;
  return `line ${line + 1}:\n- ${before[line] ?? '(end of file)'}\n+ ${after[line] ?? '(end of file)'}`;
}

/** Generated files, and what each is made from. */
const GENERATED = [
  { path: snapshot, from: 'the table of operations', document: openApiDocument({ serverUrl }) },
  {
    path: 'docs/gatehouse-export.schema.json',
    from: 'the document of exports',
    document: z.toJSONSchema(exportDocument, { io: 'input', unrepresentable: 'any' }),
  },
];
const isCheck = process.argv.includes('--check');

for (const { path, from, document } of GENERATED) {
  const file = `${root}${path}`;
  const made = `${JSON.stringify(document, null, 2)}\n`;
  const committed = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (isCheck && committed !== made) {
    console.error(`${path} differs from ${from}, first at ${firstDifference(committed, made)}`);
    console.error('Run `npm run openapi` and commit the file.');
    process.exit(1);
  }
  if (committed !== made) writeFileSync(file, made);
  if (!isCheck) console.log(`${path} ${committed === made ? 'is up to date' : 'written'}.`);
}
process.exit(lint() ? 0 : 1);
