// A token comes back as it was written, and nothing else is one.
import { fc, it as property } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { readJoinToken, writeJoinToken } from './join-token.ts';

const hex = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 64, maxLength: 64 });
const TOKEN = { port: 8450, panelPin: 'a'.repeat(64), secret: 'b'.repeat(64) };

describe('a join token', () => {
  property.prop([fc.record({ port: fc.integer({ min: 1, max: 65_535 }), panelPin: hex, secret: hex })])(
    'is read as it was written, and needs no quotes in a shell',
    (token) => {
      const text = writeJoinToken(token);
      expect(text).toMatch(/^[a-z0-9.]+$/);
      expect(readJoinToken(` ${text}\n`)).toEqual(token);
    },
  );

  it('is of the last port too', () => {
    const token = { ...TOKEN, port: 65_535 };
    expect(readJoinToken(writeJoinToken(token))).toEqual(token);
  });

  it.each([
    ['', 'nothing'],
    [`Paste ${writeJoinToken(TOKEN)}`, 'one with a word before it'],
    [`${writeJoinToken(TOKEN)}0`, 'one with more behind it'],
    [writeJoinToken(TOKEN).slice(0, -1), 'a part of one'],
    [writeJoinToken({ ...TOKEN, port: 65_536 }), 'a port that is none'],
    [writeJoinToken({ ...TOKEN, port: 0 }), 'port 0'],
    [writeJoinToken(TOKEN).replace('gn1', 'gn2'), 'another form'],
    [writeJoinToken(TOKEN).toUpperCase(), 'capital letters'],
  ])('is not %j: %s', (text) => {
    expect(readJoinToken(text)).toBeNull();
  });
});
