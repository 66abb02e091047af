// The folder of backups accepts uploads with a backup's header, as long as they do not fill the disk.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeBackupFile } from '../../adapters/backup-file.ts';
import { openBackupFolder } from './folder.ts';

test('uploads are refused that would take more of the disk than all of them may, and nothing of them stays', async () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'gatehouse-uploads-')), 'backups');
  const backups = openBackupFolder(folder, 3000);
  async function* endless() {
    for (;;) yield Buffer.alloc(1000);
  }
  const refusal = { code: 'backup_refused', errors: [{ code: 'too_large' }] };
  await expect(backups.receive(endless(), 0)).rejects.toMatchObject(refusal);
  const all = await Promise.allSettled([backups.receive(endless(), 0), backups.receive(endless(), 60_000)]);
  for (const each of all) expect(each).toMatchObject({ status: 'rejected', reason: refusal });
  expect(readdirSync(folder)).toEqual([]);
  rmSync(join(folder, '..'), { recursive: true, force: true });
});

test('a hundred uploads are taken, however small they are, and another one when one of them has gone', async () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'gatehouse-uploads-')), 'backups');
  const backups = openBackupFolder(folder);
  const path = join(folder, '..', 'small');
  writeBackupFile({ path, header: {}, manifest: {}, database: '/dev/null', key: null });
  const bytes = readFileSync(path);
  async function* small() {
    yield bytes;
  }
  const receive = () => backups.receive(small(), 0);
  for (let count = 0; count < 96; count += 1) await receive();
  // Uploads of the same second too.
  await Promise.all([receive(), receive(), receive()]);
  const last = await Promise.allSettled([receive(), receive(), receive()]);
  expect(last.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(1);
  while (backups.list().length < 100) await receive();
  await expect(receive()).rejects.toMatchObject({ code: 'backup_refused', errors: [{ code: 'too_large' }] });
  expect(readdirSync(folder)).toHaveLength(100);
  backups.remove(backups.list()[0]?.name ?? '');
  await receive();
  rmSync(join(folder, '..'), { recursive: true, force: true });
});
