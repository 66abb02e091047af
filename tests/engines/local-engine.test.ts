// The engine of a local node, with the real programs: started, adopted, stopped, and what is said where that fails.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock, systemTimers } from '../../src/adapters/clock.ts';
import { nodeCrypto } from '../../src/adapters/crypto.ts';
import type { Engine, EngineConfig, EngineError, EngineInbound, EngineName } from '../../src/core/ports/engines.ts';
import { connectEngine } from '../../src/engines/connector.ts';
import { readState, stopStrays } from '../../src/engines/engine-state.ts';
import { createLocalEngine, type LocalEngineParts } from '../../src/engines/local-engine.ts';
import { readIdentity } from '../../src/engines/system-process.ts';
import { freePort } from '../support/free-port.ts';
import { sampleInbound } from '../support/subscription-samples.ts';
import { getProgramPath, whyWithout } from './found.ts';

const USER = {
  userId: 7,
  credentials: {
    uuid: nodeCrypto.uuid(),
    password: 'canary-password-of-a-user',
    key: Buffer.alloc(32, 5).toString('base64'),
    wireguard: Buffer.alloc(32, 6).toString('base64'),
  },
  inbounds: [1],
};

let folder = '';
const engines: Engine[] = [];
const children: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-engine-'));
});
afterEach(async () => {
  for (const engine of engines.splice(0)) engine.close();
  for (const child of children.splice(0)) child.kill('SIGKILL');
  // Also what a test that failed has left, and the engine of a panel that was killed.
  await stopStrays(folder, new Set());
  rmSync(folder, { recursive: true, force: true });
});

function open(path: string | null, changes: Partial<LocalEngineParts> = {}): Engine {
  const engine = createLocalEngine({
    nodeId: 1,
    folder,
    path: () => path,
    connect: connectEngine,
    clock: systemClock,
    timers: systemTimers,
    crypto: nodeCrypto,
    ...changes,
  });
  engines.push(engine);
  return engine;
}

function inbound(port: number, fields: Partial<EngineInbound> = {}): EngineInbound {
  const secrets = { privateKey: null, certificateKey: null, decryption: null, mldsa65Seed: null, serverKey: null };
  return { ...sampleInbound({ id: 1, tag: 'vless', port }), ...secrets, ...fields };
}

async function buildConfig(fields: Partial<EngineInbound> = {}): Promise<EngineConfig> {
  return { inbounds: [inbound(await freePort(), fields)], blocksPrivate: true };
}

const reason = (work: Promise<unknown>) =>
  work.then(
    () => null,
    ({ code, message }: EngineError) => `${code} ${message}`,
  );

interface State {
  readonly pid: number;
  readonly identity: string;
  readonly apiPort: number;
}
/** What runs in the folder, by the system itself; nothing where it has no /proc. */
function listProcesses(): readonly string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').filter((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === folder;
    } catch {
      return false;
    }
  });
}

const GIVEN_UP = 'engine_unreachable its start was given up';
const POLLED = { timeout: 30_000, interval: 50 };
const statePath = () => join(folder, 'node-1.json');
const state = (): State => JSON.parse(readFileSync(statePath(), 'utf8'));

