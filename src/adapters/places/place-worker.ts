// The thread of one backup place: waits for the disk or server, hashes and encrypts whole files.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BackupPlace, PlaceAccess } from '../../core/ports/backup-places.ts';
import { serveTasks } from '../worker-thread.ts';
import { attemptAtPlace, createPlaceFailure } from './failure.ts';
import { openPlace } from './open-place.ts';

const TEST_TEXT = 'A test of this place of backups by Gatehouse. The file can be deleted.\n';

async function work<T>(access: PlaceAccess, task: (place: BackupPlace) => Promise<T>): Promise<T> {
  const place = await openPlace(access);
  try {
    return await task(place);
  } finally {
    place.close();
  }
}

async function test(place: BackupPlace, name: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-'));
  try {
    const [sent, received] = [join(folder, 'sent'), join(folder, 'received')];
    writeFileSync(sent, TEST_TEXT, { mode: 0o600 });
    await place.upload(name, sent);
    const isListed = (await place.list()).some((file) => file.name === name);
    if (!isListed) throw createPlaceFailure('place_mismatch', 'the file is not in the list');
    await place.download(name, received);
    const text = await attemptAtPlace(async () => readFileSync(received, 'utf8'));
    if (text !== TEST_TEXT) throw createPlaceFailure('place_mismatch', 'the file came back changed');
    await place.remove(name);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface FileInput {
  readonly access: PlaceAccess;
  readonly name: string;
}
interface MoveInput extends FileInput {
  /** Path on this machine. */
  readonly path: string;
}

const tasks = {
  list: (access: PlaceAccess) => work(access, (place) => place.list()),
  upload: ({ access, name, path }: MoveInput) => work(access, (place) => place.upload(name, path)),
  download: ({ access, name, path }: MoveInput) => work(access, (place) => place.download(name, path)),
  remove: ({ access, name }: FileInput) => work(access, (place) => place.remove(name)),
  test: ({ access, name }: FileInput) => work(access, (place) => test(place, name)),
};

export type PlaceTasks = typeof tasks;

serveTasks(tasks);
