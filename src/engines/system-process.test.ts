// Processes of the machine: a reused id is recognized, and the process that occupies a port is named.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { basename } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { findPortHolder, readIdentity } from './system-process.ts';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** A program that writes one line when it is ready. */
async function start(program: string, ...args: readonly string[]): Promise<{ child: ChildProcess; line: string }> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const [chunk] = await once(child.stdout, 'data');
  return { child, line: String(chunk).trim() };
}

describe.skipIf(process.platform === 'win32')('a process', () => {
  it('is the same as long as it runs, and no other', async () => {
    const { child } = await start(process.execPath, '-e', 'console.log(1); setInterval(() => {}, 1000)');
    const pid = child.pid ?? 0;
    const identity = readIdentity(pid);
    expect(identity).not.toBeNull();
    expect(readIdentity(pid)).toBe(identity);
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    expect(readIdentity(pid)).toBeNull();
  });

  it.runIf(process.platform === 'linux')(
    'that has ended is none, also before its parent asks for its status',
    async () => {
      // The shell becomes a program that never reads its child's status.
      const { line } = await start('sh', '-c', 'true & echo $!; exec sleep 60');
      await expect.poll(() => readIdentity(Number(line))).toBeNull();
    },
  );

  it.runIf(process.platform === 'linux' && spawnSync('python3', ['--version']).status === 0)(
    'of which only the first thread has ended still is one: it holds its ports',
    async () => {
      const script = [
        'import ctypes, socket, threading',
        'listener = socket.create_server(("127.0.0.1", 0))',
        'threading.Thread(target=threading.Event().wait).start()',
        'print(listener.getsockname()[1], flush=True)',
        'ctypes.CDLL(None).pthread_exit(None)',
      ];
      const { child, line } = await start('python3', '-c', script.join('\n'));
      const pid = child.pid ?? 0;
      await expect.poll(() => readFileSync(`/proc/${pid}/stat`, 'utf8')).toContain(') Z ');
      expect(readIdentity(pid)).not.toBeNull();
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      expect([readIdentity(pid), await findPortHolder(Number(line), ['tcp'])]).toEqual([null, null]);
    },
  );
});

describe('a port', () => {
  it('is free, or names the program that listens there', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    expect(await findPortHolder(port, ['tcp'])).toMatchObject(process.platform === 'linux' ? { pid: process.pid } : {});
    server.close();
    await once(server, 'close');
    expect(await findPortHolder(port, ['tcp'])).toBeNull();
  });

  it('is one of TCP or of UDP', async () => {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const { port } = socket.address();
    expect(await findPortHolder(port, ['udp'])).toMatchObject(process.platform === 'linux' ? { pid: process.pid } : {});
    expect(await findPortHolder(port, ['tcp', 'udp'])).not.toBeNull();
    expect(await findPortHolder(port, ['tcp'])).toBeNull();
    socket.close();
    await once(socket, 'close');
    expect(await findPortHolder(port, ['udp'])).toBeNull();
  });

  it.runIf(process.platform === 'linux')('is held by a program with a name, on any address', async () => {
    const script = "const s = require('node:net').createServer().listen(0, '::', () => console.log(s.address().port))";
    const { child, line } = await start(process.execPath, '-e', script);
    expect(await findPortHolder(Number(line), ['tcp'])).toEqual({ pid: child.pid, name: basename(process.execPath) });
  });
});
