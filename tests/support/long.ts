// Chooses between the short form of a test, for `npm test`, and its long form, for `npm run test:full`.

/** True in `npm run test:full`, which sets the variable. */
export const isFull = process.env.GATEHOUSE_TEST_FULL === '1';

/** How often something is repeated: less in every run, more in the full one. */
export const times = (short: number, long: number): number => (isFull ? long : short);
