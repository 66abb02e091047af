// The format of a backup file: a header, a manifest, and the database, compressed and sealed chunk by chunk.
//
//   "GATEHOUSE BACKUP"                          16 bytes
//   length of the header                        4 bytes, little endian, at most 64 KiB
//   header                                      JSON, not encrypted: version of the format, who made it and when
//   SHA-256 of all before it                    32 bytes
//   chunks, until the one marked last           4 bytes, little endian: the length, the highest bit set in the last one;
//                                               the sealed bytes; a tag of 16 bytes (chunk-seal.ts)
//
// The first chunk is the manifest, JSON; each further one is a piece of the database, deflated. Without a passphrase the tags
// are digests; with one every chunk is encrypted under the file's own key, which is in the header, sealed by the passphrase.

import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { parseForeignJson } from '../domain/foreign-json.ts';
import { checking, encrypting, TAG_BYTES } from './chunk-seal.ts';

/** What can be wrong with a file. `newer`: its format is newer than this version. */
export type FileProblem = 'not_a_backup' | 'truncated' | 'damaged' | 'newer';

type Unreadable = Error & { readonly problem: FileProblem };

/** Thrown inside this module only; callers get the problem as a value. */
function toUnreadable(problem: FileProblem): Unreadable {
  return Object.assign(new Error(problem), { problem });
}

function isUnreadable(error: unknown): error is Unreadable {
  return error instanceof Error && 'problem' in error;
}

const MAGIC = Buffer.from('GATEHOUSE BACKUP', 'latin1');
const FORM = 1;
const DIGEST_BYTES = 32;
const MAX_HEADER = 65_536;
const MAX_MANIFEST = 16_777_216;
/** The header is parsed where requests are answered, the rest on a thread of its own. */
const BOUNDS = { bytes: MAX_MANIFEST, values: 200_000, depth: 32 };
const PIECE = 1_048_576;
/** Deflate makes nothing longer than this (RFC 1951: stored blocks). */
const MAX_CHUNK = Math.max(MAX_MANIFEST, PIECE + PIECE / 256);
const LAST = 0x8000_0000;
/** A higher level takes more time than it saves space. */
const LEVEL = 3;

export interface NewBackupFile {
  /** Path of a file that does not exist yet; created with mode 0600. */
  readonly path: string;
  /** Members of the header, which is not encrypted. */
  readonly header: Readonly<Record<string, unknown>>;
  /** Sealed with the database. */
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly database: string;
  /** 32 random bytes, used for no other file; null: no encryption. */
  readonly key: Uint8Array | null;
}

/** Writes and syncs a backup file. Throws the file system's error. */
export function writeBackupFile({ path, header, manifest, database, key }: NewBackupFile): void {
  const text = Buffer.from(JSON.stringify({ form: FORM, ...header }));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  const beginning = Buffer.concat([MAGIC, length, text]);
  const digest = createHash('sha256').update(beginning).digest();
  const seal = key === null ? checking(digest) : encrypting(key, digest);
  const output = openSync(path, 'wx', 0o600);
  const input = openSync(database, 'r');
  try {
    let index = 0;
    const writeBlock = (plain: Uint8Array, isLast: boolean) => {
      const size = Buffer.alloc(4);
      size.writeUInt32LE(plain.length + (isLast ? LAST : 0));
      writeAll(output, Buffer.concat([size, seal.seal(plain, index, isLast)]));
      index += 1;
    };
    writeAll(output, Buffer.concat([beginning, digest]));
    writeBlock(Buffer.from(JSON.stringify(manifest)), false);
    const { size } = fstatSync(input);
    for (let at = 0; at < size; at += PIECE) {
      const piece = readAt(input, at, Math.min(PIECE, size - at));
      writeBlock(deflateRawSync(piece, { level: LEVEL }), at + PIECE >= size);
    }
    fsyncSync(output);
  } finally {
    closeSync(input);
    closeSync(output);
  }
}

/** The header of a backup file, not validated. */
export function readBackupHeader(path: string): { readonly header: unknown } | { readonly problem: FileProblem } {
  return reading(path, (file) => ({ header: readBeginning(file).header }));
}

