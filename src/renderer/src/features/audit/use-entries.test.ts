// The list of entries is complete and has no duplicates, whatever happens while it is read.
import { describe, expect, it } from 'vitest';
import { type AuditEntry, listAudit } from '../../../../contract/access/audit.ts';
import { addNewest, addOlder, type LoadedEntries } from './use-entries.ts';

const EXAMPLE = listAudit.example.reply as { items: [AuditEntry] };
const entries = (...ids: number[]): AuditEntry[] => ids.map((id) => ({ ...EXAMPLE.items[0], id }));
const listIds = ({ items }: LoadedEntries) => items.map(({ id }) => id);
const FIRST = addNewest(null, 'all', { items: entries(9, 8, 7), next_before: 7 });

describe('addNewest', () => {
  it('puts what is new before what is here', () => {
    const loaded = addNewest(FIRST, 'all', { items: entries(11, 10, 9), next_before: 9 });
    expect(listIds(loaded)).toEqual([11, 10, 9, 8, 7]);
    expect(loaded.next).toBe(7);
  });

  it('stays the same where nothing has happened', () => {
    expect(addNewest(FIRST, 'all', { items: entries(9, 8, 7), next_before: 7 })).toBe(FIRST);
  });

  it('starts over where there may be a gap, and for another question', () => {
    expect(listIds(addNewest(FIRST, 'all', { items: entries(20, 19, 18), next_before: 18 }))).toEqual([20, 19, 18]);
    expect(listIds(addNewest(FIRST, 'keys', { items: entries(9, 4), next_before: null }))).toEqual([9, 4]);
  });
});

describe('addOlder', () => {
  it('goes on where it ended, once', () => {
    const page = { items: entries(6, 5), next_before: null };
    const loaded = addOlder(FIRST, 7, page);
    expect(listIds(loaded)).toEqual([9, 8, 7, 6, 5]);
    expect(loaded.next).toBeNull();
    expect(addOlder(loaded, 7, page)).toBe(loaded);
  });
});
