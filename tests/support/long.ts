// Chooses between the short form of a test, for `npm test` and `npm run test:system`, and its long form, for `npm run test:full`.
import { COMMAND_VARIABLE } from '../../scripts/system-packages.ts';

/** True in `npm run test:full`, which sets the variable. */
export const isFull = process.env.GATEHOUSE_TEST_FULL === '1';

/** True in `npm test`, for what `npm run test:system` does more often. */
export const isBrief = process.env[COMMAND_VARIABLE] === 'test';

/** How often something is repeated: less in every run, more in the full one. */
export const times = (short: number, long: number): number => (isFull ? long : short);
