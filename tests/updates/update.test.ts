// `panel update` as it is run: real versions under the real launcher, and releases of a server of the test's own.
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeKeyPair, readSecretKey } from '../../scripts/minisign.ts';
import { isFull } from '../support/long.ts';
import { type Installed, killGroup, openInstalled, PATIENT } from './installed.ts';

/** No table: the code of this version would have no restore class for it. */
const MIGRATION = 'CREATE INDEX more ON tariffs (created_at);';
/** Serves for a while, long enough to migrate, and ends badly. */
const ENDS = "if (command === 'serve') process.exit(1); await run();";
const MIGRATES_AND_ENDS = `if (command !== 'serve') await run();
else {
  const { spawnSync } = await import('node:child_process');
  const data = process.env.GATEHOUSE_DATA + '/panel.db';
  const tried = spawnSync(process.execPath, [process.argv[1], 'try-database', data], { stdio: 'inherit' });
  process.exit(tried.status === 0 ? 9 : 8);
}`;
const NEVER_ANSWERS = "if (command === 'serve') setInterval(() => {}, 1000); else await run();";

let here: Installed;
beforeEach(async () => {
  here = await openInstalled();
});
afterEach(() => here[Symbol.asyncDispose]());

describe('a good release', () => {
  it('is found, installed and run; the data and the former version stay', async () => {
    here.server.publish({ version: '1.1.0', migration: MIGRATION });
    await here.serve();
    here.addPlan('before');
    const checked = await here.run(['update', '--check']);
    expect(checked).toMatchObject({ code: 0, out: expect.stringContaining('What is new in 1.1.0.') });
    const updated = await here.run(['update']);
    expect(updated.out).toContain('Version 1.1.0 runs.');
    expect(updated.code).toBe(0);
    expect([await here.running(), here.current(), here.plans()]).toEqual(['1.1.0', '1.1.0', ['before']]);
    expect(here.lastUpdate()).toMatchObject({ from: '1.0.0', to: '1.1.0', result: 'updated', reason: null });
    expect(here.audited()).toMatchObject([{ outcome: 'done', from: '1.0.0', to: '1.1.0' }]);
    expect(readdirSync(join(here.server.root, 'versions')).sort()).toEqual(['1.0.0', '1.1.0']);
    expect(existsSync(/The backup from before is (.+)\./.exec(updated.out)?.[1] ?? '')).toBe(true);
    expect((await here.run(['update'])).out).toContain('Version 1.1.0 is the newest.');
  });

  it('is installed from a file without a network, also where no panel runs', async () => {
    const archive = here.server.publish({ version: '1.1.0' });
    const moved = `${archive}.copy`;
    renameSync(archive, moved);
    renameSync(`${archive}.minisig`, `${moved}.minisig`);
    const updated = await here.run(['update', '--file', moved]);
    expect(updated).toMatchObject({ code: 0, out: expect.stringMatching(/the next `\S+\/panel serve` starts it/) });
    expect(here.current()).toBe('1.1.0 1.0.0 60');
    expect((await here.run(['update'])).out).toContain('is on trial');
    await here.serve();
    await expect.poll(here.current, PATIENT).toBe('1.1.0');
    expect(await here.running()).toBe('1.1.0');
    expect(here.server.asked).toEqual([]);
  });
});

