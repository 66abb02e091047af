// A short torture for every run; `npm run torture -- --kills 500` is the long one.
import { expect, it } from 'vitest';
import { torture } from './torture.ts';

const KILLS = 10;
const seed = Number(process.env.TORTURE_SEED ?? Math.floor(Math.random() * 2 ** 31));

it(`survives ${KILLS} kills in the middle of writes (TORTURE_SEED=${seed})`, { timeout: 240_000 }, async () => {
  const report = await torture({ kills: KILLS, seed });
  expect(report.acknowledged, 'acts before kills').toBeGreaterThan(KILLS);
  expect(report.interrupted, 'acts under way').toBeGreaterThan(0);
});
