// A login session of its own for a test: a home, a message bus and gnome-keyring, none of which outlive it or meet another's.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PASSWORD = 'password of the login keyring';
const SECRETS = 'org.freedesktop.secrets';
const LOGIN = '/org/freedesktop/secrets/collection/login';

export interface Session extends AsyncDisposable {
  /** The whole environment of a process on this bus. */
  readonly env: NodeJS.ProcessEnv;
  /** For whatever a test keeps; only its owner may enter. */
  readonly folder: string;
  /** Signs in: with the password the keyring is open, without it stays locked. */
  startKeyring(mode: 'open' | 'locked'): Promise<void>;
  stopKeyring(): Promise<void>;
  lock(): Promise<void>;
  unlock(): Promise<void>;
}

/** `hanging`: a bus name whose program starts and never answers: the prompt, or the keychain itself. */
export async function openSession({ hanging }: { hanging?: 'prompt' | 'keychain' } = {}): Promise<Session> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-keychain-'));
  const runtime = join(folder, 'run');
  const services = join(folder, 'services');
  for (const path of [runtime, services]) mkdirSync(path, { mode: 0o700 });
  if (hanging) {
    const name = hanging === 'prompt' ? 'org.gnome.keyring.SystemPrompter' : SECRETS;
    // It ends soon after the session's folder is gone, so that a test can wait for as long as it takes.
    const program = join(services, 'hangs.sh');
    writeFileSync(program, '#!/bin/sh\nwhile [ -e "$0" ]; do sleep 1; done\n', { mode: 0o700 });
    writeFileSync(join(services, `${name}.service`), `[D-BUS Service]\nName=${name}\nExec=${program}\n`);
  }
  const config = join(folder, 'bus.xml');
  writeFileSync(config, busConfig(services));

  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const outside = { PATH, NODE_COMPILE_CACHE, HOME: folder, XDG_RUNTIME_DIR: runtime };
  const announce = ['sh', '-c', 'echo "$DBUS_SESSION_BUS_ADDRESS"; exec cat'];
  const bus = spawn('dbus-run-session', [`--config-file=${config}`, '--', ...announce], {
    env: outside,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const [address] = await once(bus.stdout.setEncoding('utf8'), 'data');
  const env = { ...outside, DBUS_SESSION_BUS_ADDRESS: String(address).trim() };
  let keyring: ChildProcess | null = null;

  const send = (path: string, ...call: string[]) =>
    run('dbus-send', ['--session', '--print-reply', `--dest=${SECRETS}`, path, ...call], { env });

  const stopKeyring = async () => {
    const ending = keyring;
    keyring = null;
    if (!ending || ending.exitCode !== null) return;
    ending.kill('SIGKILL');
    await once(ending, 'exit');
  };

  return {
    env,
    folder,
    async startKeyring(mode) {
      const flags = ['--foreground', '--components=secrets', ...(mode === 'open' ? ['--unlock'] : [])];
      keyring = spawn('gnome-keyring-daemon', flags, { env, stdio: ['pipe', 'ignore', 'ignore'] });
      keyring.stdin?.end(mode === 'open' ? PASSWORD : '');
      await eventually(() => send('/', 'org.freedesktop.DBus.Peer.Ping'));
    },
    stopKeyring,
    async lock() {
      await send('/org/freedesktop/secrets', 'org.freedesktop.Secret.Service.Lock', `array:objpath:${LOGIN}`);
    },
    unlock: () => unlockBySocket(join(runtime, 'keyring', 'control')),
    async [Symbol.asyncDispose]() {
      await stopKeyring();
      bus.stdin.end();
      await once(bus, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The rules of an ordinary session bus, but no program of the machine is started by it. */
function busConfig(services: string): string {
  return `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:tmpdir=/tmp</listen>
  <servicedir>${services}</servicedir>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`;
}

/** What the PAM module of gnome-keyring sends when somebody signs in: a byte for the credentials, then one packet. */
async function unlockBySocket(path: string): Promise<void> {
  const UNLOCK = 1;
  const password = Buffer.from(PASSWORD);
  const head = Buffer.alloc(12);
  head.writeUInt32BE(head.length + password.length, 0);
  head.writeUInt32BE(UNLOCK, 4);
  head.writeUInt32BE(password.length, 8);
  const socket = connect(path);
  socket.write(Buffer.concat([Buffer.alloc(1), head, password]));
  const [reply] = await once(socket, 'data');
  socket.destroy();
  if (reply.readUInt32BE(4) !== 0) throw new Error('the keyring was not unlocked');
}

async function eventually(work: () => Promise<unknown>): Promise<void> {
  for (let left = 6000; ; left -= 1) {
    try {
      await work();
      return;
    } catch (error) {
      if (left === 0) throw error;
      await wait(20);
    }
  }
}
