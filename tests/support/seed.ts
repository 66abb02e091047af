// Where a test's random numbers begin: in `npm test` always at the same, as its result must not depend on chance; in the full form
// elsewhere each time, which is then told.
import { times } from './long.ts';

/** The seed, or that of the variable, which repeats a run. */
export const readSeed = (variable: string): number =>
  Number(process.env[variable] ?? times(20_261_124, Math.floor(Math.random() * 2 ** 31)));
