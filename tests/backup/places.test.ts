// Backups at real servers of S3 and SFTP and in a folder, by the real command: what is listed can be restored, whatever is killed meanwhile.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type CommandLine, openCommandLine, PASSWORD } from '../support/cli.ts';
import { requirePrograms } from '../support/engines.ts';
import { times } from '../support/long.ts';
import { openSftpServer, openStorage, type PlaceServer, SSHD } from './place-servers.ts';

const PASSPHRASE = 'a passphrase for backups';
const MORE = [`BACKUP_PASSPHRASE=${PASSPHRASE}`];
const KILLS = times(20, 60);
/** So long that an upload has a middle, and random, so that it stays as long. */
const BULK_BYTES = 3_000_000;
/** FUZZ_SEED repeats a run. */
const SEED = Number(process.env.FUZZ_SEED ?? 7);

let line: CommandLine;
beforeAll(async () => {
  await requirePrograms('places of backups', ['versitygw']);
  line = openCommandLine();
  await succeed(['setup', '--name', 'admin'], PASSWORD);
  const database = new Database(join(line.folder, 'panel.db'));
  const bulk = JSON.stringify(randomBytes(BULK_BYTES).toString('base64'));
  database.prepare("INSERT INTO settings (name, value) VALUES ('bulk', ?)").run(bulk);
  database.close();
});
afterAll(() => line[Symbol.asyncDispose]());

async function succeed(args: readonly string[], input = '', where = line): Promise<string> {
  const { code, stdout, stderr } = await where.run(args, input);
  expect([args, code, code === 0 ? '' : stderr]).toEqual([args, 0, '']);
  return stdout;
}

const at = ({ url, secrets }: PlaceServer) => [url, '--secrets', secrets, '--allow-private'];
async function listAt(place: PlaceServer): Promise<readonly string[]> {
  const { items } = JSON.parse(await succeed(['restore', '--json', '--from', ...at(place)]));
  return items.map(({ name }: { readonly name: string }) => name);
}

/** One that is killed leaves its backup here. */
const localBackups = () => (existsSync(join(line.folder, 'backups')) ? readdirSync(join(line.folder, 'backups')) : []);

const hasSshd = existsSync(SSHD);
const KINDS = [
  { kind: 'S3', open: openStorage, isThere: true },
  { kind: 'SFTP', open: openSftpServer, isThere: hasSshd },
] as const;