for (const name of ['xray', 'v2ray'] satisfies EngineName[]) {
  const missing = whyWithout(name);
  describe.skipIf(missing !== null)(`${name} ${missing ?? ''}`.trim(), () => {
    test('runs as the start that was asked for, with nothing secret in a file, until it is stopped', async () => {
      const engine = open(getProgramPath(name));
      expect(await engine.running()).toBeNull();
      const config = await buildConfig();
      const before = systemClock.now();
      const running = await engine.start(config, [USER], 'b00t');
      expect(running).toMatchObject({ name, boot: 'b00t', fingerprint: engine.fingerprint(config) });
      expect(running.version).toMatch(/^\d+\.\d+\.\d+$/);
      expect(running.startedAt).toBeGreaterThan(before - 5000);
      expect(await engine.running()).toMatchObject({ boot: 'b00t', version: running.version });
      expect((await engine.counters()).boot).toBe('b00t');
      expect(await reason(engine.start(config, [], 'other'))).toBe('engine_refused it runs already');
      // What it says comes through a pipe.
      const files = readdirSync(folder).filter((file) => !statSync(join(folder, file)).isFIFO());
      const texts = files.map((file) => {
        expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
        return readFileSync(join(folder, file), 'utf8');
      });
      expect(texts).toHaveLength(2);
      expect(texts.join()).not.toContain(USER.credentials.uuid);
      expect(engine.log().join('\n')).toMatch(/started|Xray|V2Ray/);
      const { pid } = state();
      await engine.stop();
      expect([readIdentity(pid), existsSync(statePath()), await engine.running()]).toEqual([null, false, null]);
      expect(await reason(engine.counters())).toBe('engine_unreachable it does not run');
      await engine.stop();
    });

    test('is adopted by another panel, and ended by it', async () => {
      const first = open(getProgramPath(name));
      await first.start(await buildConfig(), [USER], 'adopted');
      const { pid } = state();
      first.close();
      const second = open(getProgramPath(name));
      expect(await second.running()).toMatchObject({ name, boot: 'adopted' });
      expect(state().pid).toBe(pid);
      await second.stop();
      expect(readIdentity(pid)).toBeNull();
    });

    test('says when it ends by itself, whoever started it', async () => {
      for (const isAdopted of [false, true]) {
        const starter = open(getProgramPath(name));
        await starter.start(await buildConfig(), [], 'b');
        if (isAdopted) starter.close();
        const engine = isAdopted ? open(getProgramPath(name)) : starter;
        await engine.running();
        const ended = new Promise<EngineError>((resolve) => engine.onExit(resolve));
        process.kill(state().pid, 'SIGKILL');
        expect((await ended).code).toBe('engine_crashed');
        expect(await engine.running()).toBeNull();
      }
    });

    test('is not stopped where it was asked to, and then says nothing', async () => {
      const engine = open(getProgramPath(name));
      let exits = 0;
      engine.onExit(() => {
        exits += 1;
      });
      await engine.start(await buildConfig(), [], 'b');
      await engine.stop();
      await engine.start(await buildConfig(), [], 'c');
      expect(exits).toBe(0);
    });

    test('refuses what it cannot serve, in its own words, and the running one goes on', async () => {
      const engine = open(getProgramPath(name));
      const config = await buildConfig();
      await engine.start(config, [USER], 'b');
      const { pid } = state();
      await engine.check(config);
      // v2ray does not look for it before it starts, so that the panel does.
      const bad =
        name === 'xray'
          ? [inbound(await freePort(), { tag: 'twice' }), inbound(await freePort(), { tag: 'twice', id: 2 })]
          : [inbound(await freePort(), { network: 'xhttp' })];
      const words = name === 'xray' ? /^config_refused .*twice/ : /^config_refused vless: v2ray does not know XHTTP/;
      expect(await reason(engine.check({ inbounds: bad, blocksPrivate: true }))).toMatch(words);
      expect(await engine.running()).toMatchObject({ boot: 'b' });
      expect(state().pid).toBe(pid);
    });

    test('goes on where nobody reads what it says, however much that is, and the next panel reads it', async () => {
      const path = join(folder, 'talkative');
      const talk = `( while :; do echo talk talk talk; done ) &`;
      writeFileSync(
        path,
        `#!/bin/sh\ncase "$*" in *-test*|*version*) ;; *) ${talk} ;; esac\nexec ${getProgramPath(name)} "$@"\n`,
      );
      chmodSync(path, 0o755);
      const first = open(path);
      const config = await buildConfig();
      await first.start(config, [USER], 'b');
      const { pid } = state();
      try {
        await expect.poll(() => first.log().at(-1)).toBe('talk talk talk');
        first.close();
        const logPath = join(folder, 'node-1.log');
        const { size } = statSync(logPath);
        // As much as a pipe holds is not read: from then on it waits, and so would the engine.
        const api = connectEngine({ address: '127.0.0.1', port: state().apiPort });
        const change = { inbound: inbound(1), user: USER };
        for (let calls = 0; calls < 100; calls += 1) {
          expect(await api.apply([{ ...change, isAllowed: calls % 2 === 1 }])).toEqual([null]);
        }
        api.close();
        expect([statSync(logPath).size, readIdentity(pid) !== null]).toEqual([size, true]);

        const next = open(path);
        expect(await next.running()).toMatchObject({ boot: 'b' });
        await expect.poll(() => statSync(logPath).size).toBeGreaterThan(size);
        await next.stop();
        expect(readIdentity(pid)).toBeNull();
      } finally {
        // What talks is in the group of the engine.
        process.kill(-pid, 'SIGKILL');
      }
    });

    test('names the connection whose port only the start finds taken', async () => {
      const [free, port] = [await freePort(), await freePort()];
      const listen = `require('node:net').createServer().listen(${port}, () => console.log('listens'))`;
      const path = join(folder, 'late-listener');
      // Another program takes the port after it was looked at.
      const lines = [
        '#!/bin/sh',
        'case "$*" in *-test*|*version*) ;; *)',
        `  "${process.execPath}" -e "${listen}; setTimeout(() => process.exit(), 5000)" > "${folder}/listening" 2>&1 &`,
        `  until grep -q listens "${folder}/listening"; do sleep 0.1; done ;;`,
        'esac',
        `exec ${getProgramPath(name)} "$@"`,
      ];
      writeFileSync(path, `${lines.join('\n')}\n`);
      chmodSync(path, 0o755);
      const engine = open(path);
      const config = { inbounds: [inbound(free), inbound(port, { id: 2, tag: 'other' })], blocksPrivate: true };
      await engine.check(config);
      expect(await reason(engine.start(config, [], 'b'))).toBe(
        `port_taken other: port ${port}: address already in use`,
      );
    });

    test('names the connection and the program where a port is taken', async () => {
      const engine = open(getProgramPath(name));
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      const port = Number((server.address() as { port: number }).port);
      const config = { inbounds: [inbound(port)], blocksPrivate: true };
      const expected = process.platform === 'linux' ? 'the panel itself' : 'another program';
      const words = `port_taken vless: port ${port} is taken by ${expected}`;
      expect(await reason(engine.check(config))).toBe(words);
      expect(await reason(engine.start(config, [], 'b'))).toBe(words);
      server.close();
      await once(server, 'close');
      await engine.start(config, [], 'b');
      // Its own port is not taken by itself, and by it for another.
      await engine.check(config);
      const other = open(getProgramPath(name), { nodeId: 2 });
      if (process.platform === 'linux')
        expect(await reason(other.check(config))).toBe(
          `port_taken vless: port ${port} is taken by ${name} (process ${state().pid})`,
        );
    });
  });
}

