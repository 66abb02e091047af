// Backups at places outside of this machine: stored there by `panel backup --to`, listed and brought back by `panel restore --from`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPlace } from '../../adapters/places/open-place.ts';
import { buildPlacedName, listSurplus } from '../../adapters/places/place-name.ts';
import { refusal } from '../../adapters/refusal.ts';
import { PanelError } from '../../core/kernel/panel-error.ts';
import type { BackupPlace } from '../../core/ports/backup-places.ts';
import type { CommandResult } from '../local-commands.ts';
import { type PlaceSecrets, parsePlace } from './place-url.ts';

/** The name that stands for the newest backup of a place. */
export const LATEST = 'latest';

/** Does some work at a place; its failures are sentences. */
export async function workAtPlace<T>(
  url: string,
  secrets: PlaceSecrets,
  { allowPrivate = false }: { readonly allowPrivate?: boolean },
  work: (place: BackupPlace) => Promise<T>,
): Promise<T> {
  const place = await openPlace(parsePlace(url, secrets, allowPrivate));
  try {
    return await work(place);
  } catch (error) {
    throw error instanceof PanelError ? (describeFailure(error) ?? error) : error;
  } finally {
    place.close();
  }
}

function describeFailure({ code, errors }: PanelError): Error | null {
  const [first] = errors ?? [];
  if (code !== 'place_failed' || first === undefined) return null;
  const { code: reason, message } = first;
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

/** Stores a backup under a name of this panel's own, and deletes its others beyond the newest `keep`; null: none. */
export async function storeAt(
  place: BackupPlace,
  { path, created_at, instance_id }: Pick<CommandResult<'backup'>, 'path' | 'created_at' | 'instance_id'>,
  keep: number | null,
): Promise<{ readonly name: string; readonly removed: readonly string[] }> {
  const name = buildPlacedName(instance_id, Date.parse(created_at));
  await place.upload(name, path);
  const names = (await place.list()).map((file) => file.name);
  if (!names.includes(name)) throw refusal('refused', `The place does not list ${name}.`);
  const removed = keep === null ? [] : listSurplus(names, instance_id, keep);
  for (const surplus of removed) await place.remove(surplus);
  return { name, removed };
}

/** Downloads a backup into a temporary folder of its owner's alone. */
export async function fetchFrom(place: BackupPlace, wanted: string): Promise<Disposable & { readonly path: string }> {
  const found = await place.list();
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