describe.each(KINDS)('$kind', ({ open, isThere }) => {
  let place: PlaceServer;
  beforeEach(async () => {
    if (!isThere) return;
    place = await open(MORE);
    await place.start();
    return () => place[Symbol.asyncDispose]();
  });

  test.runIf(isThere)('has what was made, and a new machine restores it from there', async () => {
    const before = localBackups();
    const copies = async () => (await line.run(['doctor'])).stdout.match(/^.*copy elsewhere.*$/m)?.[0];
    const name = (await succeed(['backup', '--to', ...at(place)])).trim();
    expect(await listAt(place)).toEqual([name]);
    expect(localBackups()).toEqual(before);
    expect(await copies()).toMatch(/^ok .*left this machine 0 hours ago$/);
    await using fresh = openCommandLine();
    expect(await succeed(['restore', name, '--check', '--from', ...at(place)], '', fresh)).toContain('can be restored');
    const restored = JSON.parse(await succeed(['restore', 'latest', '--json', '--from', ...at(place)], '', fresh));
    expect(restored).toMatchObject({ restored: { ok: true, origin: 'passphrase' }, set_up: true });
    const path = (where: CommandLine) =>
      succeed(['url', 'base_url'], '', where).then((url) => new URL(url.trim()).pathname);
    expect(await path(fresh)).toBe(await path(line));
  });

  test.runIf(isThere)('retains the newest of this panel, and what is not its own', async () => {
    await using other = openCommandLine();
    await succeed(['setup', '--name', 'admin'], PASSWORD, other);
    const foreign = (await succeed(['backup', '--to', ...at(place)], '', other)).trim();
    const made: string[] = [];
    for (let count = 1; count <= 3; count += 1) {
      made.push((await succeed(['backup', '--keep', '2', '--to', ...at(place)])).trim());
    }
    expect([...(await listAt(place))].sort()).toEqual([...made.slice(1), foreign].sort());
  });

  test.runIf(isThere)('lists only what can be restored, whatever is killed', async () => {
    let seed = SEED;
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    /** Makes a backup; `onChange` gets the number of each change in the folders of the panel and of the place. */
    async function backUp(onChange: (count: number, kill: () => void) => void): Promise<string | null> {
      let changes = 0;
      const running = line.spawn(['backup', '--to', ...at(place)]);
      const count = () => {
        changes += 1;
        onChange(changes, running.kill);
      };
      const watchers = [place.folder, line.folder].map((folder) => watch(folder, { recursive: true }, count));
      const { code, stdout, stderr } = await running.finished;
      for (const watcher of watchers) watcher.close();
      expect(stderr).not.toContain('    at ');
      return code === 0 ? stdout.trim() : null;
    }
    let usual = 0;
    await backUp((count) => {
      usual = count;
    });
    const checked = new Set<string>();
    const acknowledged = new Set<string>();
    const kills = { panel: 0, server: 0 };
    for (let round = 1; kills.panel + kills.server < KILLS && round < 10 * KILLS; round += 1) {
      const victim = random(2) === 0 ? 'panel' : 'server';
      // A third of them is not killed.
      const wanted = 1 + random(Math.ceil(usual * 1.5));
      const name = await backUp((count, kill) => {
        if (count !== wanted) return;
        kills[victim] += 1;
        if (victim === 'panel') kill();
        else void place.kill();
      });
      if (name !== null) acknowledged.add(name);
      await place.kill();
      await place.start();
      for (const listed of await listAt(place)) {
        if (checked.has(listed)) continue;
        await succeed(['restore', listed, '--check', '--from', ...at(place)]);
        checked.add(listed);
      }
      for (const one of acknowledged) expect([round, checked.has(one)]).toEqual([round, true]);
    }
    console.log(
      `FUZZ_SEED=${SEED}: ${JSON.stringify(kills)} killed, ${checked.size} listed, ${acknowledged.size} acknowledged`,
    );
    expect(kills.panel + kills.server).toBe(KILLS);
    // Nothing of those that were killed is left after the next one.
    await succeed(['backup', '--to', ...at(place)]);
    expect(readdirSync(place.folder).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  test.runIf(isThere)('that is not public is refused unless that is allowed', async () => {
    const { code, stderr } = await line.run(['backup', '--to', place.url, '--secrets', place.secrets]);
    expect([code, stderr]).toEqual([3, expect.stringContaining('--allow-private')]);
  });

  test.runIf(isThere)('gets nothing in clear unless that is asked for', async () => {
    const bare = join(place.secrets, '../bare');
    writeFileSync(bare, readFileSync(place.secrets, 'utf8').replace(/BACKUP_PASSPHRASE.*\n/, ''), { mode: 0o600 });
    const refused = await line.run(['backup', '--to', place.url, '--allow-private', '--secrets', bare]);
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('--clear')]);
    const name = (await succeed(['backup', '--clear', '--to', place.url, '--allow-private', '--secrets', bare])).trim();
    expect(await listAt(place)).toEqual([name]);
  });
});

test.runIf(hasSshd)('a server of SFTP with another key is refused, which the refusal names', async () => {
  await using place = await openSftpServer(MORE);
  await place.start();
  const [target] = place.url.split('?');
  for (const url of [String(target), `${target}?host-key=SHA256:${'A'.repeat(43)}`]) {
    const { code, stderr } = await line.run(['backup', '--to', url, '--secrets', place.secrets, '--allow-private']);
    expect([code, stderr]).toEqual([3, expect.stringContaining(place.hostKey)]);
  }
  expect(readdirSync(place.folder)).toEqual([]);
});

test('a folder has it too, and a place that is not there, wrong keys and open secrets are refused in a sentence', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'gatehouse-folder-'));
  try {
    const folder = join(parent, 'disk');
    const missing = await line.run(['backup', '--to', folder, '--passphrase-stdin'], PASSPHRASE);
    expect([missing.code, missing.stderr]).toEqual([3, expect.stringContaining('place_not_found')]);
    mkdirSync(folder);
    const name = (await succeed(['backup', '--to', folder, '--passphrase-stdin'], PASSPHRASE)).trim();
    expect(readdirSync(folder)).toEqual([name]);
    expect(await succeed(['restore', join(folder, name), '--check'], PASSPHRASE)).toContain('can be restored');
    await using storage = await openStorage([]);
    await storage.start();
    const secrets = join(parent, 'secrets');
    writeFileSync(secrets, 'S3_ACCESS_KEY_ID=GKaccess\nS3_SECRET_ACCESS_KEY=wrong\n', { mode: 0o600 });
    const wrong = await line.run(['restore', '--from', storage.url, '--secrets', secrets, '--allow-private']);
    expect([wrong.code, wrong.stderr]).toEqual([3, expect.stringContaining('keys_refused')]);
    writeFileSync(join(parent, 'open'), 'S3_ACCESS_KEY_ID=a\n', { mode: 0o644 });
    const open = await line.run(['restore', '--from', storage.url, '--secrets', join(parent, 'open')]);
    expect([open.code, open.stderr]).toEqual([3, expect.stringContaining('chmod 600')]);
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
});
