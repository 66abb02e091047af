// Folders and files that cannot be used: each is named in one sentence with its own exit code, nothing changes, and the panel starts as
// soon as the fault is fixed.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  cpSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandLine, type Finished, openCommandLine, PASSWORD } from '../support/cli.ts';

const COMMAND = join(import.meta.dirname, '../../bin/panel.mjs');
const isPosix = process.platform !== 'win32';
const isRoot = process.getuid?.() === 0;
/** Root without its capability to bypass permissions. */
const PREFIX = isRoot ? ['setpriv', '--bounding-set', '-dac_override,-dac_read_search'] : [];

/** Runs `panel serve` as an ordinary user, with a module loaded before it where one is given. */
async function serve(folder: string, preload: string | null = null): Promise<Finished> {
  const node = [process.execPath, ...(preload === null ? [] : ['--import', preload]), COMMAND];
  const [file = '', ...args] = [...PREFIX, ...node, 'serve', '--port', '0', '--data', folder];
  // Where a panel that starts makes its key file.
  const env = { ...process.env, XDG_CONFIG_HOME: join(folder, '../config') };
  const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const exit = once(child, 'close');
  // A panel that starts anyway prints its introduction, and is stopped.
  child.stdout.once('data', () => child.kill('SIGTERM'));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await exit;
  return { code, stdout, stderr };
}

function expectRefusal({ code, stdout, stderr }: Finished, exitCode: number, sentence: RegExp): void {
  expect({ code, stdout }, stderr).toEqual({ code: exitCode, stdout: '' });
  expect(stderr).toMatch(sentence);
  expect(stderr).toMatch(/^panel: [^\n]+\n$/);
}

let prepared: CommandLine;
beforeAll(async () => {
  prepared = openCommandLine();
  expect(await prepared.run(['setup', '--name', 'admin'], PASSWORD)).toMatchObject({ code: 0 });
  await (await prepared.serve()).end('SIGTERM');
});
afterAll(() => prepared[Symbol.asyncDispose]());

/** Copies the prepared folder, on which a panel has run and has an administrator; returns a function that joins paths in it. */
function use(cli: CommandLine): (...names: string[]) => string {
  cpSync(prepared.folder, cli.folder, { recursive: true });
  return (...names) => join(cli.folder, ...names);
}

const starts = async (folder: string) => expect((await serve(folder)).stdout).toContain('is running');

describe.runIf(isPosix)('without permission', () => {
  it.each([
    ['the folder, to be entered', [], 0o000, 4, /^panel: The data folder \S+ cannot be used: permission denied\./],
    ['the folder, to be written', [], 0o500, 4, /^panel: The data folder \S+ cannot be used: permission denied\./],
    ['the database, to be read', ['panel.db'], 0o000, 6, /^panel: The database \S+ cannot be used: /],
    ['the database, to be written', ['panel.db'], 0o400, 6, /^panel: The database \S+ cannot be used: /],
    ['the lock', ['lock'], 0o000, 4, /^panel: The data folder \S+ cannot be locked: /],
    ['the log', ['logs', 'panel.log'], 0o400, 4, /^panel: \S+panel\.log cannot be used: permission denied\./],
    ['the log’s folder', ['logs'], 0o000, 4, /^panel: \S+logs\S* cannot be used: permission denied\./],
    ['the certificates', ['tls'], 0o000, 4, /^panel: \S+tls\S* cannot be used: permission denied\./],
    ['the key of the certificate', ['tls', 'server-key.pem'], 0o000, 4, /^panel: \S+server-key\.pem cannot be used: /],
  ] as const)('%s', async (_, names, mode, exitCode, sentence) => {
    await using cli = openCommandLine();
    const path = use(cli)(...names);
    const usual = statSync(path).mode;
    chmodSync(path, mode);
    expectRefusal(await serve(cli.folder), exitCode, sentence);
    chmodSync(path, usual);
    await starts(cli.folder);
  });

  it('where the folder is to be made', async () => {
    await using cli = openCommandLine();
    chmodSync(dirname(cli.folder), 0o500);
    expectRefusal(await serve(cli.folder), 4, /^panel: The data folder \S+ cannot be used: permission denied\./);
    chmodSync(dirname(cli.folder), 0o700);
    await starts(cli.folder);
  });
});

