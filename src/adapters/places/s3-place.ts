// Backups in S3-compatible storage. A file is one request with a signed digest: the storage refuses content that was changed on the way,
// and never lists incomplete files.
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, statSync } from 'node:fs';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { AwsV4Signer } from 'aws4fetch';
import type { PlaceErrorCode } from '../../contract/errors.ts';
import type { BackupPlace, PlacedFile, S3Access } from '../../core/ports/backup-places.ts';
import { isPlacedName } from '../../domain/backup-places.ts';
import { createOutboundAgent } from '../outbound-agent.ts';
import { isRefusedUrl } from '../outbound-client.ts';
import { attemptAtPlace, createPlaceFailure } from './failure.ts';

/** Limit without a byte in either direction. */
const SILENT_MS = 60_000;
/** The largest body of one PUT (S3 API). */
const MAX_FILE = 5 * 1024 ** 3;
const MAX_REPLY = 4_000_000;
/** Limit of list pages, of 1000 names each. */
const MAX_PAGES = 20;
const EMPTY_SHA256 = createHash('sha256').digest('hex');

interface Request {
  readonly method: 'GET' | 'PUT' | 'HEAD' | 'DELETE';
  /** null: the bucket itself. */
  readonly key: string | null;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** SHA-256 of the body, hex. */
  readonly sha256?: string;
  readonly file?: string;
}

const CODES: Readonly<Record<string, PlaceErrorCode>> = {
  NoSuchBucket: 'place_not_found',
  NoSuchKey: 'place_not_found',
  InvalidAccessKeyId: 'keys_refused',
  SignatureDoesNotMatch: 'keys_refused',
  AccessDenied: 'keys_refused',
  QuotaExceeded: 'place_full',
  XAmzContentSHA256Mismatch: 'place_mismatch',
  BadDigest: 'place_mismatch',
};
const STATUSES: Readonly<Record<number, PlaceErrorCode>> = {
  401: 'keys_refused',
  403: 'keys_refused',
  404: 'place_not_found',
  507: 'place_full',
};

export function openS3Place(access: S3Access): BackupPlace {
  const { endpoint, bucket, prefix, allowPrivate, region, accessKeyId, secretAccessKey } = access;
  const agent = createOutboundAgent(endpoint, allowPrivate, null);

  async function send({ method, key, query = {}, headers = {}, sha256 = EMPTY_SHA256, file }: Request) {
    if (isRefusedUrl(endpoint, allowPrivate)) throw createPlaceFailure('address_refused', new URL(endpoint).host);
    const url = new URL(endpoint);
    url.pathname = [url.pathname.replace(/\/$/, ''), bucket, ...(key === null ? [] : [key])].join('/');
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const signer = new AwsV4Signer({
      method,
      url: url.href,
      headers: { ...headers, 'x-amz-content-sha256': sha256 },
      accessKeyId,
      secretAccessKey,
      service: 's3',
      region,
    });
    const signed = await signer.sign();
    const length = file === undefined ? {} : { 'content-length': String(statSync(file).size) };
    const request = (signed.url.protocol === 'https:' ? https : http).request(signed.url, {
      method,
      agent,
      headers: { ...Object.fromEntries(signed.headers), ...length },
    });
    const replied = new Promise<IncomingMessage>((resolve, reject) => {
      request.on('response', resolve);
      request.on('error', reject);
    });
    request.setTimeout(SILENT_MS, () => request.destroy(createPlaceFailure('timeout', new URL(endpoint).host)));
    if (file === undefined) request.end();
    // The storage may refuse before all was sent: its reply says why.
    else pipeline(createReadStream(file), request).catch((error: Error) => request.destroy(error));
    const reply = await replied;
    const status = reply.statusCode ?? 0;
    if (status >= 200 && status < 300) return reply;
    const code = /<Code>([A-Za-z0-9]{1,100})<\/Code>/.exec(await readReply(reply))?.[1] ?? '';
    request.destroy();
    throw createPlaceFailure(CODES[code] ?? STATUSES[status] ?? 'place_refused', `HTTP ${status} ${code}`.trim());
  }

  async function list(): Promise<readonly PlacedFile[]> {
    const found: PlacedFile[] = [];
    let token: string | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const query = { 'list-type': '2', prefix, ...(token !== undefined && { 'continuation-token': token }) };
      const xml = await readReply(await send({ method: 'GET', key: null, query }));
      // Split, not a regular expression: its work on a hostile reply would grow with the square of the length.
      for (const entry of xml.split('<Contents>').slice(1)) {
        const key = readElement(entry, 'Key');
        const name = key.slice(prefix.length);
        if (!key.startsWith(prefix) || !isPlacedName(name)) continue;
        const storedAt = Date.parse(readElement(entry, 'LastModified'));
        found.push({ name, sizeBytes: Number(readElement(entry, 'Size')), storedAt });
      }
      token = readElement(xml, 'NextContinuationToken');
      if (token === '') break;
    }
    return found.sort((a, b) => b.storedAt - a.storedAt || (a.name < b.name ? 1 : -1));
  }

  async function upload(name: string, path: string): Promise<void> {
    const { size } = statSync(path);
    if (size > MAX_FILE) throw createPlaceFailure('place_full', 'a file of more than 5 GiB');
    const [sha256, md5] = [createHash('sha256'), createHash('md5')];
    for await (const chunk of createReadStream(path)) {
      sha256.update(chunk as Buffer);
      md5.update(chunk as Buffer);
    }
    const headers = { 'content-type': 'application/octet-stream', 'content-md5': md5.digest('base64') };
    const key = `${prefix}${name}`;
    await readReply(await send({ method: 'PUT', key, headers, sha256: sha256.digest('hex'), file: path }));
    const stored = await send({ method: 'HEAD', key });
    stored.resume();
    const length = Number(stored.headers['content-length']);
    if (length !== size) throw createPlaceFailure('place_mismatch', `${length} of ${size} bytes`);
  }

  async function download(name: string, target: string): Promise<void> {
    const reply = await send({ method: 'GET', key: `${prefix}${name}` });
    const size = Number(reply.headers['content-length']);
    await pipeline(reply, createWriteStream(target, { flags: 'wx', mode: 0o600 }));
    const written = statSync(target).size;
    if (written !== size) throw createPlaceFailure('place_mismatch', `${written} of ${size} bytes`);
  }

  return {
    list: () => attemptAtPlace(list),
    upload: (name, path) => attemptAtPlace(() => upload(name, path)),
    download: (name, target) => attemptAtPlace(() => download(name, target)),
    remove: (name) =>
      attemptAtPlace(async () => {
        (await send({ method: 'DELETE', key: `${prefix}${name}` })).resume();
      }),
    close: () => agent.destroy(),
  };
}

async function readReply(reply: IncomingMessage): Promise<string> {
  let read = 0;
  reply.on('data', (chunk: Buffer) => {
    read += chunk.length;
    if (read > MAX_REPLY) reply.destroy(createPlaceFailure('place_refused', 'the reply is too long'));
  });
  return text(reply);
}

/** The text of the first element of that name, which must have no child elements; empty if there is none. */
function readElement(xml: string, name: string): string {
  const found = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? '';
  return found.replace(/&(amp|lt|gt|quot|apos|#34|#39);/g, (_, entity: string) => ENTITIES[entity] ?? '');
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  '#34': '"',
  '#39': "'",
};
