// The torture of every run; `npm run test:full` kills a thousand times, `npm run torture -- --kills N` as often as one likes.
import { expect, it } from 'vitest';
import { times } from '../support/long.ts';
import { seedOf } from '../support/seed.ts';
import { torture } from './torture.ts';

const KILLS = times(20, 1000);
const seed = seedOf('TORTURE_SEED');

it(`survives ${KILLS} kills at everything it does (TORTURE_SEED=${seed})`, {
  timeout: 600_000 + KILLS * 30_000,
}, async () => {
  const { tallies, total } = await torture({ kills: KILLS, seed });
  for (const [name, { acknowledged }] of tallies) expect(acknowledged, name).toBeGreaterThan(0);
  expect(total.interrupted, 'acts that a kill met').toBeGreaterThan(KILLS);
});
