// The log before the panel is open: written to the panel's file, and not to a folder of something else.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FILES, prepareDataFolder } from '../adapters/data-folder.ts';
import { openEarlyLog } from './early-log.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-early-log-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('is the file of the panel, which can use the folder afterwards', () => {
  const data = join(folder, 'data');
  openEarlyLog(data)?.error('first', { error: new Error('a defect') });
  openEarlyLog(data)?.error('second');
  const lines = readFileSync(join(data, FILES.log), 'utf8').trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 'error', msg: 'first', error: { message: 'a defect', stack: expect.stringContaining('    at ') } },
    { level: 'error', msg: 'second' },
  ]);
  prepareDataFolder(data);
});

it('is none in a folder of other files', () => {
  writeFileSync(join(folder, 'letter.txt'), '');
  expect(openEarlyLog(folder)).toBeNull();
  expect(readdirSync(folder)).toEqual(['letter.txt']);
});