export interface Unpacked {
  readonly header: unknown;
  readonly manifest: unknown;
}

/**
 * Writes the database of a backup file to `target`, a new file (0600). `key`: the file's own key, null for an unencrypted file. `maxBytes`:
 * the size that the header states; a larger database is damaged.
 */
export function unpackBackupFile(
  path: string,
  target: string,
  key: Uint8Array | null,
  maxBytes: number,
): Unpacked | { readonly problem: FileProblem } {
  return reading(path, (file) => {
    const { header, digest } = readBeginning(file);
    const seal = key === null ? checking(digest) : encrypting(key, digest);
    const output = openSync(target, 'wx', 0o600);
    try {
      const next = (index: number) => {
        const size = file.readExactly(4).readUInt32LE();
        const isLast = size >= LAST;
        const length = isLast ? size - LAST : size;
        if (length > MAX_CHUNK) throw toUnreadable('damaged');
        const plain = seal.open(file.readExactly(length + TAG_BYTES), index, isLast);
        if (plain === null) throw toUnreadable('damaged');
        return { plain, isLast };
      };
      const first = next(0);
      if (first.isLast || first.plain.length > MAX_MANIFEST) throw toUnreadable('damaged');
      let written = 0;
      for (let index = 1, isLast = false; !isLast; index += 1) {
        const chunk = next(index);
        const piece = inflate(chunk.plain);
        written += piece.length;
        if (written > maxBytes) throw toUnreadable('damaged');
        writeAll(output, piece);
        isLast = chunk.isLast;
      }
      if (!file.isAtEnd()) throw toUnreadable('damaged');
      return { header, manifest: parse(first.plain) };
    } finally {
      closeSync(output);
    }
  });
}

interface Input {
  readonly size: number;
  /** Reads exactly so many bytes. */
  readExactly(length: number): Buffer;
  isAtEnd(): boolean;
}

function reading<T>(path: string, work: (file: Input) => T): T | { readonly problem: FileProblem } {
  // Non-blocking: the path may be a pipe or a device.
  const handle = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(handle);
    if (!stat.isFile()) return { problem: 'not_a_backup' };
    const { size } = stat;
    let at = 0;
    return work({
      size,
      readExactly(length) {
        if (at + length > size) throw toUnreadable('truncated');
        const bytes = readAt(handle, at, length);
        at += length;
        return bytes;
      },
      isAtEnd: () => at === size,
    });
  } catch (error) {
    if (isUnreadable(error)) return { problem: error.problem };
    throw error;
  } finally {
    closeSync(handle);
  }
}

function readBeginning(file: Input): { readonly header: unknown; readonly digest: Buffer } {
  if (!file.readExactly(Math.min(MAGIC.length, file.size)).equals(MAGIC)) throw toUnreadable('not_a_backup');
  const length = file.readExactly(4);
  if (length.readUInt32LE() > MAX_HEADER) throw toUnreadable('damaged');
  const text = file.readExactly(length.readUInt32LE());
  const digest = file.readExactly(DIGEST_BYTES);
  const found = createHash('sha256').update(MAGIC).update(length).update(text).digest();
  if (!found.equals(digest)) throw toUnreadable('damaged');
  const header = parse(text);
  const form = typeof header === 'object' && header !== null && 'form' in header ? header.form : null;
  if (form !== FORM) throw toUnreadable(Number(form) > FORM ? 'newer' : 'damaged');
  return { header, digest };
}

function inflate(chunk: Buffer): Buffer {
  try {
    return inflateRawSync(chunk, { maxOutputLength: PIECE });
  } catch {
    throw toUnreadable('damaged');
  }
}

function parse(text: Buffer): unknown {
  try {
    return parseForeignJson(text, BOUNDS);
  } catch {
    throw toUnreadable('damaged');
  }
}

function readAt(handle: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let done = 0;
  while (done < length) {
    const count = readSync(handle, bytes, done, length - done, at + done);
    if (count === 0) throw toUnreadable('truncated');
    done += count;
  }
  return bytes;
}

function writeAll(handle: number, bytes: Uint8Array): void {
  let done = 0;
  while (done < bytes.length) done += writeSync(handle, bytes, done);
}
