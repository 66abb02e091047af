// The guides of every language have the parts of the English ones: headings, steps, links and code, and each ends in a test purchase.
import { describe, expect, it } from 'vitest';
import { LANGUAGES } from './languages.ts';
import { loadGuides } from './page-texts.ts';

const english = await loadGuides('en');
const loaded = await Promise.all(LANGUAGES.map(async ({ code }) => ({ code, guides: await loadGuides(code) })));

/** What each block is, and how many items it has. */
function outline(text: string): readonly string[] {
  return text
    .trim()
    .split(/\n{2,}/)
    .map((block) => {
      if (block.startsWith('## ')) return 'heading';
      if (block.startsWith('|')) return `table of ${block.split('\n').length}`;
      const [, mark] = /^(- |1\. )/.exec(block) ?? [];
      return mark === undefined ? 'text' : `${mark}${block.split(/^(?:- |\d+\. )/m).length - 1}`;
    });
}

const list = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([whole]) => whole).toSorted();

describe.each(loaded)('$code', ({ guides }) => {
  it.each(Object.keys(english) as (keyof typeof english)[])('%s', (name) => {
    const [own, model] = [guides[name], english[name]];
    expect(outline(own)).toEqual(outline(model));
    expect(list(own, /`[^`]+`/g)).toEqual(list(model, /`[^`]+`/g));
    expect(list(own, /\(https:[^)]+\)/g)).toEqual(list(model, /\(https:[^)]+\)/g));
    expect(list(own, /\*\*[^*]+\*\*/g)).toHaveLength(list(model, /\*\*[^*]+\*\*/g).length);
    expect(list(own, /\b[A-Z]{3} \d[\d.]*/g)).toEqual(list(model, /\b[A-Z]{3} \d[\d.]*/g));
    // The last part is a list of steps.
    expect(outline(own).at(-2)).toBe('heading');
    expect(outline(own).at(-1)).toMatch(/^1\. /);
  });
});