const missing = whyWithout('xray');
describe.skipIf(missing !== null || process.platform === 'win32')(`a local engine ${missing ?? ''}`.trim(), () => {
  test('goes on where the panel is killed, and the next one adopts it', async () => {
    const config = await buildConfig();
    const parts = { folder, path: getProgramPath('xray'), config, user: USER };
    const victim = join(import.meta.dirname, 'local-engine-victim.ts');
    const child = spawn(process.execPath, [victim], { stdio: ['pipe', 'pipe', 'inherit'] });
    children.push(child);
    child.stdin.end(JSON.stringify(parts));
    const [said] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
    expect(String(said)).toBe('started\n');
    const { pid } = state();
    child.kill('SIGKILL');
    await once(child, 'exit');
    const engine = open(getProgramPath('xray'));
    expect(await engine.running()).toMatchObject({ boot: 'victim', fingerprint: engine.fingerprint(config) });
    expect(state().pid).toBe(pid);
    await engine.stop();
    expect(readIdentity(pid)).toBeNull();
  });

  test('never ends a process that only has the id of one', async () => {
    const child = spawn('sleep', ['60']);
    children.push(child);
    const [pid, text] = [child.pid ?? 0, { apiPort: 1, version: '26.3.27' }];
    writeFileSync(statePath(), JSON.stringify({ ...text, pid, identity: 'another boot 123' }));
    const engine = open(getProgramPath('xray'));
    expect(await engine.running()).toBeNull();
    await engine.stop();
    writeFileSync(statePath(), JSON.stringify({ ...text, pid, identity: null }));
    expect(await engine.running()).toBeNull();
    await stopStrays(folder, new Set());
    expect(readIdentity(pid)).not.toBeNull();
    expect(child.exitCode).toBeNull();
  });

  test('of a node that is no more is ended', async () => {
    const engine = open(getProgramPath('xray'));
    await engine.start(await buildConfig(), [], 'b');
    const { pid } = state();
    engine.close();
    await stopStrays(folder, new Set([1]));
    expect(readIdentity(pid)).not.toBeNull();
    await stopStrays(folder, new Set([2]));
    expect([readIdentity(pid), existsSync(statePath())]).toEqual([null, false]);
  });

  test('is neither taken over nor ended from a copy of its folder', async () => {
    const engine = open(getProgramPath('xray'));
    await engine.start(await buildConfig(), [], 'b');
    const { pid } = state();
    const copy = join(folder, 'copy');
    mkdirSync(copy);
    copyFileSync(statePath(), join(copy, 'node-1.json'));
    expect(readState(join(copy, 'node-1.json'))).toBeNull();
    expect(readState(statePath())).toMatchObject({ pid });
    await stopStrays(copy, new Set());
    expect(readIdentity(pid)).not.toBeNull();
    await engine.stop();
  });

  test('that cannot be had is said to be missing', async () => {
    const gone = join(folder, 'gone');
    const engine = open(gone);
    const words = `engine_missing ${gone} is neither Xray nor v2ray, or cannot be run`;
    expect(await reason(engine.check(await buildConfig()))).toBe(words);
    expect(await reason(engine.start(await buildConfig(), [], 'b'))).toBe(words);
  });

  test('does not show a key that it repeats', async () => {
    const engine = open(getProgramPath('xray'));
    const privateKey = 'canary-private-key';
    const refused = await reason(
      engine.check(await buildConfig({ security: 'reality', sni: 'www.example.org', privateKey, shortId: 'ab' })),
    );
    expect(refused).toMatch(/^config_refused .*privateKey/);
    expect(refused).not.toContain(privateKey);
  });

  type Run = 'run' | 'test';

  /** The real engine, but that it begins so many seconds late. */
  function lateProgram(seconds: number, when: Run = 'run'): string {
    return wrapEngine(when, `sleep ${seconds}`);
  }

  /** One that neither runs nor says anything. */
  function silentProgram(when: Run = 'run'): string {
    return wrapEngine(when, 'exec sleep 600');
  }

  function wrapEngine(when: Run, line: string): string {
    const path = join(folder, 'late');
    const isRun = when === 'run' ? '[ "$1 $2" = "run -config" ]' : '[ "$2" = -test ]';
    writeFileSync(path, `#!/bin/sh\nif ${isRun}; then ${line}; fi\nexec ${getProgramPath('xray')} "$@"\n`);
    chmodSync(path, 0o755);
    return path;
  }

  /** What each try says until one succeeds, which says nothing. */
  async function tryOften(work: () => Promise<unknown>): Promise<readonly (string | null)[]> {
    const said: (string | null)[] = [];
    while (said.at(-1) !== null && said.length < 10) said.push(await reason(work()));
    return said;
  }

  test('that starts late is waited for longer with each try, until it runs', async () => {
    const engine = open(lateProgram(1), { limits: { ready: 200 } });
    const config = await buildConfig();
    const said = await tryOften(() => engine.start(config, [], 'b'));
    expect(said.slice(0, 3)).toEqual(
      [0.2, 0.4, 0.8].map((s) => `engine_unreachable its API does not answer ${s} s after the start`),
    );
    expect(said.at(-1)).toBeNull();
    expect(await engine.running()).toMatchObject({ boot: 'b' });
    // The next one begins with the shortest wait again.
    await engine.stop();
    expect(await reason(engine.start(config, [], 'c'))).toBe(said[0]);
  });

  test('is waited for longer with more users', async () => {
    const engine = open(lateProgram(1), { limits: { ready: 100, readyPerUser: 1000 } });
    const config = await buildConfig();
    expect(await reason(engine.start(config, [], 'b'))).toBe(
      'engine_unreachable its API does not answer 0.1 s after the start',
    );
    const users = Array.from({ length: 30 }, (_, index) => {
      return { ...USER, userId: index + 1, credentials: { ...USER.credentials, uuid: nodeCrypto.uuid() } };
    });
    expect(await engine.start(config, users, 'c')).toMatchObject({ boot: 'c' });
  });

  test('that answers late runs all the same', async () => {
    const engine = open(getProgramPath('xray'), {
      limits: { probe: 100 },
      connect(address) {
        const api = connectEngine(address);
        return { ...api, identify: () => pause(300).then(() => api.identify()) };
      },
    });
    expect(await engine.start(await buildConfig(), [], 'b')).toMatchObject({ boot: 'b' });
  });

  test('that judges a configuration late has not refused it', async () => {
    const engine = open(lateProgram(1, 'test'), { limits: { test: 200 } });
    const config = await buildConfig();
    const said = await tryOften(() => engine.check(config));
    expect(said[0]).toBe('engine_unreachable it has not judged its configuration within 0.2 s');
    expect(said.at(-1)).toBeNull();
  });

  test('whose start is given up is ended', async () => {
    const engine = open(silentProgram());
    const config = await buildConfig();
    const started = reason(engine.start(config, [], 'b'));
    await expect.poll(() => existsSync(statePath()), POLLED).toBe(true);
    engine.abandonStart?.();
    expect(await started).toBe(GIVEN_UP);
    expect([await engine.running(), existsSync(statePath())]).toEqual([null, false]);
  });

  test('that is closed goes on where it was started, and is adopted', async () => {
    const engine = open(lateProgram(1));
    const started = reason(engine.start(await buildConfig(), [], 'b'));
    await expect.poll(() => existsSync(statePath()), POLLED).toBe(true);
    engine.close();
    expect(await started).toBe(GIVEN_UP);
    const next = open(getProgramPath('xray'));
    const boot = () =>
      next.running().then(
        (running) => running?.boot,
        () => null,
      );
    await expect.poll(boot, POLLED).toBe('b');
  });

  test('starts no process once it is closed', async () => {
    const engine = open(getProgramPath('xray'));
    const config = await buildConfig();
    const begun = [reason(engine.start(config, [], 'b')), reason(engine.check(config))];
    engine.close();
    expect(await Promise.all(begun)).toEqual([GIVEN_UP, GIVEN_UP]);
    expect([existsSync(statePath()), listProcesses()]).toEqual([false, []]);
  });

  test.each(['close', 'abandonStart'] as const)('waits for no judgement of a configuration after %s', async (end) => {
    const engine = open(silentProgram('test'));
    const checked = reason(engine.check(await buildConfig()));
    await expect.poll(listProcesses, POLLED).toHaveLength(1);
    engine[end]?.();
    expect(await checked).toBe(GIVEN_UP);
    await expect.poll(listProcesses, POLLED).toEqual([]);
  });

  test('is ended where the next panel could not know of it', async () => {
    mkdirSync(`${statePath()}.new`);
    const engine = open(getProgramPath('xray'));
    expect(await reason(engine.start(await buildConfig(), [], 'b'))).toMatch(/^EISDIR/);
    await expect.poll(listProcesses, POLLED).toEqual([]);
  });

  test('that neither answers nor ends when asked is ended all the same', async () => {
    const path = join(folder, 'deaf');
    writeFileSync(
      path,
      '#!/bin/sh\n[ "$1" = -version ] && echo "Xray 26.3.27 (deaf)" && exit 0\ntrap "" TERM\nwhile :; do sleep 0.1; done\n',
    );
    chmodSync(path, 0o755);
    const engine = open(path, { limits: { ready: 300, term: 200 } });
    const words = await reason(engine.start(await buildConfig(), [], 'b'));
    expect(words).toBe('engine_unreachable its API does not answer 0.3 s after the start');
    expect([await engine.running(), existsSync(statePath())]).toEqual([null, false]);
  });
});
