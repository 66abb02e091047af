// Before each file of tests: its properties are tried with the same values each time, except in the full form, where fast-check chooses
// others and names their seed.
import fc from 'fast-check';
import { isFull } from './long.ts';
import { readSeed } from './seed.ts';

if (!isFull || process.env.FUZZ_SEED !== undefined) fc.configureGlobal({ seed: readSeed('FUZZ_SEED') });
