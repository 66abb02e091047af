// Who may speak to a node's machine, and to whom the panel speaks: nothing changes for anyone else.

import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls, createServer, type TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { certify, issueSelfSigned } from '../../src/adapters/certificates/issuer.ts';
import { systemClock } from '../../src/adapters/clock.ts';
import { openVault } from '../../src/adapters/vault/vault.ts';
import { awaitJoin, type NodeIdentity, type NodeListener, serveNode } from '../../src/agent/server.ts';
import type { MachineCertificate } from '../../src/core/ports/engines.ts';
import { parseCountedJson } from '../../src/domain/foreign-json.ts';
import { joinNode } from '../../src/engines/remote/join-node.ts';
import { createRemoteEngine } from '../../src/engines/remote/remote-engine.ts';
import { openNodeTrust } from '../../src/panel/node-trust.ts';
import { openStore } from '../../src/store/index.ts';
import { createTestClock } from '../support/clock.ts';
import { createFakeMachine, type FakeMachine, NO_PROGRAMS } from '../support/fake-engine.ts';
import { createTestLog } from '../support/log.ts';
import { dial, type Keys, makeKeys, realLooking } from '../support/node-machine.ts';
import { tempFolder } from '../support/temp-store.ts';

const HOUR = 3_600_000;
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

async function serve(
  { node }: Keys,
  saveIdentity: (identity: NodeIdentity) => void = () => {},
  certificate: () => MachineCertificate | null = () => null,
): Promise<number> {
  const parts = {
    identity: node,
    engine: realLooking(machine),
    clock: systemClock,
    log: createTestLog(),
    version: '0.0.0',
    certificate,
    saveIdentity,
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
    listener = await serveNode({ ...parts, version: '0.0.0', saveIdentity: () => {}, programs }, PLACE);
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
    const engine = dial(
      await serve(
        keys,
        () => {},
        () => certificate,
      ),
      keys,
    );
    await engine.running();
    expect(engine.machine()).toMatchObject({ version: '0.0.0', certificate });
    engine.close();
  });

  it.each([
    ['of another authority', async () => (await makeKeys()).panel],
    ['that signs itself', async () => buildKeyPair(await issueSelfSigned(['panel.invalid'], inForce()))],
    ['of the node', async (keys: Keys) => keys.node],
    ['that has ended', async () => null],
  ])('refuses a certificate %s', async (_which, otherOf) => {
    const keys = await makeKeys({ panelEnds: systemClock.now() - HOUR });
    const other = await otherOf(keys);
    const panel = other === null ? keys : { ...keys, panel: { ...other, authority: keys.authority.pem } };
    expect(await callAs(panel, keys)).toMatchObject(UNREACHABLE);
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

  it.each([
    ['whose certificate has ended', () => makeKeys({ nodeEnds: systemClock.now() - HOUR }), {}],
    ['with another key', () => makeKeys(), { pin: '0'.repeat(64) }],
  ])('is not spoken to %s', async (_which, make, other) => {
    const keys = await make();
    expect(await callAs({ ...keys, ...other }, keys)).toMatchObject(UNREACHABLE);
    expect(machine.calls).toBe(0);
  });

  it('has its certificate renewed when 300 days are left, and keeps its key', async () => {
    const keys = await makeKeys({ nodeEnds: systemClock.now() + 24 * 299 * HOUR });
    const saved: NodeIdentity[] = [];
    const engine = dial(await serve(keys, (identity) => saved.push(identity)), keys);
    await engine.running();
    await engine.running();
    engine.close();
    expect(saved).toHaveLength(1);
    const [before, after] = [keys.node, saved[0] ?? keys.node].map(
      ({ certificate }) => new X509Certificate(certificate),
    );
    expect(after?.publicKey.equals(before?.publicKey ?? after.publicKey)).toBe(true);
    expect(after?.validToDate.getTime()).toBeGreaterThan(before?.validToDate.getTime() ?? Number.NaN);
  });

  it('takes no certificate for another key', async () => {
    const keys = await makeKeys({ nodeEnds: systemClock.now() + 24 * HOUR });
    const other = await makeKeys();
    const saved: NodeIdentity[] = [];
    const port = await serve(keys, (identity) => saved.push(identity));
    const engine = dial(port, { ...keys, authority: other.authority });
    await expect(engine.running()).rejects.toMatchObject(UNREACHABLE);
    engine.close();
    expect(saved).toEqual([]);
  });
});

