// The engine of a local node, with the real programs: started, adopted, stopped, and what is said where that fails.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock, systemTimers } from '../../src/adapters/clock.ts';
import { nodeCrypto } from '../../src/adapters/crypto.ts';
import type { Engine, EngineConfig, EngineError, EngineInbound, EngineName } from '../../src/core/ports/engines.ts';
import { connectEngine } from '../../src/nodes/connector.ts';
import { createLocalEngine, type LocalEngineParts, stopStrays } from '../../src/nodes/local-engine.ts';
import { identityOf } from '../../src/nodes/system-process.ts';
import { freePort } from '../support/free-port.ts';
import { inboundOf } from '../support/subscription-samples.ts';
import { pathOf, whyWithout } from './found.ts';

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
  for (const engine of engines.splice(0)) {
    await engine.stop();
    engine.close();
  }
  for (const child of children.splice(0)) child.kill('SIGKILL');
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
  const secrets = { privateKey: null, certificateKey: null, serverKey: null };
  return { ...inboundOf({ id: 1, tag: 'vless', port }), ...secrets, ...fields };
}

async function configOf(fields: Partial<EngineInbound> = {}): Promise<EngineConfig> {
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
}
const statePath = () => join(folder, 'node-1.json');
const state = (): State => JSON.parse(readFileSync(statePath(), 'utf8'));

