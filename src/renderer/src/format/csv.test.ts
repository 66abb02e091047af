// Holds exported tables to what every program reads, and to running nothing when they are opened.
import { describe, expect, it } from 'vitest';
import { csvLine } from './csv.ts';

describe('csvLine', () => {
  it('quotes what would break the line', () => {
    expect(csvLine(['a,b', 'say "hi"', 'two\nlines', 7, true, null])).toBe(
      '"a,b","say ""hi""","two\nlines",7,true,\r\n',
    );
  });

  it.each(['=1+1', '+49', '-1', '@sum'])('exports %s as text', (text) => {
    expect(csvLine([text])).toBe(`'${text}\r\n`);
  });
});
