// Backups that come from outside, leave, or are broken off: what is taken in, what is left behind.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/adapters/clock.ts';
import { fillWithUsers, listLinks, type Machine, PASSPHRASE, PASSWORD, startMachine } from './machine.ts';

const CALL = {
  actor: { kind: 'administrator', id: 1, name: 'admin', access: 'full' },
  requestId: 'test',
  address: '192.0.2.7',
} as const;

/** The call of a session in which the password was just given. */
async function provenCall({ core, act, signIn }: Machine) {
  const actor = core.authenticateSession(await signIn());
  if (!actor) throw new Error('no session');
  await act('prove', { password: PASSWORD }, actor.sessionId);
  return { ...CALL, actor };
}

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

test('a file that was taken from one machine and brought to another restores there', async () => {
  await using old = await startMachine();
  const links = await fillWithUsers(old, 5);
  const { name, size_bytes } = await old.act('createBackup', { passphrase: PASSPHRASE });
  const taken = await old.core.backupFiles.open(name, await provenCall(old));
  const bytes = await buffer(taken.chunks);
  expect([taken.sizeBytes, bytes.length]).toEqual([size_bytes, size_bytes]);

  await using other = await startMachine();
  const brought = await other.core.backupFiles.receive(inPieces(bytes, 1000), CALL);
  expect(brought).toMatchObject({ kind: 'uploaded', encrypted: true, size_bytes });
  expect(brought.name).toMatch(/^gatehouse-uploaded-[\dTZ-]+\.gatehouse-backup$/);
  await other.act('restoreBackup', { name: brought.name, password: PASSWORD, passphrase: PASSPHRASE });
  expect(await listLinks(other)).toEqual(links);

  const actions = async (machine: typeof old) => (await machine.act('listAudit', {})).items.map(({ action }) => action);
  expect(await actions(old)).toContain('downloadBackup');
  expect(await actions(other)).toContain('uploadBackup');
});

test('what is no backup, or breaks off on its way, is not kept', async () => {
  await using machine = await startMachine();
  const { receive } = machine.core.backupFiles;
  await expect(receive(inPieces(Buffer.from('not a backup at all'), 4), CALL)).rejects.toThrow('backup_refused');
  await expect(receive(inPieces(readFileSync(machine.database), 4096), CALL)).rejects.toThrow('backup_refused');
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('GATEHOUSE BACKUP');
    throw new Error('the other side went away');
  }
  await expect(receive(broken(), CALL)).rejects.toThrow('the other side went away');
  expect(readdirSync(machine.backups.folder)).toEqual([]);
  await expect(machine.core.backupFiles.open('none.gatehouse-backup', await provenCall(machine))).rejects.toThrow(
    'not_found',
  );
});

test('many at once come one after the other, each under a name of its own', async () => {
  await using machine = await startMachine();
  const made = await Promise.all(Array.from({ length: 5 }, () => machine.act('createBackup', {})));
  expect(new Set(made.map(({ name }) => name)).size).toBe(5);
  expect(readdirSync(machine.backups.folder)).toHaveLength(5);
});

test('checks ask for no password, so further ones than a running and a waiting one are refused', async () => {
  await using machine = await startMachine();
  const { name } = await machine.act('createBackup', {});
  const checks = Array.from({ length: 50 }, () => machine.act('checkBackup', { name }));
  // What is made meanwhile waits for two checks at most.
  const made = machine.act('createBackup', {});
  const outcomes = await Promise.allSettled(checks);
  const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  expect(refused).toHaveLength(48);
  for (const error of refused) expect(error).toMatchObject({ code: 'rate_limited', retryAfter: 5 });
  expect((await made).kind).toBe('manual');
  expect((await machine.act('checkBackup', { name })).ok).toBe(true);
  await expect(machine.act('checkBackup', { name: 'none.gatehouse-backup' })).rejects.toThrow('not_found');
  await expect(machine.act('checkBackup', { name: 'none.gatehouse-backup' })).rejects.toThrow('not_found');
  expect((await machine.act('checkBackup', { name })).ok).toBe(true);
});

test('a panel that stops breaks a backup and a restore off, and nothing of them is left', async () => {
  await using machine = await startMachine();
  const links = await fillWithUsers(machine, 5);
  const { name } = await machine.act('createBackup', {});
  await machine.act('createUser', { name: 'since', tariff_id: 1 });
  const breaking = [
    machine.act('restoreBackup', { name, password: PASSWORD }),
    machine.act('createBackup', {}),
    machine.act('checkBackup', { name }),
  ].map((work) => work.catch((error: Error) => error.message));
  // The first has a thread once its password was judged.
  while (!existsSync(`${machine.folder}/workshop`)) await new Promise((resolve) => setImmediate(resolve));
  await machine.core.stop();
  expect(await Promise.all(breaking)).toEqual(['unavailable', 'unavailable', 'unavailable']);
  expect(readdirSync(machine.backups.folder)).toEqual([name]);
  expect(existsSync(`${machine.folder}/workshop`)).toBe(false);
  expect(machine.store.users.count({}, systemClock.now())).toBe(links.size + 1);
});
