// Backups at remote places: `panel backup --to` stores them, `panel restore --from` lists and downloads them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPlace } from '../../adapters/places/open-place.ts';
import { refusal } from '../../adapters/refusal.ts';
import { pruneAt, storeFile } from '../../core/backups/place-runs.ts';
import { PanelError } from '../../core/kernel/panel-error.ts';
import type { BackupPlace, PlacedFile } from '../../core/ports/backup-places.ts';
import { isTestName } from '../../domain/backup-places.ts';
import type { CommandArgs, CommandResult } from '../local-commands.ts';
import { runCommand } from '../run-command.ts';
import { type PlaceSecrets, parsePlace } from './place-url.ts';

/** Stands for the newest backup of a place. */
export const LATEST = 'latest';

/** Runs work at a place; turns its failures into sentences. */
export async function workAtPlace<T>(
  url: string,
  secrets: PlaceSecrets,
  { allowPrivate = false }: { readonly allowPrivate?: boolean },
  work: (place: BackupPlace) => Promise<T>,
): Promise<T> {
  const place = await openPlace(parsePlace(url, secrets, allowPrivate));
  return describeFailures(work(place), describeUrlFailure).finally(() => place.close());
}

/** Runs a command at the panel's place of this name, with its credentials; by the panel if it runs. */
export function runAtPlace<Name extends 'place-backup' | 'place-list' | 'place-fetch'>(
  data: string | undefined,
  command: Name,
  args: CommandArgs<Name>,
  keyFile: string | null,
): Promise<CommandResult<Name>> {
  return describeFailures(runCommand(data, command, args, { keyFile }), (code, message) =>
    refusal('refused', `The place ${args.place} did not do it (${code}: ${message}).`),
  ).catch((error: unknown) => {
    if (!(error instanceof PanelError)) throw error;
    if (error.code === 'not_found')
      throw refusal(
        'refused',
        `The panel has no place named ${args.place}. Its places are under Settings, Backups; others are named by URL.`,
      );
    if (error.code === 'rate_limited') throw refusal('refused', 'A backup is on its way there already.');
    throw error;
  });
}

/** Turns failures of places into sentences. */
async function describeFailures<T>(work: Promise<T>, describe: (code: string, message: string) => Error): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const first = error instanceof PanelError && error.code === 'place_failed' ? error.errors?.[0] : undefined;
    throw first === undefined ? error : describe(first.code, first.message);
  }
}

function describeUrlFailure(reason: string, message: string): Error {
  if (reason === 'host_key') {
    return refusal(
      'refused',
      `The server shows the key ${message}. Compare it with \`ssh-keygen -lf\` on the server, then add host-key=${encodeURIComponent(message)} to the URL.`,
    );
  }
  if (reason === 'address_refused') {
    return refusal('refused', `${message} is no public address, or without TLS. Add --allow-private if that is meant.`);
  }
  return refusal('refused', `The place did not do it (${reason}: ${message}).`);
}

/** Stores a backup under a new name, and deletes this panel's backups there beyond the newest `keep`; null: deletes none. */
export async function storeAt(
  place: BackupPlace,
  { path, created_at, instance_id }: Pick<CommandResult<'backup'>, 'path' | 'created_at' | 'instance_id'>,
  keep: number | null,
): Promise<{ readonly name: string; readonly removed: readonly string[] }> {
  const name = await storeFile(place, { path, createdAt: Date.parse(created_at), instanceId: instance_id });
  return { name, removed: keep === null ? [] : await pruneAt(place, instance_id, keep) };
}

/** The backups of a place, without the files of a connection test. */
export async function listBackups(place: Pick<BackupPlace, 'list'>): Promise<readonly PlacedFile[]> {
  return (await place.list()).filter(({ name }) => !isTestName(name));
}

/** Downloads a backup into a temporary folder that only this account can read. */
export async function fetchFrom(
  place: Pick<BackupPlace, 'list' | 'download'>,
  wanted: string,
): Promise<Disposable & { readonly path: string }> {
  const found = await listBackups(place);
  const name = wanted === LATEST ? found[0]?.name : found.find((file) => file.name === wanted)?.name;
  if (name === undefined) throw refusal('refused', 'There is no such backup: without a name they are listed.');
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-fetched-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    await place.download(name, join(folder, name));
  } catch (error) {
    remove();
    throw error;
  }
  return { path: join(folder, name), [Symbol.dispose]: remove };
}
