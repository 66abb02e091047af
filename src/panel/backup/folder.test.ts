// The folder of backups takes in what has the beginning of a backup, as long as uploads do not fill the disk.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
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
