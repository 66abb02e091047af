// The line protocol over a real socket: answers, expected and unexpected failures, limits, modes, long paths and leftovers of a killed
// panel.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PanelError } from '../core/kernel/panel-error.ts';
import {
  type ControlHandler,
  type ControlSocket,
  claimControlAddress,
  connectControl,
  findControlAddress,
  openControlSocket,
} from './control-socket.ts';
import { openLog } from './log.ts';

let folder = '';
let logged = '';
let open: ControlSocket | null = null;
const log = openLog('stderr', (line) => {
  logged += line;
});

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-control-'));
  logged = '';
});
afterEach(async () => {
  await open?.close();
  open = null;
  rmSync(folder, { recursive: true, force: true });
});

const echo: ControlHandler = async (command, args) => ({ command, args });
async function start(handle: ControlHandler = echo) {
  open = await openControlSocket(folder, handle, log);
}
async function connect() {
  const client = await connectControl(folder);
  if (!client) throw new Error('no panel listens');
  return client;
}

test('a command is answered, one after the other on one connection', async () => {
  await start();
  const client = await connect();
  const answers = await Promise.all([
    client.callPanel('first', { n: 1 }),
    client.callPanel('второй', { text: 'a\nb' }),
  ]);
  expect(answers).toEqual([
    { command: 'first', args: { n: 1 } },
    { command: 'второй', args: { text: 'a\nb' } },
  ]);
  client.close();
});

test('an expected failure arrives as it was thrown', async () => {
  await start(() =>
    Promise.reject(new PanelError('slow_down', [{ pointer: '#/name', code: 'invalid', message: 'y' }], 7)),
  );
  const client = await connect();
  await expect(client.callPanel('x', {})).rejects.toMatchObject({
    code: 'slow_down',
    errors: [{ pointer: '#/name', code: 'invalid', message: 'y' }],
    retryAfter: 7,
  });
  client.close();
});

test('an unexpected failure is logged and tells nothing', async () => {
  await start(() => Promise.reject(new Error('SELECT broke')));
  const client = await connect();
  await expect(client.callPanel('x', {})).rejects.toMatchObject({ code: 'internal' });
  expect(logged).toContain('SELECT broke');
  client.close();
});

test('a line that is no JSON gets an answer, one without end gets none', async () => {
  await start();
  const reply = (text: string) =>
    new Promise<string>((resolve) => {
      let received = '';
      const socket = createConnection(findControlAddress(folder), () => socket.write(text));
      socket.on('data', (chunk) => {
        received += chunk;
        socket.end();
      });
      socket.on('error', () => undefined);
      socket.on('close', () => resolve(received));
    });
  expect(JSON.parse(await reply('nonsense\n'))).toEqual({ error: { code: 'bad_json' } });
  expect(await reply('x'.repeat(70_000))).toBe('');
});

test('without a panel there is nothing to connect to', async () => {
  expect(await connectControl(folder)).toBeNull();
  await start();
  await open?.close();
  expect(await connectControl(folder)).toBeNull();
  expect(existsSync(join(folder, 'control.sock'))).toBe(false);
});

test('a command that runs while the panel closes is still answered', async () => {
  const begun = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  await start(async () => {
    begun.resolve();
    await finish.promise;
    return 'done';
  });
  const client = await connect();
  const answer = client.callPanel('x', {});
  await begun.promise;
  const closed = open?.close();
  finish.resolve();
  expect(await answer).toBe('done');
  await closed;
});

describe.skipIf(process.platform === 'win32')('on a POSIX system', () => {
  test('only the owner may open it', async () => {
    await start();
    expect(statSync(join(folder, 'control.sock')).mode & 0o777).toBe(0o600);
  });

  test('what a killed panel left is replaced', async () => {
    writeFileSync(join(folder, 'control.sock'), '');
    await start();
    const client = await connect();
    expect(await client.callPanel('x', 1)).toEqual({ command: 'x', args: 1 });
    client.close();
  });

  test('a path too long for a socket gets a short one elsewhere, which goes with the panel', async () => {
    const short = folder;
    folder = join(folder, 'd'.repeat(120));
    mkdirSync(folder);
    await start();
    const address = readFileSync(join(folder, 'control.address'), 'utf8');
    expect(address.length).toBeLessThan(104);
    expect(statSync(dirname(address)).mode & 0o777).toBe(0o700);
    const client = await connect();
    expect(await client.callPanel('x', 1)).toEqual({ command: 'x', args: 1 });
    client.close();
    await open?.close();
    expect(existsSync(dirname(address))).toBe(false);
    folder = short;
  });
});

test('on Windows it is a pipe with a name that cannot be guessed', () => {
  const first = claimControlAddress(folder, { platform: 'win32' });
  expect(first).toMatch(/^\\\\\.\\pipe\\gatehouse-[0-9a-f]{32}$/);
  expect(findControlAddress(folder)).toBe(first);
  expect(claimControlAddress(folder, { platform: 'win32' })).not.toBe(first);
});
