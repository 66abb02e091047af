// An engine's log: its last lines, for the owner only, and never so long that it fills the disk.
import { closeSync, mkdtempSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createEngineLog, LOG_LINES } from './engine-log.ts';

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-log-'));
  path = join(folder, 'engines', 'node-1.log');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function append(text: string): void {
  const descriptor = createEngineLog(path).open();
  writeSync(descriptor, text);
  closeSync(descriptor);
}

it('has no lines before it is written', () => {
  const log = createEngineLog(path);
  expect([log.lines(), log.size(), log.since(0)]).toEqual([[], 0, '']);
  log.shorten();
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

it('tells what was written since a size', () => {
  append('before\n');
  const log = createEngineLog(path);
  const size = log.size();
  append('after\n');
  expect(log.since(size)).toBe('after\n');
});

it('is shortened to its last lines under a program that goes on writing', () => {
  const log = createEngineLog(path);
  const descriptor = log.open();
  for (let line = 0; line < 500; line += 1) writeSync(descriptor, `line ${line}\n`);
  log.shorten();
  expect(log.size()).toBeGreaterThan(4000);
  log.shorten(1000);
  writeSync(descriptor, 'next\n');
  closeSync(descriptor);
  const text = readFileSync(path, 'utf8');
  expect(text.startsWith('line 300\n')).toBe(true);
  expect(text.endsWith('line 499\nnext\n')).toBe(true);
});

it.skipIf(process.platform === 'win32')('is for its owner only', () => {
  append('x\n');
  expect(statSync(path).mode & 0o777).toBe(0o600);
});
