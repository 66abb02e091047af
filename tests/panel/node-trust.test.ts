// Who may speak to a node's machine, and to whom the panel speaks: nothing changes for anyone else.

import { once } from 'node:events';
import { type AddressInfo, connect as connectTcp } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls, createServer, type TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/adapters/clock.ts';
import { openVault } from '../../src/adapters/vault/vault.ts';
import { awaitJoin, type NodeIdentity, type NodeListener, serveNode } from '../../src/agent/server.ts';
import type { MachineCertificate } from '../../src/core/ports/engines.ts';
import { parseCountedJson } from '../../src/domain/foreign-json.ts';
import { joinNode } from '../../src/engines/remote/join-node.ts';
import { createRemoteEngine } from '../../src/engines/remote/remote-engine.ts';
import { computeProof } from '../../src/engines/remote/wire.ts';
import { openNodeTrust } from '../../src/panel/node-trust.ts';
import { openStore } from '../../src/store/index.ts';
import { createTestClock } from '../support/clock.ts';
import { createFakeMachine, type FakeMachine, NO_PROGRAMS } from '../support/fake-engine.ts';
import { createTestLog } from '../support/log.ts';
import { dial, type Keys, makeKeys, pinOf, realLooking } from '../support/node-machine.ts';
import { SOLE_PANEL, SOLE_ROLE } from '../support/sole-panel.ts';
import { tempFolder } from '../support/temp-store.ts';

const PLACE = { host: '127.0.0.1', port: 0 };
const UNREACHABLE = { code: 'engine_unreachable' };
const SECRET = 'a1'.repeat(32);

let machine: FakeMachine;
let listener: NodeListener | null = null;
beforeEach(() => {
  machine = createFakeMachine();
});
afterEach(async () => {
  await listener?.close();
  listener = null;
});

async function serve({ node }: Keys, certificate: () => MachineCertificate | null = () => null): Promise<number> {
  const parts = {
    identity: node,
    engine: realLooking(machine),
    clock: systemClock,
    log: createTestLog(),
    version: '0.0.0',
    certificate,
    obeyed: SOLE_PANEL,
    programs: NO_PROGRAMS,
  };
  listener = await serveNode(parts, PLACE);
  return listener.port;
}

/** What a panel with these keys gets from the node with those. */
async function callAs(panel: Keys, node: Keys): Promise<unknown> {
  const engine = dial(await serve(node), panel);
  try {
    return await engine.running();
  } catch (error) {
    return error;
  } finally {
    engine.close();
  }
}

