// Compresses the larger of the replies that the door allows it for, for clients that ask for it.
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request } from 'express';
import type { DoorReply } from '../door/call.ts';
import type { SentReply } from './exchange.ts';

/** Up to this many bytes a reply is as quick as it is. */
const WORTH_BYTES = 1024;
/** Brotli's own default, 11, takes a hundred times as long for a tenth less. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

const CODERS = {
  br: (text: string) => promisify(brotliCompress)(text, BROTLI),
  gzip: promisify<string, Buffer>(gzip),
};

/** The reply in the coding that the request prefers; the reply itself where it may not be compressed or need not. */
export function compressReply(request: Request, reply: DoorReply): SentReply | Promise<SentReply> {
  const { body, mayCompress } = reply;
  if (!mayCompress || typeof body !== 'string' || Buffer.byteLength(body) <= WORTH_BYTES) return reply;
  const varied: SentReply = { ...reply, headers: [...reply.headers, 'Vary', 'Accept-Encoding'] };
  const coding = request.acceptsEncodings('br', 'gzip', 'identity');
  if (coding !== 'br' && coding !== 'gzip') return varied;
  return CODERS[coding](body).then((bytes) => {
    const headers = [...varied.headers, 'Content-Encoding', coding];
    headers[headers.indexOf('Content-Length') + 1] = String(bytes.length);
    return { ...varied, headers, body: bytes };
  });
}
