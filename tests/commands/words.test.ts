// What `npm run check` refuses of names and commit subjects.
import { describe, expect, it, test } from 'vitest';
import { findPrivateNames, findSubjectProblem } from '../../scripts/words.ts';

describe('names', () => {
  it.each([
    'function judgeInput() {}',
    'const tellAdmins = () => {};',
    'const it = { askInvoice() {} };',
    'interface A { keepEngine(): void; give: () => void }',
    'const MOST_USERS = 3;',
    'const bounds = () => { const mostBytes = 1; };',
  ])('refuses %s', (text) => {
    expect(findPrivateNames('src/core/a.ts', text)).not.toEqual([]);
  });

  it.each([
    'const agent = { keepAlive() {} };',
    'const note = () => {};',
    'function noted() {}',
    'const MAX_USERS = 3;',
    'const most = 3;',
  ])('accepts %s', (text) => {
    expect(findPrivateNames('src/core/a.ts', text)).toEqual([]);
  });

  test('a prompt to a person asks', () => {
    const text = 'function askPassword() {}';
    expect(findPrivateNames('src/cli/terminal.ts', text)).toEqual([]);
    expect(findPrivateNames('src/core/a.ts', text)).toEqual([
      'src/core/a.ts:1: askPassword starts with a private verb',
    ]);
  });
});

describe('commit subjects', () => {
  it.each([
    'nodes: restart a crashed engine while the panel is away',
    'http, door: pass the address on',
    'docs: address the reader',
  ])('accepts "%s"', (subject) => {
    expect(findSubjectProblem(subject)).toBeNull();
  });

  it.each([
    ['core: what a provider answers is named so', 'not with a verb'],
    ['nodes: restarted the engine', 'not with an imperative'],
    ['nodes: restarts the engine', 'not with an imperative'],
    ['nodes: restarting the engine', 'not with an imperative'],
    ['Restart the engine', 'is not `area: verb …`'],
    ['nodes: Restart the engine', 'is not `area: verb …`'],
    [`nodes: restart ${'the engine '.repeat(8)}`, 'more than 72'],
  ])('refuses "%s"', (subject, why) => {
    expect(findSubjectProblem(subject)).toContain(why);
  });
});
