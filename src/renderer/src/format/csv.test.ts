// Exported tables can be read by every program, and run nothing when they are opened.
import { describe, expect, it } from 'vitest';
import { csvHead, csvLine } from './csv.ts';

describe('csvLine', () => {
  it('quotes what would break the line', () => {
    expect(csvLine(['a,b', 'say "hi"', 'two\nlines', 7, true, null])).toBe(
      '"a,b","say ""hi""","two\nlines",7,true,\r\n',
    );
  });

  it('tells the separator before the names of the columns', () => {
    expect(csvHead(['id', 'name'])).toBe('\ufeffsep=,\r\nid,name\r\n');
  });

  it.each([
    ['a;=1+1', `"a;'=1+1"`],
    ['a\t=1+1', `"a\t'=1+1"`],
    ['a\n=1+1', `"a\n'=1+1"`],
    ['a; @sum', `"a; '@sum"`],
    [';-1', `";'-1"`],
    ['\t=1', `"\t'=1"`],
    ['＝1', `'＝1`],
    ['a-1=2', 'a-1=2'],
  ])('exports %j as text whatever the separator is', (text, cell) => {
    expect(csvLine([text])).toBe(`${cell}\r\n`);
  });

  it.each(['=1+1', '+49', '-1', '@sum'])('exports %s as text', (text) => {
    expect(csvLine([text])).toBe(`'${text}\r\n`);
  });
});
