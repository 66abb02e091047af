// Pasted names: lines of any system and columns of a spreadsheet.
import { expect, it } from 'vitest';
import { parseNames, toLines } from './create-many.tsx';

it('takes one name a line and leaves empty lines out', () => {
  expect(parseNames('Anna\r\n\n  Олег \rLin\n')).toEqual([
    { name: 'Anna', contact: '' },
    { name: 'Олег', contact: '' },
    { name: 'Lin', contact: '' },
  ]);
});

it('takes the second column for the contact', () => {
  expect(parseNames('Anna\t@anna\nOleg, @oleg')).toEqual([
    { name: 'Anna', contact: '@anna' },
    { name: 'Oleg, @oleg', contact: '' },
  ]);
});

it('keeps a contact without a name, so that the form can say what is missing', () => {
  expect(parseNames('\t@nobody')).toEqual([{ name: '', contact: '@nobody' }]);
});

it('goes back to the same lines', () => {
  const text = 'Anna\t@anna\nLin';
  expect(toLines(parseNames(text))).toBe(text);
});
