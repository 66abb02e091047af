// Real servers of places in processes of their own: S3-compatible storage and SFTP, each over a folder, which can be killed and started again.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findProgram } from '../support/engines.ts';
import { freePort } from '../support/free-port.ts';

export interface PlaceServer extends AsyncDisposable {
  /** As the command line names the place. */
  readonly url: string;
  /** As the panel is told of it. */
  readonly input: { readonly kind: 's3' | 'sftp'; readonly fields: Readonly<Record<string, string>> };
  /** For `--secrets`. */
  readonly secrets: string;
  /** Where it stores the backups. */
  readonly folder: string;
  start(): Promise<void>;
  /** By SIGKILL. */
  kill(): Promise<void>;
}

async function untilListening(port: number): Promise<void> {
  for (let tries = 0; tries < 500; tries += 1) {
    const socket = connect(port, '127.0.0.1');
    const isUp = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (isUp) return;
    await sleep(20);
  }
  throw new Error(`nothing listens on ${port}`);
}

function createServer(
  parent: string,
  port: number,
  spawnServer: () => ChildProcess,
): Pick<PlaceServer, 'start' | 'kill' | typeof Symbol.asyncDispose> {
  let running: ChildProcess | null = null;
  const kill = async () => {
    const child = running;
    running = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    // With what it has started for its connections.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    await exit;
  };
  return {
    kill,
    async start() {
      running = spawnServer();
      await untilListening(port);
    },
    async [Symbol.asyncDispose]() {
      await kill();
      rmSync(parent, { recursive: true, force: true });
    },
  };
}

const newParent = () => mkdtempSync(join(tmpdir(), 'gatehouse-place-'));

function writeSecrets(parent: string, lines: readonly string[]): string {
  const path = join(parent, 'secrets');
  writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o600 });
  return path;
}

/** `more`: further lines of the secrets. */
export async function openStorage(more: readonly string[]): Promise<PlaceServer> {
  const program = findProgram('versitygw');
  if (program === null) throw new Error('versitygw is missing');
  const parent = newParent();
  const port = await freePort();
  const root = join(parent, 'root');
  const folder = join(root, 'backups');
  mkdirSync(folder, { recursive: true });
  const [key, secret] = ['GKaccess', 'a-secret-of-the-storage'];
  const env = { ...process.env, ROOT_ACCESS_KEY: key, ROOT_SECRET_KEY: secret };
  const args = ['--quiet', '--port', `127.0.0.1:${port}`, 'posix', '--sidecar', join(parent, 'sidecar'), root];
  mkdirSync(join(parent, 'sidecar'));
  const server = createServer(parent, port, () => spawn(program, args, { env, stdio: 'ignore', detached: true }));
  return {
    ...server,
    folder,
    url: `s3://backups/panel?endpoint=http://127.0.0.1:${port}`,
    input: {
      kind: 's3',
      fields: {
        endpoint: `http://127.0.0.1:${port}`,
        bucket: 'backups',
        prefix: 'panel',
        access_key_id: key,
        secret_access_key: secret,
      },
    },
    secrets: writeSecrets(parent, [`S3_ACCESS_KEY_ID=${key}`, `S3_SECRET_ACCESS_KEY=${secret}`, ...more]),
  };
}

export const SSHD = '/usr/sbin/sshd';

/** OpenSSH's own server. Where it runs as root it wants a folder that only root can write to. */
export async function openSftpServer(more: readonly string[]): Promise<PlaceServer & { readonly hostKey: string }> {
  const parent = newParent();
  const port = await freePort();
  const folder = join(parent, 'backups');
  mkdirSync(folder);
  for (const name of ['host', 'user']) {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(parent, name)]);
  }
  writeFileSync(join(parent, 'authorized'), readFileSync(join(parent, 'user.pub')), { mode: 0o600 });
  chmodSync(parent, 0o700);
  if (process.geteuid?.() === 0 && !existsSync('/run/sshd')) mkdirSync('/run/sshd', { mode: 0o755 });
  const options = {
    ListenAddress: `127.0.0.1:${port}`,
    HostKey: join(parent, 'host'),
    AuthorizedKeysFile: join(parent, 'authorized'),
    PidFile: 'none',
    StrictModes: 'no',
    UsePAM: 'no',
    PasswordAuthentication: 'no',
    PermitRootLogin: 'yes',
    Subsystem: 'sftp internal-sftp',
  };
  const args = [
    '-D',
    '-e',
    '-f',
    '/dev/null',
    ...Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]),
  ];
  const server = createServer(parent, port, () => spawn(SSHD, args, { stdio: 'ignore', detached: true }));
  const [, hostKey = ''] = execFileSync('ssh-keygen', ['-lf', join(parent, 'host.pub')], { encoding: 'utf8' }).split(
    ' ',
  );
  const target = `sftp://${userInfo().username}@127.0.0.1:${port}${folder}`;
  return {
    ...server,
    folder,
    hostKey,
    url: `${target}?host-key=${encodeURIComponent(hostKey)}`,
    input: {
      kind: 'sftp',
      fields: {
        host: '127.0.0.1',
        port: String(port),
        user: userInfo().username,
        path: folder,
        host_key: hostKey,
        private_key: readFileSync(join(parent, 'user'), 'utf8'),
      },
    },
    secrets: writeSecrets(parent, [`SFTP_PRIVATE_KEY_FILE=${join(parent, 'user')}`, ...more]),
  };
}
