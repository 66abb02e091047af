// Releases of the tests are made of the bundle.
import { ensureBuilt } from '../support/built.ts';

export const setup = ensureBuilt;
