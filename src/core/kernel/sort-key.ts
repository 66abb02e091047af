// How names are compared and which value a row is sorted by: shared by the store, which sorts, and the cursor, which continues.
import type { SortField } from '../../contract/users/users.ts';
import { usedBytes } from '../../domain/users/account.ts';
import type { UserRow } from '../ports/users.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII, whose folding is simple
const ASCII = /^[\x00-\x7f]*$/;

/**
 * Case-folded text in composed form, for sorting and searching; folding is idempotent. The case is converted three times so
 * that ẞ, ß and ss become equal, and what depends on its neighbours (final sigma, the dot of İ) is replaced, so that a part of
 * a text folds as the text does.
 */
export function foldText(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  const lower = text.normalize('NFC').toLowerCase().toUpperCase().toLowerCase();
  return lower.replaceAll('ς', 'σ').replaceAll('i\u0307', 'i').normalize('NFC');
}

/** The value that a list under this sort compares, ties going by id; null: never expires. */
export function computeSortKey(row: UserRow, sort: SortField): string | number | null {
  switch (sort) {
    case 'id':
      return row.id;
    case 'name':
      return foldText(row.name);
    case 'state':
      return row.state;
    case 'tariff_id':
      return row.tariffId ?? 0;
    case 'created_at':
      return row.createdAt;
    case 'expires_at':
      return row.expiresAt;
    case 'used':
      return usedBytes(row);
    case 'online_at':
      return row.onlineAt ?? 0;
  }
}
