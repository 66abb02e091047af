// The token that joins a machine while other accounts read what its processes show: nobody else can be joined in its place unnoticed.
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { joinMachine } from '../../src/agent/machine.ts';
import { openCommandLine } from '../support/cli.ts';
import { freePort } from '../support/free-port.ts';
import { openOwnPanel, PASSWORD } from '../support/own-panel.ts';

const HOST = '127.0.0.1';
const COMMAND = join(import.meta.dirname, '../../bin/panel.mjs');

/** The command of the page, with \`panel\` as it is installed. */
function readPageCommand(token: string): string {
  const page = readFileSync(join(import.meta.dirname, '../../src/renderer/src/features/nodes/node-join.tsx'), 'utf8');
  const [, command = ''] = /value=\{`([^`]*made\.token[^`]*)`\}/.exec(page) ?? [];
  const [joining = ''] = command
    .replace(/\$\{command\}/g, 'panel')
    .replace(/\$\{made\.token\}/, token)
    .split(' && ');
  return `${joining} --host ${HOST}`;
}

/** Processes whose command lines, which every account can read, contain the text. */
function countShowing(secret: string): number {
  const read = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
    } catch {
      // It has ended.
      return '';
    }
  };
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && read(name).includes(secret)).length;
}

test('the command of the page shows the token in no command line, and its owner learns that another machine was joined', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'gatehouse-join-'));
  await using own = await openOwnPanel({ keyFile: join(parent, 'master.key') });
  const { administrator } = own;
  const panel = join(parent, 'panel');
  writeFileSync(panel, `#!/bin/sh\nexec '${process.execPath}' '${COMMAND}' "$@"\n`);
  chmodSync(panel, 0o755);
  const port = await freePort();
  const { id } = (await administrator.call('createNode', { name: 'Far', kind: 'remote', address: HOST })).body;
  const { token } = (await administrator.call('inviteNode', { id, port, password: PASSWORD })).body;

  // Somebody else had the token, and is joined first.
  const thief = joinMachine({ folder: join(parent, 'thief'), token, host: HOST, waiting: () => {} });
  await thief;
  const env = {
    ...process.env,
    PATH: `${parent}${delimiter}${process.env.PATH}`,
    GATEHOUSE_NODE_DATA: join(parent, 'machine'),
  };
  // As typed: a shell's own words are in no command line.
  const shell = spawn('sh', { env });
  const said = text(shell.stderr);
  const waits = new Promise<number>((resolve) => {
    shell.stderr.on('data', (data: Buffer) => {
      if (data.includes('Waiting for the panel')) resolve(countShowing(token));
    });
  });
  shell.stdin.end(`${readPageCommand(token)}\n`);
  const showing = await waits;
  console.log(`processes that show the token of the page's command: ${showing}`);
  expect(showing).toBe(0);
  const { fingerprint } = (await administrator.call('getNode', { id })).body;
  expect(fingerprint).toBe(await thief);
  expect((await said).replaceAll('\n', ' ')).toContain(`joined another machine with this token: ${fingerprint}`);
  rmSync(parent, { recursive: true, force: true });
});

test('a token on the command line is refused, and not repeated', async () => {
  await using machine = openCommandLine();
  const token = `gn1.8450.${'a'.repeat(64)}.${'b'.repeat(64)}`;
  const refused = await machine.run(['node', 'join', token, '--host', HOST]);
  expect(refused).toMatchObject({ code: 3, stdout: '' });
  expect(refused.stderr).toContain('Every account of this machine can read a token on the command line');
  expect(refused.stderr).not.toContain(token);
  const empty = await machine.run(['node', 'join', '--host', HOST]);
  expect(empty.stderr).toContain('A token is needed');
});

test('a token is read from a file as well, and both ends show the same fingerprint', async () => {
  await using machine = openCommandLine();
  await using own = await openOwnPanel({ keyFile: join(machine.folder, '..', 'master.key') });
  const { administrator } = own;
  const { id } = (await administrator.call('createNode', { name: 'Far', kind: 'remote', address: HOST })).body;
  const invited = { id, port: await freePort(), password: PASSWORD };
  const { token } = (await administrator.call('inviteNode', invited)).body;
  const file = join(machine.folder, '..', 'token');
  writeFileSync(file, `${token}\n`);
  const joined = await machine.run(['node', 'join', '--token-file', file, '--host', HOST]);
  expect(joined.code, joined.stderr).toBe(0);
  const shown = () => administrator.call('getNode', { id }).then(({ body }) => body.fingerprint);
  await expect.poll(shown).toMatch(/^[0-9a-f]{4}( [0-9a-f]{4}){4}$/);
  expect(joined.stdout).toContain(`must show this fingerprint: ${await shown()}`);
  expect(joined.stderr).toContain(`Fingerprint of this machine: ${await shown()}`);
});
