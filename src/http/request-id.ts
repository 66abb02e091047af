// Names each request, for the caller and the log. Taken from a pool: one call to the generator serves many requests.
import { randomFillSync } from 'node:crypto';

const LENGTH = 16;
const pool = Buffer.allocUnsafe(LENGTH * 256);
let used = pool.length;

/** 128 random bits as 32 hexadecimal digits. */
export function newRequestId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += LENGTH;
  return pool.toString('hex', used - LENGTH, used);
}
