// What a view stores of the address and the columns, and that it can be restored.
import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../../domain/limits.ts';
import type { ColumnLook } from '../../components/table/columns.ts';
import { parseFilter } from './filter.ts';
import { buildTableView, formatStoredQuery, parseStoredQuery, shownColumns } from './views.ts';

const NOW = Date.parse('2026-11-20T10:42:10Z');
const LATER = NOW + 30 * DAY_MS;
const store = (text: string, now = NOW) => formatStoredQuery(new URLSearchParams(text), now);

describe('the address of a view', () => {
  it('has every filter and the order, and nothing else', () => {
    const text = 'q=anna&state=limited%2Cexpired&tag=a%26b&online=false&connected=false&traffic_low=true&node_id=2';
    const stored = store(`${text}&tariff_id=3&contact=%40a&sort=-used&view=3&do=extend&colour=red`);
    expect(parseFilter(parseStoredQuery(stored, LATER))).toEqual(
      parseFilter(new URLSearchParams(`${text}&tariff_id=3&contact=%40a`)),
    );
    const names = [...new URLSearchParams(stored).keys()];
    expect(names.join(' ')).toBe('connected contact node_id online q sort state tag tariff_id traffic_low');
  });

  it('is the same however the list was reached', () => {
    expect(store('tag=b&q=a&sort=-id')).toBe(store('q=a&view=1&tag=b'));
    expect(store('')).toBe('');
  });

  it('stores a range of days from the day on which it is opened', () => {
    const chosen = parseStoredQuery('expires=7', NOW).toString();
    expect(new URLSearchParams(chosen).get('expires_before')).toBe('2026-11-27T10:00:00.000Z');
    expect(store(chosen)).toBe('expires=7');
    expect(store(chosen, NOW + DAY_MS / 2)).toBe('expires=7');
    expect(parseStoredQuery('expires=7', LATER).get('expires_after')).toBe('2026-12-20T10:00:00.000Z');
    expect(store(parseStoredQuery('expires=over', LATER).toString(), LATER)).toBe('expires=over');
  });

  it('stores dates that no range has as they are, and leaves out a range that is none', () => {
    const dates = 'expires_after=2026-11-01T00%3A00%3A00.000Z&expires_before=2026-12-01T00%3A00%3A00.000Z';
    expect(store(dates)).toBe(dates);
    expect(parseStoredQuery(dates, LATER).toString()).toBe(dates);
    expect(parseStoredQuery('expires=x', NOW).toString()).toBe('');
  });
});

describe('the columns of a view', () => {
  const looks = new Map<string, ColumnLook>([
    ['name', { label: 'Name', isFixed: true }],
    ['state', { label: 'State' }],
    ['note', { label: 'Note', isHidden: true }],
  ]);

  it('come back in their order, also where others are newer', () => {
    const columns = shownColumns(looks, { shown: { note: true, state: false }, order: ['note', 'name', 'state'] });
    expect(columns).toEqual(['note', 'name']);
    const newer = new Map([...looks, ['device', { label: 'Device' }] as const]);
    expect(shownColumns(newer, buildTableView(columns, newer))).toEqual(columns);
    expect(shownColumns(looks, {})).toEqual(['name', 'state']);
  });
});
