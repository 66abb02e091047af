// Holds the list of entries to being whole: nothing twice, nothing left out, whatever happens while it is read.
import { describe, expect, it } from 'vitest';
import { type AuditEntry, listAudit } from '../../../../contract/audit.ts';
import { type Known, withNewest, withOlder } from './use-entries.ts';

const EXAMPLE = listAudit.example.reply as { items: [AuditEntry] };
const entries = (...ids: number[]): AuditEntry[] => ids.map((id) => ({ ...EXAMPLE.items[0], id }));
const idsOf = ({ items }: Known) => items.map(({ id }) => id);
const FIRST = withNewest(null, 'all', { items: entries(9, 8, 7), next_before: 7 });

describe('withNewest', () => {
  it('puts what is new before what is here', () => {
    const known = withNewest(FIRST, 'all', { items: entries(11, 10, 9), next_before: 9 });
    expect(idsOf(known)).toEqual([11, 10, 9, 8, 7]);
    expect(known.next).toBe(7);
  });

  it('stays the same where nothing has happened', () => {
    expect(withNewest(FIRST, 'all', { items: entries(9, 8, 7), next_before: 7 })).toBe(FIRST);
  });

  it('begins anew where there may be a gap, and for another question', () => {
    expect(idsOf(withNewest(FIRST, 'all', { items: entries(20, 19, 18), next_before: 18 }))).toEqual([20, 19, 18]);
    expect(idsOf(withNewest(FIRST, 'keys', { items: entries(9, 4), next_before: null }))).toEqual([9, 4]);
  });
});

describe('withOlder', () => {
  it('goes on where it ended, once', () => {
    const page = { items: entries(6, 5), next_before: null };
    const known = withOlder(FIRST, 7, page);
    expect(idsOf(known)).toEqual([9, 8, 7, 6, 5]);
    expect(known.next).toBeNull();
    expect(withOlder(known, 7, page)).toBe(known);
  });
});
