// Whichever command of a machine or a panel is the first one in a new folder, every other one can use the folder afterwards.
import { createHash } from 'node:crypto';
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ZipFile } from 'yazl';
import { issueAuthority, issueLeaf } from '../../src/adapters/certificates/issuer.ts';
import { isRefusal } from '../../src/adapters/refusal.ts';
import { dropLinks, orderLinks, setLinks } from '../../src/agent/links.ts';
import { examineMachine, joinMachine, leaveMachine, runMachine } from '../../src/agent/machine.ts';
import { installEngine, rollBackEngine, switchEngine } from '../../src/agent/switch-engine.ts';
import { PanelError } from '../../src/core/kernel/panel-error.ts';
import { inspectBackup, restoreFile } from '../../src/panel/backup/local-file.ts';
import { examine } from '../../src/panel/doctor.ts';
import { openPanel } from '../../src/panel/panel.ts';
import { runCommand } from '../../src/panel/run-command.ts';
import { CHEAP_COST } from '../support/cheap-password.ts';
import { freePort } from '../support/free-port.ts';
import { PASSWORD } from '../support/own-panel.ts';

const LOOPBACK = '127.0.0.1';
const XRAY = '#!/bin/sh\necho "Xray 26.3.27 (a test)"\n';
const DAY = 86_400_000;

type Command = (folder: string) => unknown;

let parent = '';
let archive = { file: '', sha256: '' };
let links = { host: LOOPBACK, port: 0, chain: '', key: '' };
let backup = '';
beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'gatehouse-first-'));
  const zip = new ZipFile();
  zip.addBuffer(Buffer.from(XRAY), 'xray');
  zip.end();
  const file = join(parent, 'engine.zip');
  await pipeline(zip.outputStream, createWriteStream(file));
  archive = { file, sha256: createHash('sha256').update(readFileSync(file)).digest('hex') };
  const year = { from: Date.now() - DAY, to: Date.now() + 365 * DAY };
  const leaf = await issueLeaf(await issueAuthority(year), ['node.example.org'], year);
  links = { ...links, chain: leaf.pem, key: leaf.key };
  const source = join(parent, 'source');
  await setUp(source);
  ({ path: backup } = await runCommand(source, 'backup', { passphrase: null }));
});
afterAll(() => rmSync(parent, { recursive: true, force: true }));

const setUp: Command = (folder) =>
  runCommand(folder, 'set-up', { name: 'admin', password: PASSWORD }, { mayCreate: true });
const install = (folder: string) => installEngine(folder, archive, () => {});

const MACHINE: Readonly<Record<string, Command>> = {
  async join(folder) {
    const token = `gn1.${await freePort()}.${'a'.repeat(64)}.${'b'.repeat(64)}`;
    await joinMachine({ folder, token, host: LOOPBACK, waiting: () => {}, limitMs: 1 });
  },
  run: async (folder) => (await runMachine({ folder, host: LOOPBACK })).close(),
  doctor: (folder) => examineMachine(folder, undefined),
  'engine install': install,
  'engine update': async (folder) => {
    await install(folder);
    await switchEngine(folder, 'xray-26.3.27');
  },
  'engine rollback': rollBackEngine,
  'links on': (folder) => setLinks(folder, links),
  'links on --acme': (folder) => orderLinks(folder, links, { names: ['node.example.org'], email: null }),
  'links off': dropLinks,
  leave: leaveMachine,
};

const PANEL: Readonly<Record<string, Command>> = {
  async serve(folder) {
    await (await openPanel({ folder, port: await freePort(), host: LOOPBACK, passwordCost: CHEAP_COST })).close();
  },
  setup: setUp,
  async restore(folder) {
    const { fingerprint: confirm } = await inspectBackup(folder, backup, null, null);
    return restoreFile(folder, { path: backup, passphrase: null, confirm, accept_keys: false }, null);
  },
  backup: (folder) => runCommand(folder, 'backup', { passphrase: null }),
  doctor: (folder) => examine(folder),
};

/** Why a command cannot use the folder; null: it can, whatever else it refuses. Rejects for what is no refusal. */
async function findObstacle(command: Command, folder: string): Promise<string | null> {
  try {
    await command(folder);
    return null;
  } catch (error) {
    if (error instanceof PanelError) return null;
    if (!isRefusal(error)) throw error;
    return error.refusal === 'data_folder' ? error.message.replaceAll(folder, '<folder>') : null;
  }
}

describe.skipIf(process.platform === 'win32').each([
  ['a machine', MACHINE],
  ['a panel', PANEL],
])('of %s', (kind, commands) => {
  const all = Object.entries(commands);
  const folderFor = (...names: string[]) => join(parent, [kind, ...names].join('-').replaceAll(/\W+/g, '-'), 'data');

  test.each(all)('every command can use a folder in which `%s` was the first', async (firstName, first) => {
    const obstacles: Record<string, string> = {};
    for (const [name, second] of all) {
      const folder = folderFor(firstName, name);
      await findObstacle(first, folder);
      const found = await findObstacle(second, folder);
      // What needs a panel that has run is refused in any new folder.
      if (found !== null && !found.startsWith('No panel has run')) obstacles[name] = found;
    }
    expect(obstacles).toEqual({});
  });
});
