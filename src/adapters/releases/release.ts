// The signed parts of a release: its description and its archives, each bound to its name and version by the signed comment.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { type ReleaseManifest, releaseManifest, type UpdateProblem } from '../../contract/updates.ts';
import { parseForeignJson } from '../../domain/foreign-json.ts';
import { hashBytes, hashOfFile, isSigned, readPublicKey, readSignature, type TrustedKey } from './minisign.ts';

/** Bounds of a description. */
const BOUNDS = { bytes: 200_000, values: 10_000, depth: 16 };

export type Failed = { readonly problem: UpdateProblem };

/** The content of a signed comment: `gatehouse file=… version=… signed=…`. */
export interface Signed {
  readonly file: string;
  readonly version: string;
}

/** The name of the description of a channel's newest release. */
export function manifestName(channel: string): string {
  return `gatehouse-${channel}.json`;
}

export function archiveName(version: string, platform: string): string {
  return `gatehouse-${version}-${platform}.tar.gz`;
}

/** Lower-case hex. */
export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

export function readKeys(keys: readonly string[]): readonly TrustedKey[] {
  return keys.flatMap((text) => readPublicKey(text) ?? []);
}

/** Verifies a description's signature, then reads it; unverified bytes are never parsed. */
export function readManifest(
  bytes: Buffer,
  signature: string,
  channel: string,
  keys: readonly TrustedKey[],
): ReleaseManifest | Failed {
  const signed = verified(hashBytes(bytes), signature, keys);
  if ('problem' in signed) return signed;
  if (signed.file !== manifestName(channel)) return { problem: 'wrong_file' };
  const parsed = releaseManifest.safeParse(parseJson(bytes));
  if (!parsed.success) return { problem: 'malformed' };
  return parsed.data.version === signed.version ? parsed.data : { problem: 'wrong_file' };
}

/** Hashes an archive and returns what its signature says of it. */
export async function verifyArchive(
  path: string,
  signature: string,
  keys: readonly TrustedKey[],
): Promise<Signed | Failed> {
  return verified(await hashOfFile(path), signature, keys);
}

function verified(hash: Buffer, text: string, keys: readonly TrustedKey[]): Signed | Failed {
  const signature = readSignature(text);
  if (signature === null || !isSigned(hash, signature, keys)) return { problem: 'unsigned' };
  const [product, ...words] = signature.comment.split(' ');
  const comment = new Map(words.map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]));
  const file = comment.get('file');
  const version = comment.get('version');
  if (product !== 'gatehouse' || file === undefined || version === undefined) return { problem: 'wrong_file' };
  return { file, version };
}

function parseJson(bytes: Buffer): unknown {
  try {
    return parseForeignJson(bytes, BOUNDS);
  } catch {
    return null;
  }
}
