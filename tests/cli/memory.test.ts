// `panel serve` starts itself anew with settings that keep its memory small, as the same process.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ALLOCATOR, FLAGS } from '../support/frugal.ts';

const COMMAND = join(import.meta.dirname, '../../bin/panel.mjs');
const STRANGER = { MALLOC_ARENA_MAX: '3' };

let folder: string;
let child: ChildProcess | null = null;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-memory-'));
});
afterEach(async () => {
  if (child !== null && child.exitCode === null) {
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }
  rmSync(folder, { recursive: true, force: true });
});

/** Serves without a channel to this process, as a shell or a service manager starts it; what it said until it was up. */
async function serve(variables: NodeJS.ProcessEnv): Promise<{ serving: ChildProcess; pid: number; said: string }> {
  const bare = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('MALLOC_') && name !== 'NODE_CHANNEL_FD',
  );
  const serving = spawn(process.execPath, [COMMAND, 'serve', '--data', join(folder, 'data'), '--port', '0'], {
    env: { ...Object.fromEntries(bare), ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child = serving;
  let said = '';
  await new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes('Then try it:')) resolve();
    };
    serving.stdout.on('data', read);
    serving.stderr.on('data', read);
    serving.once('close', () => reject(new Error(`it ended: ${said}`)));
  });
  return { serving, pid: serving.pid ?? 0, said };
}

const partsOf = (pid: number, file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8').split('\0').filter(Boolean);

describe.runIf(process.platform === 'linux')('panel serve', () => {
  it('has the flags and the allocator’s settings, is the process that was started, and says nothing of it', async () => {
    const { pid, said } = await serve({});
    const command = partsOf(pid, 'cmdline');
    expect(command.slice(1, 1 + FLAGS.length)).toEqual(FLAGS);
    expect(command).toContain('serve');
    const variables = partsOf(pid, 'environ');
    for (const [name, value] of Object.entries(ALLOCATOR)) expect(variables).toContain(`${name}=${value}`);
    expect(said).not.toContain('Warning');
  });

  it('leaves an allocator alone that somebody has set up', async () => {
    const { pid } = await serve(STRANGER);
    expect(partsOf(pid, 'cmdline')).not.toContain(FLAGS[0]);
    expect(partsOf(pid, 'environ').filter((each) => each.startsWith('MALLOC_'))).toEqual(['MALLOC_ARENA_MAX=3']);
  });

  it('ends at SIGTERM as before', async () => {
    const { serving } = await serve({});
    const exit = once(serving, 'exit');
    serving.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
  });
});
