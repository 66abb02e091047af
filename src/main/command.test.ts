// The `panel` command of the packaged application: how it is recognised and run.
import { describe, expect, it } from 'vitest';
import { findCommand, findDebugSwitch, runCommand } from './command.ts';

describe('the arguments of the command', () => {
  it.each([
    [
      ['/opt/gatehouse', 'panel', 'reset-password', '--data', '/d'],
      ['reset-password', '--data', '/d'],
    ],
    [['/opt/gatehouse', 'panel'], []],
    [['/opt/gatehouse'], null],
    [['/tmp/.mount_gatehouse/gatehouse', '--no-sandbox', 'panel', 'doctor'], ['doctor']],
    [['/opt/gatehouse', '--no-sandbox'], null],
    [['/opt/gatehouse', '--hidden', 'panel'], null],
    [['/opt/gatehouse', 'panels'], null],
    [['/opt/gatehouse', '--version'], ['--version']],
    [['/opt/gatehouse', '--help'], ['--help']],
    [['/opt/gatehouse', '--hidden', '--version'], null],
  ])('%j', (argv, command) => {
    expect(findCommand(argv, true)).toEqual(command);
  });

  it('is not recognised in a checkout, where `npx panel` is the command', () => {
    expect(findCommand(['electron', 'panel', 'url'], false)).toBeNull();
    expect(findCommand(['electron', '--version'], false)).toBeNull();
  });
});

it('runs as if it had been called by its own name, and returns its exit code', async () => {
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

it.each(['remote-debugging-port', 'remote-debugging-pipe', null])(
  'finds the switch %s that opens the pages to other programs',
  (given) => {
    expect(findDebugSwitch({ hasSwitch: (name) => name === given })).toBe(given);
  },
);
