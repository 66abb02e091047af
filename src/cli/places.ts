// Reads the secrets of backup places for commands, and prints the list of a place's backups.
import type { PlacedFile } from '../core/ports/backup-places.ts';
import { type PlaceSecrets, parseSecrets, readSecretsFile } from '../panel/backup/place-url.ts';
import { LATEST } from '../panel/backup/places.ts';
import { formatTable, notify, print, printJson, readStdinText } from './terminal.ts';

export type PlaceOptions = {
  readonly secrets?: string;
  readonly allowPrivate?: boolean;
};

/** `-`: stdin, unchanged. */
export async function readSecrets({ secrets }: PlaceOptions): Promise<PlaceSecrets> {
  if (secrets === undefined) return {};
  return secrets === '-' ? parseSecrets(await readStdinText()) : readSecretsFile(secrets);
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
