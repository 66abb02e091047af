// Files as the panel takes them: in parts that fit into one request each.
import { IMPORT_PART_BYTES } from '../../../../../contract/imports/imports.ts';

export interface FilePart {
  readonly offset: number;
  /** In base64. */
  readonly data: string;
}

/** At least one part, so that an empty file is sent too. */
export async function* listParts(file: Blob): AsyncIterable<FilePart> {
  for (let offset = 0; offset === 0 || offset < file.size; offset += IMPORT_PART_BYTES) {
    const bytes = new Uint8Array(await file.slice(offset, offset + IMPORT_PART_BYTES).arrayBuffer());
    yield { offset, data: encodeBase64(bytes) };
  }
}

/** Arguments of one call are limited. */
const STEP = 0x8000;

function encodeBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += STEP) text += String.fromCharCode(...bytes.subarray(at, at + STEP));
  return btoa(text);
}

/** A name that the panel takes: journals are found by it, so that it changes as little as possible. */
export function toFileName(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9._-]+/g, '_').replace(/^[^A-Za-z0-9]+/, '');
  return plain.slice(-100).replace(/^[^A-Za-z0-9]+/, '') || 'file';
}
