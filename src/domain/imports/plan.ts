// What an import does with one user: three values of each field are compared, the source's at the last import, the source's now, and the panel's.
import type { Hold, ResetStrategy } from '../../contract/users/users.ts';
import { addBytes } from '../users/account.ts';

/** What an import writes of a user, in the panel's terms. Plain data: it is stored for the next import. */
export interface ImportedFacts {
  readonly name: string;
  readonly contact: string;
  readonly note: string;
  readonly tags: readonly string[];
  readonly externalId: string | null;
  readonly telegramId: number | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly enabled: boolean;
  /** One value: a hold ends when the term begins. */
  readonly term: { readonly expiresAt: number | null; readonly hold: Hold | null };
  readonly trafficLimit: number | null;
  readonly resetStrategy: ResetStrategy;
  readonly deviceLimit: number | null;
  readonly concurrentLimit: number | null;
  readonly inbounds: readonly number[] | null;
  /** A digest of the credentials. */
  readonly access: string;
  /** A digest of the links in the source, which are not compared with those here. */
  readonly links: string;
  readonly used: { readonly up: number; readonly down: number };
  readonly total: { readonly up: number; readonly down: number };
}

type Counter = 'used' | 'total';
export type ImportedField = Exclude<keyof ImportedFacts, Counter | 'links'>;

/** Fields in the order in which a report names them. */
export const IMPORTED_FIELDS: readonly ImportedField[] = [
  'name',
  'contact',
  'note',
  'tags',
  'externalId',
  'telegramId',
  'metadata',
  'enabled',
  'term',
  'trafficLimit',
  'resetStrategy',
  'deviceLimit',
  'concurrentLimit',
  'inbounds',
  'access',
];

export interface UserMerge {
  /** Fields that take the source's new value. */
  readonly changed: readonly ImportedField[];
  /** Fields that changed in the source and here: the panel's value stays. */
  readonly kept: readonly ImportedField[];
  /** The counters after it; null: unchanged. */
  readonly counters: Pick<ImportedFacts, Counter> | null;
  /** Whether the source gave other links, or revoked them. */
  readonly hasNewLinks: boolean;
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/**
 * Merges a user who was imported before. `then`: as in the source at the last import. `next`: as in the source now. `here`: as in the panel. Bytes
 * moved in the source since then are added to those moved here.
 */
export function mergeUser(then: ImportedFacts, next: ImportedFacts, here: ImportedFacts): UserMerge {
  const changed: ImportedField[] = [];
  const kept: ImportedField[] = [];
  for (const field of IMPORTED_FIELDS) {
    if (isSame(then[field], next[field]) || isSame(next[field], here[field])) continue;
    (isSame(then[field], here[field]) ? changed : kept).push(field);
  }
  const hasMoved = !isSame(then.used, next.used) || !isSame(then.total, next.total);
  const hasNewLinks = then.links !== next.links;
  if (!hasMoved) return { changed, kept, counters: null, hasNewLinks };
  const counters = {
    used: mergeCounter(then.used, next.used, here.used),
    total: grow(then.total, next.total, here.total),
  };
  return { changed, kept, counters, hasNewLinks };
}

type Bytes = ImportedFacts['used'];

/** A counter that fell was reset in the source: what moved since its reset is added. */
function mergeCounter(then: Bytes, next: Bytes, here: Bytes): Bytes {
  const wasReset = next.up < then.up || next.down < then.down;
  if (!wasReset) return grow(then, next, here);
  return isSame(then, here) ? next : { up: addBytes(here.up, next.up), down: addBytes(here.down, next.down) };
}

function grow(then: Bytes, next: Bytes, here: Bytes): Bytes {
  return {
    up: addBytes(here.up, Math.max(0, next.up - then.up)),
    down: addBytes(here.down, Math.max(0, next.down - then.down)),
  };
}