describe.runIf(isPosix)('what is not what it should be', () => {
  it('a folder that is a link to nowhere', async () => {
    await using cli = openCommandLine();
    symlinkSync(join(cli.folder, '..', 'gone'), cli.folder);
    expectRefusal(await serve(cli.folder), 4, /^panel: The data folder \S+ cannot be used: /);
  });

  it.each(['panel.db', 'lock', 'tls', 'logs', join('logs', 'panel.log')])('%s of another kind', async (name) => {
    await using cli = openCommandLine();
    const path = use(cli)(name);
    const isFolder = statSync(path).isDirectory();
    renameSync(path, `${path}.aside`);
    if (isFolder) writeFileSync(path, 'x');
    else mkdirSync(path);
    const refused = await serve(cli.folder);
    expect([4, 6]).toContain(refused.code);
    expectRefusal(refused, refused.code ?? 0, /cannot be/);
    rmSync(path, { recursive: true });
    renameSync(`${path}.aside`, path);
    await starts(cli.folder);
  });
});

function overwrite(file: string, at: number, bytes: Buffer): void {
  const handle = openSync(file, 'r+');
  writeSync(handle, bytes, 0, bytes.length, at);
  closeSync(handle);
}

describe('a damaged database', () => {
  it.each([
    ['cut off', (file: string) => truncateSync(file, 20_000)],
    ['with noise where its tables begin', (file: string) => overwrite(file, 100, Buffer.alloc(3000, 0xa5))],
    ['with noise all over', (file: string) => overwrite(file, 4096, Buffer.alloc(statSync(file).size - 4096, 0xa5))],
  ])('%s', async (_, damage) => {
    await using cli = openCommandLine();
    const file = use(cli)('panel.db');
    damage(file);
    const before = statSync(file);
    expectRefusal(await serve(cli.folder), 6, /^panel: The database \S+ cannot be used: .*(damaged|malformed)/);
    expect(statSync(file).mtimeMs).toBe(before.mtimeMs);
    const doctor = await cli.run(['doctor', '--json']);
    expect(doctor.code).toBe(1);
    expect(JSON.parse(doctor.stdout).checks).toContainEqual(
      expect.objectContaining({ check: 'database', verdict: 'problem' }),
    );
  });

  it('is not one whose journal is noise: what was written back is there', async () => {
    await using cli = openCommandLine();
    const file = use(cli)('panel.db');
    for (const end of ['-wal', '-shm']) writeFileSync(`${file}${end}`, Buffer.alloc(65_536, 0xa5), { mode: 0o600 });
    await starts(cli.folder);
    expect(await cli.run(['setup', '--name', 'eve'], PASSWORD)).toMatchObject({ code: 3 });
  });
});

it.runIf(process.platform === 'linux')('a network drive is refused, with another place as the way out', async () => {
  await using cli = openCommandLine();
  const refused = await serve(cli.folder, join(import.meta.dirname, 'on-nfs.ts'));
  expectRefusal(refused, 4, /^panel: The data folder \S+ is on a network drive \(NFS\), .*--data\.\n$/);
});

const canMount = process.platform === 'linux' && isRoot && spawnSync('unshare', ['--mount', 'true']).status === 0;
if (!canMount)
  console.warn('\n  !!! A READ-ONLY DISK IS NOT TRIED: this needs Linux, root and a kernel that allows mounts.\n');

it.runIf(canMount)('a read-only disk is refused, and not touched', async () => {
  await using cli = openCommandLine();
  use(cli);
  // In a space of mounts of its own, which is gone with its process.
  const script = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && shift && exec "$@"';
  const run = (...args: string[]) =>
    spawnSync('unshare', ['--mount', 'sh', '-c', script, cli.folder, '-', process.execPath, COMMAND, ...args], {
      encoding: 'utf8',
    });
  for (const args of [
    ['serve', '--port', '0'],
    ['key', 'list'],
  ]) {
    const { status, stdout, stderr } = run(...args, '--data', cli.folder);
    const sentence = /^panel: The data folder \S+ cannot be used: read-only file system\.\n$/;
    expectRefusal({ code: status, stdout, stderr }, 4, sentence);
  }
  const doctor = run('doctor', '--data', cli.folder);
  expect(doctor.stdout).toMatch(/^PROBLEM +data folder +\S+: read-only file system/);
});
