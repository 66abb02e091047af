import { describe, expect, it } from 'vitest';
import { commandIn, runCommand } from './command.ts';

describe('the command in the arguments', () => {
  it.each([
    [
      ['/opt/gatehouse', 'panel', 'reset-password', '--data', '/d'],
      ['reset-password', '--data', '/d'],
    ],
    [['/opt/gatehouse', 'panel'], []],
    [['/opt/gatehouse'], null],
    [['/opt/gatehouse', '--hidden', 'panel'], null],
    [['/opt/gatehouse', 'panels'], null],
  ])('%j', (argv, command) => {
    expect(commandIn(argv, true)).toEqual(command);
  });

  it('is none in a checkout, where `npx panel` is it', () => {
    expect(commandIn(['electron', 'panel', 'url'], false)).toBeNull();
  });
});

it('runs as if the command had been called by its own name, and gives its exit code', async () => {
  const process = { argv: ['app', 'panel', 'url'], execPath: 'app', exitCode: undefined, platform: 'linux' as const };
  const stdin = globalThis.process.stdin;
  const seen: string[][] = [];
  const code = await runCommand(['url', 'base_url'], {
    process: Object.assign(process, { stdin }),
    async load() {
      seen.push([...process.argv]);
      Object.assign(process, { exitCode: 5 });
    },
  });
  expect(seen).toEqual([['app', 'panel', 'url', 'base_url']]);
  expect(code).toBe(5);
});
