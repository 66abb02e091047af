// The filter in the address: every condition is stored, and an invalid one is ignored.
import { describe, expect, it } from 'vitest';
import {
  buildBulkFilter,
  expiringWithin,
  listFilterNames,
  listStates,
  parseFilter,
  parseSort,
  without,
  withoutFilter,
} from './filter.ts';

const read = (text: string) => parseFilter(new URLSearchParams(text));

describe('the filter of an address', () => {
  it('reads every condition', () => {
    expect(
      read(
        'state=expired&q=+anna+&tariff_id=3&tag=family&online=false&connected=false&traffic_low=true&node_id=2&contact=%40a&expires_before=2026-11-20T10:00:00Z',
      ),
    ).toEqual({
      state: 'expired',
      q: 'anna',
      tariff_id: 3,
      tag: 'family',
      online: false,
      connected: false,
      traffic_low: true,
      node_id: 2,
      contact: '@a',
      expires_before: '2026-11-20T10:00:00.000Z',
    });
  });

  it('reads several states, and all of them as no condition', () => {
    expect(read('state=limited,active,dead').state).toEqual(['active', 'limited']);
    expect(read('state=limited,dead').state).toBe('limited');
    expect(read('state=active,on_hold,limited,expired,disabled')).toEqual({});
    expect(listStates(read('state=limited,active'))).toEqual(['active', 'limited']);
    expect(listStates(read('state=active'))).toEqual(['active']);
    expect(listStates({})).toEqual([]);
  });

  it('leaves out what is broken or empty', () => {
    expect(
      read('state=dead&q=++&tariff_id=x&tag=&online=maybe&connected=&traffic_low=1&node_id=0&expires_after=soon'),
    ).toEqual({});
    expect(read('tariff_id=-1')).toEqual({});
    expect(read(`q=${'я'.repeat(200)}`).q).toHaveLength(100);
  });

  it('names its conditions, two moments as one', () => {
    expect(listFilterNames(read('expires_after=2026-11-20&expires_before=2026-11-27&tag=a'))).toEqual([
      'tag',
      'expires',
    ]);
    expect(listFilterNames({ online: false })).toEqual(['online']);
  });

  it('loses one condition and keeps the others', () => {
    expect(withoutFilter(read('q=a&expires_after=2026-11-20&expires_before=2026-11-27'), 'expires')).toEqual({
      q: 'a',
    });
    expect(without(['expires', 'q'])).toEqual({ expires_after: null, expires_before: null, q: null });
  });
});

describe('the order of an address', () => {
  it('is one that the panel knows', () => {
    expect(parseSort(new URLSearchParams('sort=-used'))).toBe('-used');
    expect(parseSort(new URLSearchParams('sort=name'))).toBe('name');
    expect(parseSort(new URLSearchParams('sort=colour'))).toBe('-id');
    expect(parseSort(new URLSearchParams())).toBe('-id');
  });
});

describe('expiring soon', () => {
  it('begins with the hour, so that the same question is asked for an hour', () => {
    const now = Date.parse('2026-11-20T10:42:10Z');
    expect(expiringWithin(7, now)).toEqual({
      expires_after: '2026-11-20T10:00:00.000Z',
      expires_before: '2026-11-27T10:00:00.000Z',
    });
  });
});

describe('the filter of a bulk act', () => {
  it('states that it means all users', () => {
    expect(buildBulkFilter({})).toEqual({ all: true });
    expect(buildBulkFilter({ tag: 'a' })).toEqual({ tag: 'a' });
    // A condition that the pages cannot show still counts as one.
    expect(buildBulkFilter({ external_id: 'a' })).toEqual({ external_id: 'a' });
  });
});
