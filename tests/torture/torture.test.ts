// The torture of every run: a few kills in `npm test`, more in `npm run test:system`, a thousand in `npm run test:full`, and as many as one likes in
// `npm run torture -- --kills N`.
import { expect, it } from 'vitest';
import { isBrief, times } from '../support/long.ts';
import { readSeed } from '../support/seed.ts';
import { torture } from './torture.ts';

const KILLS = isBrief ? 8 : times(20, 1000);
const seed = readSeed('TORTURE_SEED');

it(`survives ${KILLS} kills at everything it does (TORTURE_SEED=${seed})`, {
  timeout: 600_000 + KILLS * 30_000,
}, async () => {
  const { tallies, total } = await torture({ kills: KILLS, seed });
  // A few kills leave a slow lane, such as restores, no time for a whole one.
  const counted = isBrief ? ([['all lanes', total]] as const) : tallies;
  for (const [name, { acknowledged }] of counted) expect(acknowledged, name).toBeGreaterThan(0);
  expect(total.interrupted, 'acts that a kill met').toBeGreaterThan(KILLS);
});