describe('what a panel certifies while its clock is wrong', () => {
  /** The trust of a panel with these keys, whose clock is so far ahead while it certifies. */
  async function openTrust({ authority }: Keys, folder: string) {
    const store = openStore(join(folder, 'panel.db'));
    const keyFile = join(folder, 'master.key');
    const vault = await openVault({ instanceId: 'test', sealed: store.sealed, keyFile, log: createTestLog() });
    store.write(() => store.sealed.save(vault.seal('nodes:authority', JSON.stringify(authority))));
    const clock = createTestClock(systemClock.now());
    return { store, clock, trust: openNodeTrust({ store, vault, clock }) };
  }

  it.each([-400, -2, 100, 3000])('by %s days is in force once it is right', async (days) => {
    using folder = tempFolder();
    const keys = await makeKeys();
    const { store, clock, trust } = await openTrust(keys, folder.path);
    clock.set(systemClock.now() + days * 24 * HOUR);
    const publicKey = new X509Certificate(keys.node.certificate).publicKey.export({ type: 'spki', format: 'der' });
    const certificate = await trust.certify(publicKey);
    await trust.identity();
    clock.set(systemClock.now());
    const port = await serve({ ...keys, node: { ...keys.node, certificate } });
    const place = () => ({ host: '127.0.0.1', port, pin: keys.pin });
    const { identity, certify: sign } = trust;
    const parts = { place, identity, certify: sign, users: () => 0, clock: systemClock };
    const engine = createRemoteEngine({ ...parts, parseLarge: async (bytes) => parseCountedJson(bytes) });
    expect(await engine.running()).toBeNull();
    engine.close();
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
        saveIdentity: () => {},
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
  async function wait(keys: Keys, secret = SECRET) {
    const own = await issueSelfSigned(['node.invalid'], inForce());
    const saved: NodeIdentity[] = [];
    const done = Promise.withResolvers<void>();
    const authority = computeFingerprint(keys.authority.pem);
    const save = (identity: NodeIdentity) => void saved.push(identity);
    const parts = { own, secret, authority, clock: systemClock, log: createTestLog(), save, joined: done.resolve };
    listener = await awaitJoin(parts, PLACE);
    return { port: listener.port, saved, done: done.promise };
  }

  function joinAt(port: number, { authority }: Keys, secret = SECRET) {
    const sign = (publicKey: Uint8Array) => certify(authority, publicKey, 'node.invalid', inForce());
    return joinNode({ host: '127.0.0.1', port, secret, authority: authority.pem, certify: sign });
  }

  it('certifies the machine once both have proven the secret', async () => {
    const keys = await makeKeys();
    const { port, saved, done } = await wait(keys);
    const pin = await joinAt(port, keys);
    await done;
    await listener?.close();
    const node = saved[0] ?? keys.node;
    const engine = dial(await serve({ ...keys, node }), { ...keys, pin });
    expect(await engine.running()).toBeNull();
    engine.close();
  });

  it('changes nothing for a panel or a machine with another secret, or another authority than the token names', async () => {
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
    const own = await issueSelfSigned(['node.invalid'], inForce());
    const between = createServer({ key: own.key, cert: own.pem, minVersion: 'TLSv1.3' }, (near: TLSSocket) => {
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

  it('answers nothing else, and signs no certificate without a proof', async () => {
    const keys = await makeKeys();
    const { port, saved } = await wait(keys);
    for (const path of ['joined', 'running', 'start', '', 'certificate']) {
      const body = JSON.stringify({ certificate: keys.node.certificate, authority: keys.authority.pem });
      const socket = connectTls({ ...PLACE, port, rejectUnauthorized: false });
      socket.end(`POST /1/${path} HTTP/1.1\r\nhost: a\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
      const [first] = await new Promise<string[]>((resolve, reject) => {
        socket.once('data', (data) => resolve(data.toString().split('\r\n'))).once('error', reject);
      });
      expect(first).toBe('HTTP/1.1 404 Not Found');
      socket.destroy();
    }
    expect(saved).toEqual([]);
  });
});

function inForce() {
  return { from: systemClock.now() - HOUR, to: systemClock.now() + 24 * 397 * HOUR };
}

function buildKeyPair({ key, pem }: { readonly key: string; readonly pem: string }) {
  return { key, certificate: pem };
}

function computeFingerprint(pem: string): string {
  return new X509Certificate(pem).fingerprint256.replaceAll(':', '').toLowerCase();
}
