// Routes of the settings open their sections.
import { describe, expect, it } from 'vitest';
import { findDocumentation, findSection, listSections } from './sections.ts';

const sections = listSections('browser');

describe('findSection', () => {
  it('finds each section by its own address', () => {
    expect(sections.map(({ path }) => findSection(sections, path).id)).toEqual(sections.map(({ id }) => id));
  });

  it.each([
    [[], 'general'],
    [['nothing'], 'general'],
    [['security', 'api', 'new'], 'api'],
    [['security', 'webhooks', '7'], 'webhooks'],
    [['security', 'sessions'], 'security'],
    [['backups', 'a.gatehouse-backup'], 'backups'],
  ])('leads %j to %s', (path, id) => {
    expect(findSection(sections, path).id).toBe(id);
  });
});

describe('listSections', () => {
  it('has the desktop’s own section inside the desktop only', () => {
    const listIds = (host: 'browser' | 'desktop') => listSections(host).map(({ id }) => id);
    expect(listIds('browser')).not.toContain('desktop');
    expect(listIds('desktop')).toContain('desktop');
  });
});

describe('findDocumentation', () => {
  it('recognises its paths', () => {
    expect(findDocumentation(['security', 'api', 'docs', 'plain'])).toBe('api');
    expect(findDocumentation(['security', 'api'])).toBeNull();
    expect(findDocumentation(['payments', 'guides', 'stripe'])).toBe('guides');
    expect(findDocumentation(['payments', '7'])).toBeNull();
  });
});