describe('nothing is changed by', () => {
  const other = readSecretKey(makeKeyPair().secretKey);
  const flip = (archive: Buffer) => {
    const changed = Buffer.from(archive);
    const middle = changed.length >> 1;
    changed[middle] = (changed[middle] ?? 0) ^ 1;
    return changed;
  };

  it('a release that is badly signed, older, too short, too long, without end, of another system, or not what it says', async () => {
    const refused = async (what: string, sentence: RegExp) => {
      const { code, out } = await here.run(['update']);
      expect(out, what).toMatch(sentence);
      expect(code, what).toBe(3);
      expect(here.current(), what).toBe('1.0.0');
      expect(readdirSync(join(here.server.root, 'versions')), what).toEqual(['1.0.0']);
    };
    await here.serve();
    const { publish } = here.server;
    const version = '1.1.0';
    publish({ version, key: other });
    await refused('another key', /signature is missing or wrong/);
    publish({ version, tamper: flip });
    await refused('a changed archive', /signature is missing or wrong/);
    publish({ version, comment: 'gatehouse file=gatehouse-1.1.0-linux-x64.tar.gz version=1.1.1' });
    await refused('the signature of another version', /of another file or version/);
    publish({ version, comment: 'gatehouse file=gatehouse-1.1.0-plan9-mips.tar.gz version=1.1.0' });
    await refused('the signature of another file', /is not for/);
    publish({ version, platform: 'plan9-mips' });
    await refused('another system', /has no archive for/);
    publish({ version }, (reply, archive) => reply.end(archive.subarray(0, archive.length >> 1)));
    await refused('half of it', /broke off/);
    publish({ version }, (reply, archive) => {
      reply.writeHead(200, { 'content-length': archive.length });
      reply.write(archive.subarray(0, 1000), () => reply.destroy());
    });
    await refused('a connection that breaks', /broke off/);
    publish({ version }, (reply, archive) => reply.end(Buffer.concat([archive, archive])));
    await refused('more than was said', /more than it may/);
    publish({ version }, (reply, archive) => {
      const more = () => {
        if (reply.destroyed) return;
        reply.write(archive);
        setImmediate(more);
      };
      more();
    });
    await refused('a body without end', /more than it may/);
    publish({ version, saysVersion: '1.0.5' });
    await refused('another version inside', /of another file or version/);
    publish({ version, main: 'process.exit(3);' });
    await refused('what does not run', /cannot run here/);
    publish({ version, migration: 'CREATE TABLE users (x) STRICT;' });
    await refused('a migration that fails', /cannot run here.*table users already exists/);
    publish({ version, expiresAt: '2026-02-01T00:00:00.000Z' });
    await refused('an old description', /has expired/);
    expect(await here.running()).toBe('1.0.0');
  });

  it('an older release, by the server or a file, and one that was signed before one that is known', async () => {
    const { publish, root } = here.server;
    await here.serve();
    const old = publish({ version: '0.9.0' });
    expect((await here.run(['update'])).out).toContain('Version 1.0.0 is the newest.');
    expect((await here.run(['update', '--file', old])).out).toContain('is not newer than 1.0.0');
    publish({ version: '1.2.0', signedAt: '2026-03-01T00:00:00.000Z' });
    expect((await here.run(['update', '--check'])).code).toBe(0);
    publish({ version: '1.1.0', signedAt: '2026-02-01T00:00:00.000Z' });
    const held = await here.run(['update']);
    expect(held).toMatchObject({ code: 3, out: expect.stringContaining('older than one that was seen before') });
    expect(readFileSync(join(root, 'current'), 'utf8')).toBe('1.0.0\n');
  });
});

describe('a version that does not come up', () => {
  it.each([
    ['ends while it starts', { main: ENDS }, 'ended', false],
    ['migrates the data and ends', { main: MIGRATES_AND_ENDS, migration: MIGRATION }, 'ended', true],
    ['never answers', { main: NEVER_ANSWERS }, 'silent', false],
  ])('is replaced by the former one: it %s', async (_, build, reason, restored) => {
    here.server.publish({ version: '1.1.0', ...build });
    await here.serve();
    here.addPlan('before');
    const updated = await here.run(['update', '--wait', '5']);
    expect(updated).toMatchObject({ code: 1, out: expect.stringContaining('version 1.0.0 runs again') });
    expect([await here.running(), here.current(), here.plans()]).toEqual(['1.0.0', '1.0.0', ['before']]);
    await expect.poll(here.lastUpdate, PATIENT).toMatchObject({
      from: '1.1.0',
      to: '1.0.0',
      result: 'rolled_back',
      reason,
      restored,
    });
    expect(here.audited()).toMatchObject([{ outcome: 'refused', reason }]);
    expect(readFileSync(join(here.data, 'logs/panel.log'), 'utf8')).toContain('update rolled back');
  });
});

