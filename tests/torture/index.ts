// `npm run torture -- --kills N [--seed S]`: kills the panel N times while it writes, and says what it found.
import { parseArgs } from 'node:util';
import { torture } from './torture.ts';

const { values } = parseArgs({ options: { kills: { type: 'string', default: '25' }, seed: { type: 'string' } } });
const kills = Number(values.kills);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
if (!Number.isInteger(kills) || kills < 1 || !Number.isInteger(seed)) {
  console.error('Usage: npm run torture -- --kills <number> [--seed <number>]');
  process.exit(2);
}

console.log(`${kills} kills, seed ${seed}`);
const report = await torture({ kills, seed, log: console.log });
const { acknowledged, interrupted, completed, ms } = report;
console.log(`\nAcknowledged before a kill  ${acknowledged}, each there once`);
console.log(
  `Under way at a kill         ${interrupted}: ${completed} had taken effect whole, the others not at all; repeated, each is there once`,
);
console.log(`Database sound after each   yes (integrity_check, foreign_key_check, maintained counts)`);
console.log(`Time                        ${(ms / 1000).toFixed(1)} s`);
