// A form sends its changed values only.
import { describe, expect, it } from 'vitest';
import { changedOnly, orNull } from './changed.ts';

describe('changedOnly', () => {
  it('leaves out what stayed', () => {
    const before = { port: 8443, names: ['a', 'b'], url: null };
    expect(changedOnly(before, { port: 8443, names: ['a', 'b'], url: null })).toEqual({});
    expect(changedOnly<Record<string, unknown>>(before, { port: 9443, names: ['a'], url: 'https://x' })).toEqual({
      port: 9443,
      names: ['a'],
      url: 'https://x',
    });
  });

  it('includes a change to null', () => {
    expect(changedOnly<Record<string, unknown>>({ port: 8080 }, { port: null })).toEqual({ port: null });
  });
});

describe('orNull', () => {
  it('reads blank as null', () => {
    expect([orNull(''), orNull('  '), orNull(' vpn.example.com ')]).toEqual([null, null, 'vpn.example.com']);
  });
});
