// Name comparison and sort values of rows, shared by the store, which sorts, and the cursor, which continues.
import type { SortField } from '../../contract/users/users.ts';
import { usedBytes } from '../../domain/users/account.ts';
import type { UserRow } from '../ports/users.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII, whose folding is simple
const ASCII = /^[\x00-\x7f]*$/;

/**
 * Case-folded text in composed form (NFC), for sorting and searching; folding is idempotent. The case is converted three times so that ẞ, ß and ss
 * are equal. Context-dependent letters (final sigma, the dot of İ) are replaced, so that a substring folds like the whole text.
 */
export function foldText(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  const lower = text.normalize('NFC').toLowerCase().toUpperCase().toLowerCase();
  return lower.replaceAll('ς', 'σ').replaceAll('i\u0307', 'i').normalize('NFC');
}

/** The sort value of a user; ties are ordered by id. null: never expires. */
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
