// Comparison of signatures in constant time.
import { hash, timingSafeEqual } from 'node:crypto';

/** Compares digests, so that neither the length nor the place of a difference shows in the time. */
export function isSameText(a: string, b: string): boolean {
  return timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'));
}
