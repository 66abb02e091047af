// Comparison of signatures in constant time.
import { hash, timingSafeEqual } from 'node:crypto';

/** Compares SHA-256 digests, so that the time reveals neither the length nor the position of a difference. */
export function isSameText(a: string, b: string): boolean {
  return timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'));
}
