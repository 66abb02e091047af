// A real nginx with lines of a test in its `http` block.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findOnPath } from './engines.ts';

const STEP_MS = 25;
const STARTS_MS = 10_000;

/** Why tests with nginx are skipped; null: they run. */
export function whyWithoutNginx(): string | null {
  return findOnPath('nginx') === null ? 'needs nginx' : null;
}

/** Starts it, and waits until it listens on `port` of loopback. */
export async function startNginx(port: number, http: string): Promise<AsyncDisposable> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-nginx-'));
  const at = (name: string) => join(folder, name);
  mkdirSync(at('temp'));
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${at(`temp/${kind}`)};`,
  );
  writeFileSync(
    at('nginx.conf'),
    `daemon off; master_process off; pid ${at('nginx.pid')}; error_log ${at('error.log')};
     events {}
     http { access_log off; ${temp.join(' ')} ${http} }`,
  );
  const path = findOnPath('nginx') ?? 'nginx';
  const child = spawn(path, ['-p', folder, '-e', at('error.log'), '-c', at('nginx.conf')], { stdio: 'ignore' });
  const ended = once(child, 'close');
  const stop = async () => {
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  for (let waited = 0; !(await answers(port)); waited += STEP_MS) {
    if (child.exitCode !== null || waited > STARTS_MS) {
      const log = readFileSync(at('error.log'), 'utf8');
      await stop();
      throw new Error(`nginx does not listen: ${log}`);
    }
    await sleep(STEP_MS);
  }
  return { [Symbol.asyncDispose]: stop };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('close', () => socket.destroy());
    socket.once('connect', () => socket.destroy());
  });
}