describe('a joined machine', () => {
  it('serves its panel', async () => {
    const keys = await makeKeys();
    expect(await callAs(keys, keys)).toBeNull();
    expect(machine.calls).toBe(1);
  });

  it('says which engines it has, and is brought another one', async () => {
    const keys = await makeKeys();
    const names: (string | null)[] = [];
    const job = { name: 'xray-26.9.11', state: 'taken_back', reason: 'it does not run any more' } as const;
    const read = { current: 'xray-26.3.27', former: null, offered: ['xray-26.9.11'], hasOwnPath: false, job };
    const programs = { read: async () => read, begin: (name: string | null) => void names.push(name) };
    const parts = { identity: keys.node, engine: realLooking(machine), clock: systemClock, log: createTestLog() };
    listener = await serveNode({ ...parts, version: '0.0.0', obeyed: SOLE_PANEL, programs }, PLACE);
    const engine = dial(listener.port, keys);
    expect(await engine.programs?.()).toEqual(read);
    await engine.changeProgram?.('xray-26.9.11');
    await engine.changeProgram?.(null);
    expect(names).toEqual(['xray-26.9.11', null]);
    await expect(engine.changeProgram?.('../../bin/sh')).rejects.toMatchObject({ code: 'message_refused' });
    expect(names).toHaveLength(2);
    engine.close();
  });

  it('says how it is, and how the certificate of its links is', async () => {
    const keys = await makeKeys();
    const certificate = { endsAt: 1_800_000_000_000, isLate: true, failure: 'refused' } as const;
    const engine = dial(await serve(keys, () => certificate), keys);
    await engine.running();
    expect(engine.machine()).toMatchObject({ version: '0.0.0', certificate });
    engine.close();
  });

  it.each([
    ['of another panel', async () => (await makeKeys()).panel],
    ['of the node itself', async (keys: Keys) => keys.node],
  ])('refuses the key %s', async (_which, otherOf) => {
    const keys = await makeKeys();
    const { key, certificate } = await otherOf(keys);
    expect(await callAs({ ...keys, panel: { key, certificate } }, keys)).toMatchObject(UNREACHABLE);
    expect(machine.calls).toBe(0);
  });

  it('serves its panel beside strangers who connect and say nothing', async () => {
    const keys = await makeKeys();
    const port = await serve(keys);
    const strangers = Array.from({ length: 100 }, () => connectTcp({ ...PLACE, port }));
    await Promise.all(strangers.map((socket) => once(socket, 'connect')));
    const engine = dial(port, keys);
    expect(await engine.running()).toBeNull();
    engine.close();
    for (const socket of strangers) socket.destroy();
  });

  it('refuses who has no certificate, and any other version of TLS', async () => {
    const port = await serve(await makeKeys());
    for (const options of [{}, { maxVersion: 'TLSv1.2' } as const]) {
      const socket = connectTls({ ...PLACE, port, rejectUnauthorized: false, ...options });
      socket.on('secureConnect', () =>
        socket.write('POST /1/running HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n{}'),
      );
      const ended = await new Promise((resolve) => {
        socket.on('error', () => resolve('refused')).on('data', () => resolve('answered'));
        socket.on('close', () => resolve('refused'));
      });
      expect(ended).toBe('refused');
    }
    expect(machine.calls).toBe(0);
  });

  it('is not spoken to with another key: no request is sent', async () => {
    const keys = await makeKeys();
    let received = 0;
    const { key, certificate: cert } = (await makeKeys()).node;
    const other = createServer({ key, cert }, (socket) => {
      socket.on('error', () => undefined);
      socket.on('data', ({ length }) => (received += length));
    });
    await new Promise<void>((resolve) => other.listen(PLACE, resolve));
    const engine = dial((other.address() as AddressInfo).port, keys);
    await expect(engine.running()).rejects.toMatchObject(UNREACHABLE);
    engine.close();
    await new Promise((resolve) => other.close(resolve));
    expect(received).toBe(0);
  });

  it.each(['1970-01-02', '2999-12-31'])('serves its panel whatever the clocks show: %s', async (date) => {
    const keys = await makeKeys();
    const clock = createTestClock(Date.parse(date));
    const parts = { identity: keys.node, engine: realLooking(machine), log: createTestLog(), version: '0.0.0' };
    listener = await serveNode({ ...parts, clock, obeyed: SOLE_PANEL, programs: NO_PROGRAMS }, PLACE);
    const place = { host: '127.0.0.1', port: listener.port, pin: keys.pin };
    const own = { place: () => place, identity: async () => keys.panel, users: () => 0, clock };
    const engine = createRemoteEngine({
      role: SOLE_ROLE,
      ...own,
      parseLarge: async (bytes) => parseCountedJson(bytes),
    });
    expect(await engine.running()).toBeNull();
    engine.close();
  });
});

describe('the key of a panel', () => {
  it('is made once, sealed, and the same identity for each connection', async () => {
    using folder = tempFolder();
    const store = openStore(join(folder.path, 'panel.db'));
    const keyFile = join(folder.path, 'master.key');
    const vault = await openVault({ instanceId: 'test', sealed: store.sealed, keyFile, log: createTestLog() });
    const { trust, identity } = openNodeTrust({ store, vault });
    await expect(identity()).rejects.toThrow('no machine was joined');
    const made = await trust.makeIdentity();
    store.write(() => store.sealed.save(vault.seal('nodes:identity', JSON.stringify(made))));
    expect(await identity()).toEqual(made);
    expect(await identity()).toBe(await identity());
    expect(trust.computePin(made)).toBe(pinOf(made.certificate));
    store.close();
  });
});

describe('strangers', () => {
  it('from one network do not take the connections of the panel', async () => {
    const keys = await makeKeys();
    const port = await serve(keys);
    const ends: Promise<unknown>[] = [];
    const held = Array.from({ length: 264 }, () => {
      const socket = connectTcp({ host: '127.0.0.1', port, localAddress: '127.0.0.2' });
      socket.on('error', () => undefined);
      ends.push(once(socket, 'close'));
      return socket;
    });
    // Those beyond what a network may hold are ended, and no others.
    let ended = 0;
    for (const end of ends) void end.then(() => (ended += 1));
    await expect.poll(() => ended).toBe(8);
    const engine = dial(port, keys);
    expect(await engine.running()).toBeNull();
    engine.close();
    for (const socket of held) socket.destroy();
    await Promise.all(ends);
  });

  it('leave one line in the log, however often they come', async () => {
    const keys = await makeKeys();
    const log = createTestLog();
    const engine = realLooking(machine);
    listener = await serveNode(
      {
        identity: keys.node,
        engine,
        clock: systemClock,
        log,
        version: '0.0.0',
        obeyed: SOLE_PANEL,
        programs: NO_PROGRAMS,
      },
      PLACE,
    );
    for (let count = 0; count < 20; count += 1) {
      const socket = connectTcp({ host: '127.0.0.1', port: listener.port });
      socket.on('error', () => undefined);
      socket.resume().end('GET / HTTP/1.1\r\n\r\n');
      await once(socket, 'close');
    }
    expect(log.lines.filter((line) => line.includes('connection refused'))).toHaveLength(1);
  });
});

