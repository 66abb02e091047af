// Which program counts as the shipped engine: only the pinned one, whether npm, an archive or a checkout contains it.
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { examineShippedEngine } from './shipped-engine.ts';

const PLATFORM = `${process.platform}-${process.arch}`;
let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'gatehouse-shipped-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const pinned = (text: string) => () => ({
  name: 'xray' as const,
  version: '26.7.28',
  sha256: { [PLATFORM]: createHash('sha256').update(text).digest('hex') },
});

it.each([
  ['an archive', `node_modules/gatehouse-engine-${PLATFORM}`],
  ['npm beside the panel', `../gatehouse-engine-${PLATFORM}`],
  ['a checkout', `packages/engine-${PLATFORM}`],
])('is found as %s has it', async (_where, place) => {
  const folder = join(root, 'gatehouse');
  expect(await examineShippedEngine(folder, pinned('program'))).toBeNull();
  const path = join(folder, place, 'xray');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, 'program');
  expect(await examineShippedEngine(folder, pinned('program'))).toBe(path);
});

it('is not used where it is another program, or where none is pinned', async () => {
  mkdirSync(join(root, `packages/engine-${PLATFORM}`), { recursive: true });
  writeFileSync(join(root, `packages/engine-${PLATFORM}/xray`), 'another');
  expect(await examineShippedEngine(root, pinned('program'))).toBeNull();
  expect(await examineShippedEngine(root, () => null)).toBeNull();
});
