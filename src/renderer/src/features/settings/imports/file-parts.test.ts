import { expect, it } from 'vitest';
import { IMPORT_PART_BYTES } from '../../../../../contract/imports/imports.ts';
import { listParts, toFileName } from './file-parts.ts';

it.each([0, 1, IMPORT_PART_BYTES, IMPORT_PART_BYTES + 5])('sends %i bytes whole and in order', async (size) => {
  const bytes = Uint8Array.from({ length: size }, (_, index) => index % 251);
  let sent = '';
  for await (const { offset, data } of listParts(new Blob([bytes]))) {
    expect(offset).toBe(sent.length);
    sent += atob(data);
  }
  expect(sent.length).toBe(size);
  expect([...bytes].findIndex((byte, index) => sent.charCodeAt(index) !== byte)).toBe(-1);
});

it.each([
  ['x-ui.db-wal', 'x-ui.db-wal'],
  ['.env', 'env'],
  ['Копия базы.json', 'json'],
  ['../a b.db', 'a_b.db'],
  ['€', 'file'],
])('names the file %s', (name, expected) => {
  expect(toFileName(name)).toBe(expected);
});
