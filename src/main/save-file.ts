// Saves what the pages made (OpenAPI, CSV, codes) where the person says, by the system's dialog.
import { rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Dialog } from 'electron';

export interface SaveParts {
  readonly dialog: Pick<Dialog, 'showSaveDialog'>;
  /** The folder that is offered first. */
  readonly folder: string;
}

/** False: the person thought better of it. Rejects where it cannot be written; a file that was there is then as before. */
export async function saveFile({ dialog, folder }: SaveParts, name: unknown, content: unknown): Promise<boolean> {
  const isContent = typeof content === 'string' || content instanceof Uint8Array;
  if (typeof name !== 'string' || !isContent) throw new TypeError('not a file');
  const { canceled, filePath } = await dialog.showSaveDialog({ defaultPath: join(folder, safeName(name)) });
  if (canceled || !filePath) return false;
  const partial = `${filePath}.${process.pid}.part`;
  try {
    // What is saved may hold links or codes: it is its owner's alone.
    await writeFile(partial, content, { mode: 0o600 });
    await rename(partial, filePath);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
  return true;
}

/** A file's name and nothing of a path, on any system. */
export function safeName(name: string): string {
  const plain = basename(name.replaceAll('\\', '/')).replace(/[^\w.() -]/g, '_');
  return plain.replace(/^\.+/, '') || 'gatehouse';
}
