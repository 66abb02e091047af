import { expect, it } from 'vitest';
import { xhttpExtra } from './xhttp.ts';

it.each([
  [{ sessionIDTable: 'Base62', sessionIDLength: '8-16' }, true],
  [{ sessionIDTable: 'hex', sessionIDLength: 7 }, false],
  [{ sessionIDTable: 'hex', sessionIDLength: 8 }, true],
  [{ sessionIDTable: 'hex' }, false],
  [{ sessionIDTable: 'constructor', sessionIDLength: 16 }, true],
  // What is refused for itself is computed with all the same, which must come to an end.
  [{ sessionIDTable: '', sessionIDLength: '1-9999999999' }, false],
  [{ sessionIDTable: 'x', sessionIDLength: '1-9999999999' }, false],
  [{ sessionIDTable: 'hex', sessionIDLength: '1-9999999999' }, false],
])('settings %j: accepted %s', (extra, isAccepted) => {
  expect(xhttpExtra.safeParse(extra).success).toBe(isAccepted);
});