/** In the short form those at which versions or data are exchanged. */
const STEPS = isFull
  ? ['Checking', 'Unpacking', 'Trying', 'Making a backup', 'Switching', 'Waiting']
  : ['Unpacking', 'Making a backup', 'Switching', 'Waiting'];

describe('a kill', () => {
  it.each(STEPS)(
    'of the command after “%s” leaves a version that works, and the next update goes through',
    async (step) => {
      here.server.publish({ version: '1.1.0', migration: MIGRATION });
      await here.serve();
      here.addPlan('before');
      const command = here.start(['update']);
      let said = '';
      command.stderr?.on('data', (chunk: Buffer) => {
        said += chunk;
        if (said.includes(step)) killGroup(command);
      });
      await once(command, 'close');
      expect(said).toContain(step);
      await expect.poll(async () => /^1\.[01]\.0$/.test((await here.running()) ?? ''), PATIENT).toBe(true);
      expect(here.plans()).toEqual(['before']);
      // Where it was killed after the switch, the new version runs or is started next.
      if (here.current().includes(' '))
        await expect.poll(async () => (await restarted(here)).includes(' '), PATIENT).toBe(false);
      const again = await here.run(['update']);
      expect(again.out).toMatch(/Version 1\.1\.0 (runs|is the newest)\./);
      expect([await here.running(), here.plans()]).toEqual(['1.1.0', ['before']]);
    },
  );

  it('of everything during the trial costs no data and no version', async () => {
    here.server.publish({ version: '1.1.0', migration: MIGRATION });
    const serving = await here.serve();
    here.addPlan('before');
    const command = here.start(['update']);
    command.stderr?.on('data', (chunk: Buffer) => {
      if (chunk.includes('Waiting')) killGroup(serving);
    });
    await once(serving, 'exit');
    killGroup(command);
    await here.serve();
    await expect.poll(here.current, PATIENT).toMatch(/^1\.[01]\.0$/);
    await expect.poll(here.running, PATIENT).toBe(here.current());
    expect(here.plans()).toEqual(['before']);
  });
});

/** Stops the panel and starts it again; what `current` says then. */
async function restarted(installed: Installed): Promise<string> {
  if (!installed.current().includes(' ')) return installed.current();
  await installed.stop();
  await installed.serve();
  return installed.current();
}

describe('the way back', () => {
  it('is one command, and says what it costs where the data are of the new version', async () => {
    here.server.publish({ version: '1.1.0', migration: MIGRATION });
    await here.serve();
    here.addPlan('before');
    await here.run(['update']);
    here.addPlan('after');
    const refused = await here.run(['update', '--rollback']);
    expect(refused).toMatchObject({ code: 3, out: expect.stringContaining('--restore-data') });
    const returned = await here.run(['update', '--rollback', '--restore-data']);
    expect(returned).toMatchObject({ code: 0, out: expect.stringContaining('Version 1.0.0 runs.') });
    expect([await here.running(), here.plans()]).toEqual(['1.0.0', ['before']]);
    await expect.poll(here.lastUpdate, PATIENT).toMatchObject({ result: 'returned', reason: 'asked', restored: true });
    expect(readdirSync(join(here.data, 'backups')).some((name) => name.startsWith('set-aside-'))).toBe(true);
    expect((await here.run(['update', '--rollback'])).out).toContain('no former version');
  });
});

it('is refused in words where the panel that runs is another', async () => {
  const archive = here.server.publish({ version: '1.1.0' });
  await here.serve();
  rmSync(join(here.server.root, 'current'));
  const refused = await here.run(['update', '--file', archive]);
  expect(refused.code).not.toBe(0);
  expect(existsSync(join(here.server.root, 'versions/1.1.0'))).toBe(false);
});
