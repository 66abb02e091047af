// Backups at places outside of this machine: stored there by `panel backup --to`, listed and brought back by `panel restore --from`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPlace } from '../adapters/places/open-place.ts';
import { listSurplus } from '../adapters/places/place-name.ts';
import { refusal } from '../adapters/refusal.ts';
import { PanelError } from '../core/kernel/panel-error.ts';
import type { BackupPlace, PlacedFile } from '../core/ports/backup-places.ts';
import { type PlaceSecrets, parsePlace, parseSecrets, readSecretsFile } from '../panel/backup/place-url.ts';
import { formatTable, notify, print, printJson, readStdinText } from './terminal.ts';

/** The name that stands for the newest backup of a place. */
export const LATEST = 'latest';

export type PlaceOptions = {
  readonly secrets?: string;
  readonly allowPrivate?: boolean;
};

/** `-`: stdin, as it is. */
export async function readSecrets({ secrets }: PlaceOptions): Promise<PlaceSecrets> {
  if (secrets === undefined) return {};
  return secrets === '-' ? parseSecrets(await readStdinText()) : readSecretsFile(secrets);
}

/** Does some work at a place; its failures are sentences. */
export async function workAtPlace<T>(
  url: string,
  secrets: PlaceSecrets,
  { allowPrivate = false }: PlaceOptions,
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

/** Stores a backup under a name and, where a number is given, deletes this panel's own beyond the newest ones. */
export async function storeAt(
  place: BackupPlace,
  backup: { readonly path: string; readonly name: string; readonly instanceId: string },
  keep: number | null,
): Promise<readonly string[]> {
  await place.upload(backup.name, backup.path);
  const names = (await place.list()).map(({ name }) => name);
  if (!names.includes(backup.name)) throw refusal('refused', `The place does not list ${backup.name}.`);
  const surplus = keep === null ? [] : listSurplus(names, backup.instanceId, keep);
  for (const name of surplus) await place.remove(name);
  return surplus;
}

export function printPlaced(found: readonly PlacedFile[], json = false): void {
  const rows = found.map(({ name, sizeBytes, storedAt }) => ({
    name,
    size_bytes: sizeBytes,
    stored_at: new Date(storedAt).toISOString(),
  }));
  if (json) {
    printJson({ items: rows });
    return;
  }
  if (rows.length === 0) {
    notify('No backup is there.');
    return;
  }
  print(
    formatTable(
      ['NAME', 'BYTES', 'STORED'],
      rows.map((row) => [row.name, String(row.size_bytes), row.stored_at]),
    ),
  );
  notify(`\nRestore one with its name, or \`${LATEST}\`, before --from.`);
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
