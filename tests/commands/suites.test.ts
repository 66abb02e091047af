// Every test is run by `npm test` or by `npm run test:system`: none is dropped because a table does not name it.
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/run.ts';
import { chooseSuites, SYSTEM, TEST } from '../../scripts/suites.ts';
import { listSystemFiles, SYSTEM_PARTS } from '../../scripts/system-parts.ts';

const UNIT = ['std', 'node', 'web'];
const names = (suites: readonly { readonly name: string }[]) => suites.map(({ name }) => name).toSorted();

it('each suite of tests/ is in one of the commands', () => {
  const folders = globSync('tests/*/**/*.{test,spec}.ts', { cwd: root }).map((path) => path.split(/[\\/]/)[1] ?? '');
  const listed = [...TEST, ...SYSTEM].map(({ name }) => name);
  expect([...new Set(folders)].toSorted()).toEqual(
    [...new Set(listed)].filter((name) => !UNIT.includes(name) && name !== 'smoke').toSorted(),
  );
  expect(listed).toEqual(expect.arrayContaining(UNIT));
});

it('a suite is in both commands only where it has files for each, or repeats more in the second', () => {
  const isWhole = (name: string) => SYSTEM_PARTS[name] === undefined;
  const both = names(TEST).filter((name) => names(SYSTEM).includes(name));
  expect(both.filter(isWhole)).toEqual(['torture']);
  expect(both.filter((name) => !isWhole(name))).toEqual(Object.keys(SYSTEM_PARTS).toSorted());
});

it.each(Object.keys(SYSTEM_PARTS))('the files of %s in the second command exist', (suite) => {
  expect(listSystemFiles(suite).filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

describe('the suites of a command', () => {
  it('are all of it, with the smoke where no CI runs the second command anyway', () => {
    const { suites, skipped } = chooseSuites('test', [], true);
    expect(names(suites)).toEqual(names(TEST).filter((name) => name !== 'smoke'));
    expect(skipped).toEqual([]);
    expect(names(chooseSuites('system', [], true).suites)).toEqual(names(SYSTEM));
  });

  it('are those that are named, also of the other command', () => {
    expect(names(chooseSuites('test', ['web', 'engines'], false).suites)).toEqual(['engines', 'web']);
    expect(chooseSuites('system', ['panel'], false).suites).toEqual(SYSTEM.filter(({ name }) => name === 'panel'));
    expect(() => chooseSuites('test', ['wbe'], false)).toThrow('no suite is named wbe');
  });
});
