// What the pages for authors of bots print can be copied: their commands and programs are run, in their order, against a real panel.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TRUST } from '../../src/contract/openapi/trust.ts';
import { createClient } from '../support/http-client.ts';
import { isFull } from '../support/long.ts';
import { type OwnPanel, openOwnPanel } from '../support/own-panel.ts';
import {
  hasCurl,
  isInstalled,
  listCodeBlocks,
  openShell,
  readmeSession,
  readPage,
  type Shell,
} from '../support/printed-commands.ts';

const run = promisify(execFile);

let own: OwnPanel;
let folder: string;
let key: string;
let shell: Shell;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-printed-'));
  own = await openOwnPanel({ keyFile: join(folder, 'master.key') });
  key = await own.newKey('full');
  shell = openShell(own, key, folder);
});
afterAll(async () => {
  await own[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

it.skipIf(!hasCurl)('the session of the README', async () => {
  const printed = await shell.run(readmeSession());
  expect(printed).toContain('"name":"Ann"');
  expect(printed).toMatch(/"dry_run":true,"matched":1,"affected":1.*\n.*"dry_run":false,"matched":1,"affected":1/);
  expect(printed).toContain('panel_users{state="active"} 1');
  expect(readFileSync(join(folder, 'openapi.json'), 'utf8')).toContain(own.panel.baseUrl);
});

it.skipIf(!hasCurl)('the commands of docs/api.md', async () => {
  const bot = createClient({ baseUrl: own.panel.baseUrl, key, ca: own.ca });
  // The plan with the id 1, unless the session before has created it.
  await bot.call('createTariff', { name: 'Monthly', duration: { months: 1 } });
  await own.administrator.call('createNode', { name: 'Frankfurt', address: 'de1.example.com' });
  // The page extends 96 active users, two of whom it has created.
  const { total } = (await bot.call('listUsers', {})).body;
  const users = Array.from({ length: 94 - total }, (_, index) => ({ name: `U${index}`, tariff_id: 1 }));
  await bot.call('createUsers', { users });
  bot.close();
  const printed = await shell.run(listCodeBlocks(readPage('docs/api.md'), 'sh').join(''));
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
  // The page breaks the lines of its prose where it likes; programs are alike to the character.
  const joinLines = (text: string) => text.replace(/\s+/g, ' ');
  expect(joinLines(readPage('docs/api.md'))).toContain(joinLines(TRUST));
  for (const lang of ['js', 'python', 'go'] as const) {
    expect(listCodeBlocks(readPage('docs/api.md'), lang)).toEqual(
      expect.arrayContaining([...listCodeBlocks(TRUST, lang)]),
    );
    const [program, ...parameters] = PROGRAMS[lang];
    if (!isInstalled(program, program === 'gofmt' ? '-h' : program === 'go' ? 'version' : '--version')) continue;
    const [source = ''] = listCodeBlocks(TRUST, lang);
    writeFileSync(join(folder, FILES[lang]), source);
    const { stdout } = await run(program, parameters, { cwd: folder, env: shell.env });
    if (program === 'gofmt') expect(stdout).toBe(source);
    else expect(JSON.parse(stdout), lang).toMatchObject({ items: expect.any(Array), next_cursor: null });
  }
});