for (const name of ['xray', 'v2ray'] satisfies EngineName[]) {
  const missing = whyWithout(name);
  describe.skipIf(missing !== null)(`${name} ${missing ?? ''}`.trim(), () => {
    test('runs as the start that was asked for, with nothing secret in a file, until it is stopped', async () => {
      const engine = open(pathOf(name));
      expect(await engine.running()).toBeNull();
      const config = await configOf();
      const before = systemClock.now();
      const running = await engine.start(config, [USER], 'b00t');
      expect(running).toMatchObject({ name, boot: 'b00t', fingerprint: engine.fingerprint(config) });
      expect(running.version).toMatch(/^\d+\.\d+\.\d+$/);
      expect(running.startedAt).toBeGreaterThan(before - 5000);
      expect(await engine.running()).toMatchObject({ boot: 'b00t', version: running.version });
      expect((await engine.counters()).boot).toBe('b00t');
      expect(await reason(engine.start(config, [], 'other'))).toBe('engine_refused it runs already');
      const texts = readdirSync(folder).map((file) => {
        expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
        return readFileSync(join(folder, file), 'utf8');
      });
      expect(texts).toHaveLength(2);
      expect(texts.join()).not.toContain(USER.credentials.uuid);
      expect(engine.log().join('\n')).toMatch(/started|Xray|V2Ray/);
      const { pid } = state();
      await engine.stop();
      expect([identityOf(pid), existsSync(statePath()), await engine.running()]).toEqual([null, false, null]);
      expect(await reason(engine.counters())).toBe('engine_unreachable it does not run');
      await engine.stop();
    });

    test('is adopted by another panel, and ended by it', async () => {
      const first = open(pathOf(name));
      await first.start(await configOf(), [USER], 'adopted');
      const { pid } = state();
      first.close();
      const second = open(pathOf(name));
      expect(await second.running()).toMatchObject({ name, boot: 'adopted' });
      expect(state().pid).toBe(pid);
      await second.stop();
      expect(identityOf(pid)).toBeNull();
    });

    test('says when it ends by itself, whoever started it', async () => {
      for (const isAdopted of [false, true]) {
        const starter = open(pathOf(name));
        await starter.start(await configOf(), [], 'b');
        if (isAdopted) starter.close();
        const engine = isAdopted ? open(pathOf(name)) : starter;
        await engine.running();
        const ended = new Promise<EngineError>((resolve) => engine.onExit(resolve));
        process.kill(state().pid, 'SIGKILL');
        expect((await ended).code).toBe('engine_crashed');
        expect(await engine.running()).toBeNull();
      }
    });

    test('is not stopped where it was asked to, and then says nothing', async () => {
      const engine = open(pathOf(name));
      let exits = 0;
      engine.onExit(() => {
        exits += 1;
      });
      await engine.start(await configOf(), [], 'b');
      await engine.stop();
      await engine.start(await configOf(), [], 'c');
      expect(exits).toBe(0);
    });

    test('refuses what it cannot serve, in its own words, and the running one goes on', async () => {
      const engine = open(pathOf(name));
      const config = await configOf();
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

    test('names the connection and the program where a port is taken', async () => {
      const engine = open(pathOf(name));
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
      const other = open(pathOf(name), { nodeId: 2 });
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
    const config = await configOf();
    const parts = { folder, path: pathOf('xray'), config, user: USER };
    const victim = join(import.meta.dirname, 'local-engine-victim.ts');
    const child = spawn(process.execPath, [victim], { stdio: ['pipe', 'pipe', 'inherit'] });
    children.push(child);
    child.stdin.end(JSON.stringify(parts));
    const [said] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
    expect(String(said)).toBe('started\n');
    const { pid } = state();
    child.kill('SIGKILL');
    await once(child, 'exit');
    const engine = open(pathOf('xray'));
    expect(await engine.running()).toMatchObject({ boot: 'victim', fingerprint: engine.fingerprint(config) });
    expect(state().pid).toBe(pid);
    await engine.stop();
    expect(identityOf(pid)).toBeNull();
  });

  test('never ends a process that only has the id of one', async () => {
    const child = spawn('sleep', ['60']);
    children.push(child);
    const [pid, text] = [child.pid ?? 0, { apiPort: 1, version: '26.3.27' }];
    writeFileSync(statePath(), JSON.stringify({ ...text, pid, identity: 'another boot 123' }));
    const engine = open(pathOf('xray'));
    expect(await engine.running()).toBeNull();
    await engine.stop();
    writeFileSync(statePath(), JSON.stringify({ ...text, pid, identity: null }));
    expect(await engine.running()).toBeNull();
    await stopStrays(folder, new Set());
    expect(identityOf(pid)).not.toBeNull();
    expect(child.exitCode).toBeNull();
  });

  test('of a node that is no more is ended', async () => {
    const engine = open(pathOf('xray'));
    await engine.start(await configOf(), [], 'b');
    const { pid } = state();
    engine.close();
    await stopStrays(folder, new Set([1]));
    expect(identityOf(pid)).not.toBeNull();
    await stopStrays(folder, new Set([2]));
    expect([identityOf(pid), existsSync(statePath())]).toEqual([null, false]);
  });

  test('that cannot be had is said to be missing', async () => {
    const gone = join(folder, 'gone');
    const engine = open(gone);
    const words = `engine_missing ${gone} is neither Xray nor v2ray, or cannot be run`;
    expect(await reason(engine.check(await configOf()))).toBe(words);
    expect(await reason(engine.start(await configOf(), [], 'b'))).toBe(words);
  });

  test('does not show a key that it repeats', async () => {
    const engine = open(pathOf('xray'));
    const privateKey = 'canary-private-key';
    const refused = await reason(
      engine.check(await configOf({ security: 'reality', sni: 'www.example.org', privateKey, shortId: 'ab' })),
    );
    expect(refused).toMatch(/^config_refused .*privateKey/);
    expect(refused).not.toContain(privateKey);
  });

  test('that neither answers nor ends when asked is ended all the same', async () => {
    const path = join(folder, 'deaf');
    writeFileSync(
      path,
      '#!/bin/sh\n[ "$1" = -version ] && echo "Xray 26.3.27 (deaf)" && exit 0\ntrap "" TERM\nwhile :; do sleep 0.1; done\n',
    );
    chmodSync(path, 0o755);
    const engine = open(path, { limits: { ready: 300, term: 200 } });
    const words = await reason(engine.start(await configOf(), [], 'b'));
    expect(words).toBe('engine_unreachable its API does not answer 0.3 s after the start');
    expect([await engine.running(), existsSync(statePath())]).toEqual([null, false]);
  });
});
