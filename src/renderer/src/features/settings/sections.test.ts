// The settings' addresses lead to their sections.
import { describe, expect, it } from 'vitest';
import { isDocumentation, SECTIONS, sectionOf } from './sections.ts';

describe('sectionOf', () => {
  it('finds each section by its own address', () => {
    expect(SECTIONS.map(({ path }) => sectionOf(path).id)).toEqual(SECTIONS.map(({ id }) => id));
  });

  it.each([
    [[], 'general'],
    [['nothing'], 'general'],
    [['security', 'api', 'new'], 'api'],
    [['security', 'sessions'], 'security'],
    [['backups', 'a.gatehouse-backup'], 'backups'],
  ])('leads %j to %s', (path, id) => {
    expect(sectionOf(path).id).toBe(id);
  });
});

describe('isDocumentation', () => {
  it('knows the one place', () => {
    expect(isDocumentation(['security', 'api', 'docs'])).toBe(true);
    expect(isDocumentation(['security', 'api'])).toBe(false);
  });
});
