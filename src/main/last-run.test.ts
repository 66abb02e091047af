// How the last run ended, from the files that it left.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openRunRecord } from './last-run.ts';

const AT = '2026-11-20T10:00:00.000Z';
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-run-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = (place = folder) => openRunRecord(place, () => Date.parse(AT));

it('a run that ended properly leaves nothing', () => {
  const record = open();
  expect(record.consumeLastRun()).toBeNull();
  record.start();
  record.end();
  expect(readdirSync(folder)).toEqual([]);
  expect(open().consumeLastRun()).toBeNull();
});

it('one that was killed is known by its mark, once', () => {
  open().start();
  expect(open().consumeLastRun()).toEqual({ at: AT, message: null });
  expect(open().consumeLastRun()).toBeNull();
});

it('one that failed is known by the first line of its error, once; the report has the rest', () => {
  const place = join(folder, 'deep');
  const record = open(place);
  record.start();
  record.fail(new Error('first line\nsecond'));
  expect(JSON.parse(readFileSync(join(place, 'crash.json'), 'utf8')).stack).toMatch(
    /second\n[\s\S]*last-run\.test\.ts/,
  );
  expect(open(place).consumeLastRun()).toEqual({ at: AT, message: 'first line' });
  expect(open(place).consumeLastRun()).toBeNull();
});

it('a folder that cannot be written to ends nothing', () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const record = open(join(file, 'inside'));
  for (const act of [record.start, record.end, () => record.fail('a text')]) expect(act).not.toThrow();
  expect(record.consumeLastRun()).toBeNull();
});
