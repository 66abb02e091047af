// If-Match: a strong comparison against the present tag.
import { describe, expect, it } from 'vitest';
import { etagOf, requireMatch } from './etag.ts';
import { PanelError } from './panel-error.ts';

const tag = etagOf({ id: 7, version: 3 });

function isMet(ifMatch: string | undefined): boolean {
  try {
    requireMatch(ifMatch, tag);
    return true;
  } catch (error) {
    if (error instanceof PanelError && error.code === 'precondition_failed') return false;
    throw error;
  }
}

describe('If-Match', () => {
  it.each([undefined, '*', '"7-3"', '"7-2", "7-3"', '"7-3","7-4"'])('is met by %s', (header) => {
    expect(isMet(header)).toBe(true);
  });

  it.each(['"7-2"', 'W/"7-3"', '7-3', '', '"7-33"', '"17-3"'])('is not met by %s', (header) => {
    expect(isMet(header)).toBe(false);
  });
});
