// The torture of every run; `npm run torture -- --kills 1000` is the long one.
import { expect, it } from 'vitest';
import { torture } from './torture.ts';

const KILLS = 100;
const seed = Number(process.env.TORTURE_SEED ?? Math.floor(Math.random() * 2 ** 31));

it(`survives ${KILLS} kills at everything it does (TORTURE_SEED=${seed})`, { timeout: 700_000 }, async () => {
  const { tallies, total } = await torture({ kills: KILLS, seed });
  for (const [name, { acknowledged }] of tallies) expect(acknowledged, name).toBeGreaterThan(0);
  expect(total.interrupted, 'acts that a kill met').toBeGreaterThan(KILLS);
});
