// Compresses the larger of the replies that the door allows it for, for clients that ask for it.
import { randomInt } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request } from 'express';
import type { DoorReply } from '../door/call.ts';
import type { SentReply } from './exchange.ts';

/** Up to this many bytes a reply is as quick as it is. */
const WORTH_BYTES = 1024;
/** Brotli's own default, 11, takes a hundred times as long for a tenth less. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

const brotliText = (text: string) => promisify(brotliCompress)(text, BROTLI);
const gzipText = promisify<string, Buffer>(gzip);

/** Most bytes that are added to a padded reply. */
const MAX_PADDING = 100;
/** Bytes of the head that zlib writes, the fourth of which are the flags (RFC 1952). */
const GZIP_HEAD = 10;
const HAS_NAME = 0x08;

/** gzip with a file name of random length: equal replies differ in length, so a length says little of what is repeated within. */
async function gzipPadded(text: string): Promise<Buffer> {
  const bytes = await gzipText(text);
  bytes[3] = (bytes[3] ?? 0) | HAS_NAME;
  const name = Buffer.from(`${'x'.repeat(randomInt(MAX_PADDING + 1))}\0`);
  return Buffer.concat([bytes.subarray(0, GZIP_HEAD), name, bytes.subarray(GZIP_HEAD)]);
}

const CODINGS = ['br', 'gzip', 'identity'];
const PADDED_CODINGS = ['gzip', 'identity'];

/** The reply in the coding that the request prefers; the reply itself where it may not be compressed or need not. */
export function compressReply(request: Request, reply: DoorReply): SentReply | Promise<SentReply> {
  const { body, compression } = reply;
  if (!compression || typeof body !== 'string' || Buffer.byteLength(body) <= WORTH_BYTES) return reply;
  const varied: SentReply = { ...reply, headers: [...reply.headers, 'Vary', 'Accept-Encoding'] };
  const isPadded = compression === 'padded';
  const coding = request.acceptsEncodings(...(isPadded ? PADDED_CODINGS : CODINGS));
  if (coding !== 'br' && coding !== 'gzip') return varied;
  const compress = isPadded ? gzipPadded : coding === 'br' ? brotliText : gzipText;
  return compress(body).then((bytes) => {
    const headers = [...varied.headers, 'Content-Encoding', coding];
    headers[headers.indexOf('Content-Length') + 1] = String(bytes.length);
    return { ...varied, headers, body: bytes };
  });
}