describe('joining', () => {
  /** A machine that waits with the secret; what it stored. */
  async function wait({ node }: Keys, secret = SECRET) {
    const saved: NodeIdentity[] = [];
    const done = Promise.withResolvers<string>();
    const save = (identity: NodeIdentity) => void saved.push(identity);
    const ends = { save, joined: () => done.resolve('joined'), taken: done.resolve };
    listener = await awaitJoin({ identity: node, secret, clock: systemClock, log: createTestLog(), ...ends }, PLACE);
    return { port: listener.port, saved, done: done.promise };
  }

  function joinAt(port: number, { panel: identity }: Keys, secret = SECRET, takenBy: string | null = null) {
    return joinNode({ host: '127.0.0.1', port, secret, identity, takenBy });
  }

  it('makes the keys known once both have proven the secret', async () => {
    const keys = await makeKeys();
    const { port, saved, done } = await wait(keys);
    const pin = await joinAt(port, keys);
    await done;
    await listener?.close();
    expect([saved, pin]).toEqual([[keys.node], keys.pin]);
    const engine = dial(await serve(keys), keys);
    expect(await engine.running()).toBeNull();
    engine.close();
  });

  it('changes nothing for a panel or a machine with another secret, or another key than the token names', async () => {
    const keys = await makeKeys();
    const { port, saved } = await wait(keys);
    await expect(joinAt(port, keys, 'b2'.repeat(32))).rejects.toMatchObject(UNREACHABLE);
    await expect(joinAt(port, await makeKeys())).rejects.toMatchObject(UNREACHABLE);
    expect(saved).toEqual([]);
    await joinAt(port, keys);
    expect(saved).toHaveLength(1);
  });

  it('gives nothing to who stands between and passes on what both say', async () => {
    const keys = await makeKeys();
    const { port, saved } = await wait(keys);
    const own = (await makeKeys()).node;
    const options = { key: own.key, cert: own.certificate, minVersion: 'TLSv1.3', requestCert: true } as const;
    const between = createServer({ ...options, rejectUnauthorized: false }, (near: TLSSocket) => {
      const far = connectTls({ ...PLACE, port, rejectUnauthorized: false });
      near.on('error', () => far.destroy());
      far.on('error', () => near.destroy());
      near.pipe(far).pipe(near);
    });
    const place = await new Promise<number>((resolve) => {
      between.listen(PLACE, () => {
        const address = between.address();
        resolve(typeof address === 'object' && address ? address.port : 0);
      });
    });
    await expect(joinAt(place, keys)).rejects.toMatchObject(UNREACHABLE);
    between.close();
    expect(saved).toEqual([]);
  });

  it('answers nothing else, and nobody else, not even who knows the secret', async () => {
    const keys = await makeKeys();
    const { port, saved } = await wait(keys);
    const send = (path: string, shown: Partial<Keys['panel']>) =>
      new Promise<string>((resolve) => {
        const options = { key: shown.key, cert: shown.certificate, rejectUnauthorized: false };
        const socket = connectTls({ ...PLACE, port, ...options });
        socket.once('data', (data) => resolve(String(data.toString().split('\r\n')[0])));
        socket.once('error', () => resolve('refused')).once('close', () => resolve('refused'));
        socket.once('secureConnect', () => {
          const body = JSON.stringify({ proof: computeProof('panel', SECRET, socket), takenBy: null });
          const headers = `host: a\r\nexpect: 100-continue\r\ncontent-length: ${body.length}`;
          socket.write(`POST /1/${path} HTTP/1.1\r\n${headers}\r\n\r\n${body}`);
        });
      });
    const { key, certificate } = (await makeKeys()).panel;
    for (const path of ['join', 'joined', 'running', 'start', '', 'certificate']) {
      expect(await send(path, {})).toBe('refused');
      expect(await send(path, { key, certificate })).toBe('refused');
    }
    expect(saved).toEqual([]);
    for (const path of ['joined', 'running', 'start', '']) expect(await send(path, keys.panel)).not.toContain('200');
    expect(saved).toEqual([]);
  });

  it('says which machine was joined before with the same token, and stores nothing', async () => {
    const keys = await makeKeys();
    const { port, saved, done } = await wait(keys);
    const { pin } = await makeKeys();
    await joinAt(port, keys, SECRET, pin);
    expect(await done).toBe(pin);
    expect(saved).toEqual([]);
  });
});
