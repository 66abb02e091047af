// The export: every text can be read back unchanged, and none is a formula.
import { expect, it } from 'vitest';
import { userExample } from '../../../../contract/users/users.ts';
import { usersCsvHead, usersCsvRows } from './csv.ts';

const plans = new Map([[1, 'Monthly, 50 GB']]);

function cells(change: Partial<typeof userExample>): string {
  return usersCsvRows([{ ...userExample, ...change }], plans);
}

it('begins with the names of its columns, as many as a line has', () => {
  const head = usersCsvHead();
  expect(head.startsWith('\ufeffsep=,\r\nid,name,contact,state,plan,')).toBe(true);
  const names = head.split('\r\n')[1] ?? '';
  const line = usersCsvRows([{ ...userExample, tariff_id: null }], plans);
  expect(line.split(',')).toHaveLength(names.split(',').length);
});

it('quotes what would break a line', () => {
  expect(cells({ name: 'Smirnova, "Anna"\nB' })).toContain('7,"Smirnova, ""Anna""\nB",');
  expect(cells({})).toContain('"Monthly, 50 GB"');
});

it('lets no spreadsheet run a name', () => {
  for (const text of ['=1+1', '+7 999', '-2', '@anna']) {
    expect(cells({ contact: text })).toContain(`'${text}`);
  }
});

it('leaves cells of nothing empty and never holds the link', () => {
  const line = cells({ expires_at: null, note: '' });
  expect(line).not.toContain('null');
  expect(line).not.toContain('sub');
});
