// Holds the search to finding by anything that is shown of an entry.
import { expect, it } from 'vitest';
import { type AuditEntry, listAudit } from '../../../../contract/audit.ts';
import { matches } from './matches.ts';

const [entry] = (listAudit.example.reply as { items: [AuditEntry] }).items;
const named: AuditEntry = { ...entry, detail: { name: 'Анна Смирнова', tags: ['family'] } };

it.each(['', 'billing', 'extended anna', 'USER:7', '192.168', '0b6f7d0e', 'анна', 'family', '  billing   extended '])(
  'finds by “%s”',
  (text) => {
    expect(matches(named, text, 'Extended a user · Anna')).toBe(true);
  },
);

it('finds nothing where a word is missing', () => {
  expect(matches(named, 'billing deleted', 'Extended a user')).toBe(false);
});
