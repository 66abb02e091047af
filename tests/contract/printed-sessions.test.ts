// What the pages for authors of bots print can be copied: their commands and programs are run, in their order, against a real panel.
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CA_FILE, TRUST } from '../../src/contract/openapi/trust.ts';
import { createClient } from '../support/http-client.ts';
import { isFull } from '../support/long.ts';
import { type OwnPanel, openOwnPanel } from '../support/own-panel.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);
const pageOf = (path: string) => readFileSync(join(root, path), 'utf8');
const blocksOf = (page: string, lang: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${lang}\\n([^]*?)^\`\`\`$`, 'gm'))].map(([, source = '']) => source);
const isInstalled = (program: string, argument: string) => spawnSync(program, [argument]).status === 0;

let own: OwnPanel;
let folder: string;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-printed-'));
  own = await openOwnPanel({ keyFile: join(folder, 'master.key') });
  const key = await own.newKey('full');
  writeFileSync(join(folder, CA_FILE), own.ca);
  env = { ...process.env, BASE: own.panel.baseUrl, KEY: key, GATEHOUSE_DATA: own.folder };
});
afterAll(async () => {
  await own[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs commands as they are printed, but for what is a placeholder, and fails where one of them does. Returns what they print. */
async function runCommands(commands: string): Promise<string> {
  const { BASE = '', KEY = '' } = env;
  const filled = commands.replace(/^export BASE=.*$/m, `BASE='${BASE}'`).replace(/KEY=.?pnl_….?/, `KEY=${KEY}`);
  // The panel of this checkout without the second that npx takes, and a refusal is a failure.
  const before = `set -eu
npx() { shift; '${process.execPath}' '${join(root, 'bin/panel.mjs')}' "$@"; }
curl() { command curl --fail-with-body "$@"; }
`;
  try {
    return (await run('sh', ['-c', before + filled], { cwd: folder, env })).stdout;
  } catch (error) {
    throw new Error(`a command failed; printed before: ${(error as { readonly stdout: string }).stdout.slice(-1000)}`);
  }
}

const hasCurl = process.platform !== 'win32' && isInstalled('curl', '--version');

it.skipIf(!hasCurl)('the session of the README', async () => {
  const page = pageOf('README.md');
  const session = page.slice(page.indexOf('## A session with curl'), page.indexOf('## The command line'));
  const printed = await runCommands(blocksOf(session, 'sh').join(''));
  expect(printed).toContain('"name":"Ann"');
  expect(printed).toMatch(/"dry_run":true,"matched":1,"affected":1.*\n.*"dry_run":false,"matched":1,"affected":1/);
  expect(printed).toContain('panel_users{state="active"} 1');
  expect(readFileSync(join(folder, 'openapi.json'), 'utf8')).toContain(own.panel.baseUrl);
});

it.skipIf(!hasCurl)('the commands of docs/api.md', async () => {
  const { BASE: baseUrl = '', KEY: key = '' } = env;
  const bot = createClient({ baseUrl, key, ca: own.ca });
  // The plan with the id 1, unless the session before has created it.
  await bot.call('createTariff', { name: 'Monthly', duration: { months: 1 } });
  await own.administrator.call('createNode', { name: 'Frankfurt', address: 'de1.example.com' });
  // The page extends 96 active users, two of whom it has created.
  const { total } = (await bot.call('listUsers', {})).body;
  const users = Array.from({ length: 94 - total }, (_, index) => ({ name: `U${index}`, tariff_id: 1 }));
  await bot.call('createUsers', { users });
  bot.close();
  const printed = await runCommands(blocksOf(pageOf('docs/api.md'), 'sh').join(''));
  expect(printed).toContain('"note":"Pays in cash"');
  expect(printed).toContain('"external_id":"customer-4711"');
  expect(printed).toContain('"matched":96,"affected":96');
  expect(printed).toContain('"id":42,"type"');
});

const FILES = { js: 'trust.mjs', python: 'trust.py', go: 'trust.go' } as const;
const PROGRAMS = {
  js: [process.execPath, FILES.js],
  python: ['python3', FILES.python],
  // A build of Go's HTTP client takes 20 seconds of processor once.
  go: isFull ? ['go', 'run', FILES.go] : ['gofmt', '-e', FILES.go],
} as const;

it('the ways to trust the CA, which the OpenAPI file and docs/api.md have alike', async () => {
  expect(pageOf('docs/api.md')).toContain(TRUST);
  for (const lang of ['js', 'python', 'go'] as const) {
    const [program, ...parameters] = PROGRAMS[lang];
    if (!isInstalled(program, program === 'gofmt' ? '-h' : program === 'go' ? 'version' : '--version')) continue;
    const [source = ''] = blocksOf(TRUST, lang);
    writeFileSync(join(folder, FILES[lang]), source);
    const { stdout } = await run(program, parameters, { cwd: folder, env });
    if (program === 'gofmt') expect(stdout).toBe(source);
    else expect(JSON.parse(stdout), lang).toMatchObject({ items: expect.any(Array), next_cursor: null });
  }
});
