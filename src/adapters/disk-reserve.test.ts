// The disk reserve: made completely or not at all, released in pieces, and an incomplete one is recognized at the next start.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openReserve } from './disk-reserve.ts';

const BYTES = 2 ** 20;
const SMALL = { bytes: BYTES, spare: BYTES };

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-reserve-'));
  path = join(folder, 'reserve');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('is none until it is made, and then whole, for its owner alone', async () => {
  const reserve = openReserve(path, SMALL);
  expect([reserve.state(), reserve.bytesLeft(), reserve.missingBytes()]).toEqual(['none', 0, 2 * BYTES]);
  expect(reserve.release()).toBe(false);
  expect(await reserve.restore()).toBe(true);
  expect([reserve.state(), reserve.bytesLeft(), reserve.missingBytes()]).toEqual(['whole', BYTES, 0]);
  const { size, blocks, mode } = statSync(path);
  expect([size, mode & 0o777]).toEqual([BYTES, 0o600]);
  expect(blocks * 512).toBeGreaterThanOrEqual(BYTES);
});

test('is given back piece by piece, to its end', async () => {
  const reserve = openReserve(path, SMALL);
  await reserve.restore();
  let pieces = 0;
  for (let left = BYTES; reserve.release(); left = reserve.bytesLeft()) {
    expect(reserve.bytesLeft()).toBeLessThan(left);
    pieces += 1;
  }
  expect(pieces).toBeGreaterThan(4);
  expect([reserve.state(), reserve.bytesLeft()]).toEqual(['broken', 0]);
});

test('is still broken at the next start, and becomes whole again', async () => {
  const former = openReserve(path, SMALL);
  await former.restore();
  former.release();
  const reserve = openReserve(path, SMALL);
  expect(reserve.state()).toBe('broken');
  expect(await reserve.restore()).toBe(true);
  expect(openReserve(path, SMALL).state()).toBe('whole');
});

test('is left alone where there is no room for it and some to spare', async () => {
  const reserve = openReserve(path, { bytes: BYTES, spare: 2 ** 60 });
  expect(reserve.freeBytes()).toBeGreaterThan(0);
  expect(await reserve.restore()).toBe(false);
  expect(readdirSync(folder)).toEqual([]);
});
