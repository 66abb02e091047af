// An engine's log: its last lines, readable by the owner only, bounded in size.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createEngineLog, LOG_LINES } from './engine-log.ts';

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-log-'));
  path = join(folder, 'engines', 'node-1.log');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const append = (text: string, maxBytes?: number) => createEngineLog(path, maxBytes).append(Buffer.from(text));

it('has no lines before it is written', () => {
  expect(createEngineLog(path).lines()).toEqual([]);
});

it('gives the last lines, the oldest first, without empty ones and without the rest of long ones', () => {
  append(`${Array.from({ length: 300 }, (_, line) => `line ${line}`).join('\n')}\n\n${'x'.repeat(5000)}\n`);
  const lines = createEngineLog(path).lines();
  expect(lines).toHaveLength(LOG_LINES);
  expect(lines.slice(0, 1)).toEqual(['line 101']);
  expect(lines.at(-1)).toBe('x'.repeat(1000));
});

it('begins with a whole line where it is long', () => {
  append(`${'a long line of a log '.repeat(60)}\n`.repeat(400));
  for (const line of createEngineLog(path).lines()) expect(line).toMatch(/^a long line/);
});

it('is shortened to its last lines before it would be too long', () => {
  const wanted = Array.from({ length: 500 }, (_, line) => `line ${line}\n`);
  for (const line of wanted) append(line, 4000);
  const text = readFileSync(path, 'utf8');
  const kept = text.split('\n').length - 1;
  expect(kept).toBeGreaterThanOrEqual(LOG_LINES);
  expect(kept).toBeLessThan(wanted.length);
  expect(text).toBe(wanted.slice(-kept).join(''));
});

it('is never longer, whatever is written, and has the last of it', () => {
  const max = 300_000;
  const text = fc.oneof(
    fc.string({ minLength: 1, maxLength: 300 }),
    fc.constantFrom('x'.repeat(65_000), 'ж'.repeat(30_000), '\n'),
  );
  const check = (parts: readonly string[]) => {
    rmSync(path, { force: true });
    for (const part of parts) {
      append(part, max);
      expect(statSync(path).size).toBeLessThanOrEqual(max);
      expect(readFileSync(path).subarray(-Buffer.byteLength(part)).toString()).toBe(part);
    }
  };
  fc.assert(fc.property(fc.array(text, { minLength: 1, maxLength: 40 }), check));
});

it('loses what cannot be written', () => {
  mkdirSync(dirname(path), { recursive: true });
  rmSync(dirname(path), { recursive: true });
  createEngineLog(dirname(dirname(path))).append(Buffer.from('to a folder'));
  expect(createEngineLog(path).lines()).toEqual([]);
});

it.skipIf(process.platform === 'win32')('is for its owner only', () => {
  append('x\n');
  expect(statSync(path).mode & 0o777).toBe(0o600);
});
