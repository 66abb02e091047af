// Files in messages: a QR code is stored as its text and drawn as PNG when it is sent, a document comes as bytes.
import { crc32, deflateSync } from 'node:zlib';
import { InputFile } from 'grammy/web';
import encodeQR from 'qr';

const PIXELS = 8;
const BORDER = 4;

/** The payload with `photo: {qr: <text>}` or `document: {bytes, name}` as a file. */
export function attachFiles(payload: Readonly<Record<string, unknown>>): object {
  const { photo, document } = payload;
  if (isDocument(document)) return { ...payload, document: new InputFile(document.bytes, document.name) };
  if (typeof photo !== 'object' || photo === null || !('qr' in photo)) return payload;
  return { ...payload, photo: new InputFile(drawQr(String(photo.qr)), 'qr.png') };
}

function isDocument(value: unknown): value is { readonly bytes: Uint8Array; readonly name: string } {
  return typeof value === 'object' && value !== null && 'bytes' in value && 'name' in value;
}

/** A QR code as PNG: black on white, one byte a pixel. */
export function drawQr(text: string): Uint8Array {
  const modules = encodeQR(text, 'raw', { border: BORDER });
  const width = modules.length * PIXELS;
  const rows = modules.flatMap((line) => {
    // Each row begins with its filter type: none.
    const row = Buffer.alloc(width + 1, 255);
    row[0] = 0;
    line.forEach((isDark, index) => {
      if (isDark) row.fill(0, 1 + index * PIXELS, 1 + (index + 1) * PIXELS);
    });
    return Array.from({ length: PIXELS }, () => row);
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(width, 4);
  // 8 bits, greyscale.
  header.set([8, 0, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    buildPngChunk('IHDR', header),
    buildPngChunk('IDAT', deflateSync(Buffer.concat(rows))),
    buildPngChunk('IEND', Buffer.alloc(0)),
  ]);
}

function buildPngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}
