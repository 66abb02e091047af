// Compresses larger replies that the door allows, for clients that accept it.
import { randomInt } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request } from 'express';
import type { DoorReply } from '../door/call.ts';
import type { SentReply } from './exchange.ts';

/** Smaller replies are sent uncompressed. */
const WORTH_BYTES = 1024;
/** Brotli's default quality, 11, is a hundred times slower for 10 % less. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

const brotliText = (text: string) => promisify(brotliCompress)(text, BROTLI);
const gzipText = promisify<string, Buffer>(gzip);

/** Maximum padding in bytes. */
const MAX_PADDING = 100;
/** Length of the gzip header; its fourth byte is the flags (RFC 1952). */
const GZIP_HEAD = 10;
const HAS_NAME = 0x08;

/** gzip with a file name of random length, so that the length of the reply reveals little about repetitions in it. */
async function gzipPadded(text: string): Promise<Buffer> {
  const bytes = await gzipText(text);
  bytes[3] = (bytes[3] ?? 0) | HAS_NAME;
  const name = Buffer.from(`${'x'.repeat(randomInt(MAX_PADDING + 1))}\0`);
  return Buffer.concat([bytes.subarray(0, GZIP_HEAD), name, bytes.subarray(GZIP_HEAD)]);
}

const CODINGS = ['br', 'gzip', 'identity'];
const PADDED_CODINGS = ['gzip', 'identity'];

/** The reply in the encoding that the request prefers, or unchanged if it must not or need not be compressed. */
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
