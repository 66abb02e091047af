// `npm run torture -- --kills N [--seed S]`: kills the panel N times at everything it does, and says what it found.
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
const { tallies, total, ms } = await torture({ kills, seed, log: console.log });
const row = (name: string, ...cells: (string | number)[]) =>
  console.log(name.padEnd(22), ...cells.map((cell) => String(cell).padStart(13)));
console.log();
row('', 'acknowledged', 'met by a kill', 'of these done');
for (const [name, tally] of tallies) row(name, tally.acknowledged, tally.interrupted, tally.completed);
row('all', total.acknowledged, total.interrupted, total.completed);
console.log(`
Acknowledged                each there once, none missing
Met by a kill               whole or not at all; what can be repeated was, and is there once
Database after each kill    sound (integrity_check, foreign_key_check, maintained counts)
Time                        ${(ms / 1000).toFixed(1)} s`);
