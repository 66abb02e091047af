// Whatever the address contains, the log's filter is valid for the contract.
import { describe, expect, it } from 'vitest';
import { type AuditEntry, listAudit } from '../../../../contract/access/audit.ts';
import { listFilterNames, matches, parseFilter } from './filter.ts';

describe('parseFilter', () => {
  it('reads what an address asks for', () => {
    const query = new URLSearchParams({
      action: 'extendUser',
      actor: 'key:3',
      target: 'user:7',
      since: '2026-11-20T00:00:00.000Z',
    });
    const filter = parseFilter(query);
    expect(filter).toEqual({ action: 'extendUser', key_id: 3, target: 'user:7', since: '2026-11-20T00:00:00.000Z' });
    expect(listFilterNames(filter)).toEqual(['actor', 'action', 'target', 'since']);
  });

  it.each([
    'actor=nobody',
    'actor=key:0',
    'since=yesterday',
    'until=2026-11-20',
    `action=${'x'.repeat(999)}`,
    'action=',
  ])('asks nothing that the contract refuses: %s', (text) => {
    expect(listAudit.input.safeParse(parseFilter(new URLSearchParams(text))).success).toBe(true);
  });
});

// The search finds everything that is shown of an entry.

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
