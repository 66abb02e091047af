// What a suite leaves behind is named, fails the command, and is gone after it, however the command ends.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REPORT_VARIABLE } from '../../scripts/test-reporter.ts';
import { openTestRun } from '../../scripts/test-run.ts';

const PLANTED = join(import.meta.dirname, 'planted.ts');
const POLL = { timeout: 60_000, interval: 50 };

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-commands-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A place for temporary files that no other test has: runs that were killed are looked for in it. */
const newPlace = () => mkdtempSync(join(folder, 'p'));
/** Waits for ever in the name of a test's leftover. */
const SLEEPER = 'setInterval(() => {}, 1000)';
/** Starts a sleeper that outlives the suite, and writes its process id to a file. */
const leaveProcess = (file: string) => `
  const child = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(SLEEPER)}], { detached: true, stdio: 'ignore' });
  require('node:fs').writeFileSync(${JSON.stringify(file)}, String(child.pid));
  child.unref();`;
const leaveFile = `require('node:fs').mkdirSync(require('node:path').join(require('node:os').tmpdir(), 'forgotten'));`;
const leaveConfig = `
  const config = require('node:path').join(require('node:os').homedir(), '.config/gatehouse');
  require('node:fs').mkdirSync(config, { recursive: true });
  require('node:fs').writeFileSync(config + '/settings.json', '{}');`;

const environment = (place: string) => ({ ...process.env, TMPDIR: place });

async function runPlanted(place: string, ...scripts: readonly string[]): Promise<string> {
  const run = promisify(execFile)(process.execPath, [PLANTED, ...scripts], { env: environment(place) });
  return (await run).stdout;
}

const isRunning = (pid: number) => existsSync(`/proc/${pid}`) && !/^\d+ \(.*\) Z/.test(readText(`/proc/${pid}/stat`));
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

it('a suite that leaves nothing passes', async () => {
  const place = newPlace();
  const output = await runPlanted(place, '', '');
  expect(output).toContain('✓ nothing left behind');
  expect(output).toContain('{"passed":3,"failed":0,"skipped":0}');
  expect(readdirSync(place)).toEqual([]);
});

it('a failed test is named at the end with what it said', async () => {
  const line = {
    event: 'end',
    title: 'a bad test',
    outcome: 'failed',
    reason: '\u001b[31mexpected 1\u001b[39m\nreceived 2',
  };
  const fail = `require('node:fs').appendFileSync(process.env.${REPORT_VARIABLE}, ${JSON.stringify(`${JSON.stringify(line)}\n`)});`;
  const output = await runPlanted(newPlace(), fail, '');
  expect(output).toMatch(
    /✗ suite-0: a bad test\n {4}expected 1\n {4}received 2\n\n\{"passed":3,"failed":1,"skipped":0\}\n$/,
  );
});

it('a temporary file and a file in the home fail it, and are named', async () => {
  const place = newPlace();
  const output = await runPlanted(place, leaveFile + leaveConfig, '');
  expect(output).toMatch(/✗ LEFT BEHIND by suite-0: file \/\S+\/forgotten\n/);
  expect(output).toMatch(/✗ LEFT BEHIND by suite-0: file \/\S+\/\.config\/gatehouse\/settings\.json\n/);
  expect(output).toContain('{"passed":3,"failed":2,"skipped":0}');
  expect(readdirSync(place)).toEqual([]);
});

describe.runIf(process.platform === 'linux')('processes', () => {
  it('that a suite leaves fail it, are named, and are ended', async () => {
    const place = newPlace();
    const file = join(folder, 'left');
    const output = await runPlanted(place, leaveProcess(file));
    const pid = Number(readFileSync(file, 'utf8'));
    expect(output).toContain(`✗ LEFT BEHIND by suite-0: process ${pid}: ${process.execPath} -e ${SLEEPER}`);
    expect(output).toContain('{"passed":2,"failed":1,"skipped":0}');
    expect(isRunning(pid)).toBe(false);
  });

  it.each([
    ['by a working folder in the run', (run: string) => ({ cwd: run, env: {} })],
    ['by a folder of the run in their environment', (run: string) => ({ env: { HOME: join(run, 'x') } })],
  ])('with an environment of their own are found %s', async (_how, options) => {
    const run = openTestRun(0);
    run.openSuite('suite');
    const child = spawn(process.execPath, ['-e', SLEEPER], { ...options(join(run.folder, 'suite')), stdio: 'ignore' });
    try {
      expect(run.findLeftovers('suite')).toMatchObject([
        { kind: 'process', name: `${child.pid}: ${process.execPath} -e ${SLEEPER}` },
      ]);
      expect(run.findLeftovers('another')).toEqual([]);
      const ended = once(child, 'exit');
      run.remove();
      expect(await ended).toEqual([null, 'SIGKILL']);
      expect(existsSync(run.folder)).toBe(false);
    } finally {
      child.kill('SIGKILL');
      run.remove();
    }
  });

  /** Starts a command whose suite does not end; resolves when it has started its own process. */
  async function startEndless(place: string): Promise<{ command: ChildProcess; pid: number }> {
    const file = join(place, 'pid');
    const command = spawn(process.execPath, [PLANTED, leaveProcess(file) + leaveFile + SLEEPER], {
      env: environment(place),
      stdio: 'ignore',
    });
    await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8'), POLL).toMatch(/^\d+$/);
    const pid = Number(readFileSync(file, 'utf8'));
    rmSync(file);
    return { command, pid };
  }

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'are ended and files removed where %s ends the command',
    async (signal) => {
      const place = newPlace();
      const { command, pid } = await startEndless(place);
      const ended = once(command, 'exit');
      command.kill(signal);
      expect(await ended).toEqual([130, null]);
      expect(isRunning(pid)).toBe(false);
      expect(readdirSync(place)).toEqual([]);
    },
  );

  it('of a command that was killed are ended by the next one', async () => {
    const place = newPlace();
    const { command, pid } = await startEndless(place);
    const ended = once(command, 'exit');
    command.kill('SIGKILL');
    await ended;
    expect(isRunning(pid)).toBe(true);
    const output = await runPlanted(place, '');
    expect(output).toContain(`Removed what a killed run had left: process ${pid}`);
    expect(output).toContain('{"passed":2,"failed":0,"skipped":0}');
    expect(isRunning(pid)).toBe(false);
    expect(readdirSync(place)).toEqual([]);
  });
});

it('leaves the folder of a run alone that another command uses', () => {
  const run = openTestRun(0);
  try {
    mkdirSync(join(run.folder, 'suite'));
    writeFileSync(join(run.folder, 'suite/file'), '');
    openTestRun(0).remove();
    expect(existsSync(join(run.folder, 'suite/file'))).toBe(true);
  } finally {
    run.remove();
  }
});
