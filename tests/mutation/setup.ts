// A test is known to Stryker by its name, which has the seed of a property: so every run takes the same one.
import { fc } from '@fast-check/vitest';

fc.configureGlobal({ seed: 1 });
