// Stopping a core while its ports are busy: afterwards nothing uses the store, whatever they answer later.
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createTestClock, createTestTimers } from '../../tests/support/clock.ts';
import { watchClosedStores } from '../../tests/support/closed-stores.ts';
import { ADMINISTRATOR_CALL, coreParts } from '../../tests/support/core.ts';
import { fakeLog } from '../../tests/support/fake-core.ts';
import { createFakeMachine, NO_PROGRAMS } from '../../tests/support/fake-engine.ts';
import { sampleInbound } from '../../tests/support/subscription-samples.ts';
import { sampleNode, tempFolder } from '../../tests/support/temp-store.ts';
import { parseInput, splitInput } from '../contract/input/input.ts';
import type { CallOf } from '../contract/operation.ts';
import { OPERATIONS } from '../contract/table.ts';
import { providerFacts } from '../payments/providers.ts';
import { openStore } from '../store/index.ts';
import { createCore } from './create-core.ts';
import type { Core, CoreParts } from './kernel/core.ts';
import type { HandledId } from './ports/call.ts';
import type { Engine } from './ports/engines.ts';

const PASSWORD = 'correct horse battery';
const PROVIDER = { kind: 'crypto_pay', name: 'Shop', fields: { api_token: '12345:AAcanary-of-crypto-pay' } } as const;

async function act<Id extends HandledId>(core: Core, id: Id, input: CallOf<(typeof OPERATIONS)[Id]>) {
  const parsed = parseInput(OPERATIONS[id], splitInput(OPERATIONS[id], input));
  if (!parsed.ok) throw new Error(`${id}: ${JSON.stringify(parsed.errors)}`);
  return (await core.call(id, parsed.value, ADMINISTRATOR_CALL)).body;
}

/** Work of a port that is called, and answers when the test lets it. */
function createGate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  let calls = 0;
  return {
    calls: () => calls,
    open: resolve,
    /** The same function, but it waits before it does anything. */
    wait:
      <Input extends unknown[], Output>(work: (...input: Input) => Output | Promise<Output>) =>
      async (...input: Input): Promise<Output> => {
        calls += 1;
        await promise;
        return work(...input);
      },
  };
}
type Gate = ReturnType<typeof createGate>;

interface Scene {
  readonly core: Core;
  readonly nodeId: number;
  readonly remoteId: number;
}

interface Case {
  readonly what: string;
  /**
   * `cut`: the stop does not wait for the answer. `closed`: the port is closed, and answers because of that. `finished`: the stop waits for
   * it.
   */
  readonly how: 'cut' | 'closed' | 'finished';
  parts(gate: Gate, parts: CoreParts): Partial<CoreParts>;
  /** Left out: the core calls the port by itself. */
  begin?(scene: Scene): Promise<unknown>;
}

const engineWith = (gate: Gate, name: 'connected' | 'programs' | 'running' | 'counters'): Partial<CoreParts> => ({
  openEngine() {
    const machine = { programs: NO_PROGRAMS.read, changeProgram: async () => {} };
    const engine: Engine = { ...createFakeMachine().attach().engine, ...machine };
    const work = engine[name] as () => Promise<never>;
    return { ...engine, [name]: gate.wait(work) };
  },
});

const CASES: readonly Case[] = [
  {
    what: 'the source of releases',
    how: 'cut',
    parts: (gate) => ({
      releases: {
        ...{ installation: 'release', platform: 'linux-x64', channel: 'stable', host: 'example.org' },
        latest: gate.wait(() => ({ problem: 'no_source' }) as const),
      },
    }),
    begin: ({ core }) => act(core, 'checkForUpdates', {}),
  },
  {
    what: 'a machine that is joined',
    how: 'cut',
    parts: (gate) => ({
      nodeTrust: {
        makeIdentity: async () => ({ key: 'key', certificate: 'pem' }),
        computePin: () => 'f'.repeat(64),
        join: gate.wait(() => 'a'.repeat(64)),
      },
    }),
    begin: ({ core, remoteId: id }) => act(core, 'inviteNode', { id, port: 8443, password: PASSWORD }),
  },
  { what: 'an engine that says who is connected', how: 'cut', parts: (gate) => engineWith(gate, 'connected') },
  {
    what: 'a machine that says which engines it has',
    how: 'cut',
    parts: (gate) => engineWith(gate, 'programs'),
    begin: ({ core }) => act(core, 'previewEngineUpdate', { engine: null }),
  },
  { what: 'an engine in a round', how: 'finished', parts: (gate) => engineWith(gate, 'running') },
  {
    what: 'the check of a password',
    how: 'finished',
    parts: (gate, { passwords }) => ({ passwords: { ...passwords, verify: gate.wait(passwords.verify) } }),
    begin: ({ core }) => act(core, 'createKey', { name: 'bot', access: 'read', password: PASSWORD }),
  },
  {
    what: 'the keychain',
    how: 'finished',
    parts: (gate, { vault }) => ({ vault: { ...vault, refresh: gate.wait(vault.refresh) } }),
    begin: ({ core }) => act(core, 'refreshVault', {}),
  },
  {
    what: 'the maker of certificates',
    how: 'finished',
    parts: (gate, { certificateMaker }) => ({
      certificateMaker: { ...certificateMaker, makeSelfSigned: gate.wait(certificateMaker.makeSelfSigned) },
    }),
    begin: ({ core, nodeId }) => act(core, 'createInbound', { ...TLS_INBOUND, node_id: nodeId }),
  },
  {
    what: 'a payment provider',
    how: 'closed',
    parts: (gate) => ({ paymentProviders: closedBy(gate) }),
    begin: ({ core }) => act(core, 'createProvider', { ...PROVIDER, password: PASSWORD }),
  },
  {
    what: 'the receiver of a webhook',
    how: 'closed',
    parts: (gate) => ({
      webhookClient: {
        isRefused: () => false,
        post: gate.wait(() => ({ error: 'stopped' }) as const),
        close: gate.open,
      },
    }),
    async begin({ core }) {
      const url = 'https://example.com/hook';
      await act(core, 'createWebhook', { url, types: null, allow_private: false, password: PASSWORD });
      const { id: tariff_id } = await act(core, 'createTariff', { name: 'Plan' });
      await act(core, 'createUser', { name: 'Anna', tariff_id });
    },
  },
];

const TLS_INBOUND = {
  tag: 'tls',
  name: 'TLS',
  protocol: 'trojan',
  network: 'tcp',
  security: 'tls',
  port: 8444,
  sni: 'node.example',
} as const;

function closedBy(gate: Gate): NonNullable<CoreParts['paymentProviders']> {
  const stopped = gate.wait(() => ({ error: 'stopped', retryAfterMs: 0, isUnclear: true }) as const);
  return {
    facts: providerFacts,
    isRefused: () => false,
    probe: stopped,
    open: stopped,
    read: stopped,
    end: stopped,
    since: stopped,
    refund: stopped,
    readRefund: stopped,
    hint: stopped,
    close: gate.open,
  };
}

async function openScene(file: string, overrideParts: (parts: CoreParts) => Partial<CoreParts>) {
  const store = openStore(file);
  const timers = createTestTimers();
  const log = fakeLog();
  const clock = createTestClock(Date.UTC(2026, 10, 20));
  const parts = coreParts({ store, db: store.connection() }, { timers, log, clock });
  const nodeId = store.nodes.insert(sampleNode());
  const { id: _id, ...inbound } = sampleInbound({ nodeId, tag: 'in', port: 1001 });
  store.inbounds.insert(inbound);
  const machine = { agentPort: 1, agentPin: 'a'.repeat(64) };
  const remoteId = store.nodes.insert(sampleNode({ name: 'Far', kind: 'remote', ...machine }));
  const core = createCore({ ...parts, ...overrideParts(parts) });
  await core.local.setUp('admin', PASSWORD);
  core.start();
  core.subscribe(() => {});
  const waitUntilIdle = async () => {
    for (let turn = 0; turn < 60; turn += 1) await setImmediate();
  };
  return { core, store, timers, log, nodeId, remoteId, waitUntilIdle };
}

describe('a core that is stopped', () => {
  it.each(CASES)('is over for $what, which is $how', async ({ how, parts, begin }) => {
    using folder = tempFolder();
    using watch = watchClosedStores();
    const gate = createGate();
    const scene = await openScene(folder.file, (given) => parts(gate, given));
    const begun = begin?.(scene).catch((error: unknown) => expect(error).toMatchObject({ code: expect.any(String) }));
    await expect
      .poll(() => {
        scene.timers.tick();
        return gate.calls();
      })
      .toBeGreaterThan(0);

    let isStopped = false;
    const stopped = scene.core.stop().then(() => {
      isStopped = true;
    });
    await scene.waitUntilIdle();
    if (how === 'finished') {
      expect(isStopped).toBe(false);
      gate.open();
    }
    await stopped;
    scene.store.close();
    gate.open();
    await begun;
    scene.timers.tick();
    scene.timers.expire();
    await scene.waitUntilIdle();
    expect(watch.uses).toEqual([]);
    expect(watch.failures).toEqual([]);
    expect(scene.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('writes what happens at its end into the feed', async () => {
    using folder = tempFolder();
    using watch = watchClosedStores();
    const machine = createFakeMachine();
    const { engine } = machine.attach();
    const { core, store, nodeId, waitUntilIdle } = await openScene(folder.file, () => ({
      openEngine: ({ kind }) => (kind === 'local' ? engine : null),
    }));
    await expect.poll(() => store.nodes.get(nodeId)?.status).toBe('up');
    machine.crash();
    await core.stop();
    store.close();
    await waitUntilIdle();
    expect([watch.uses, watch.failures]).toEqual([[], []]);

    const again = openStore(folder.file);
    expect(again.events.after(0, 500, ['node.down'])).toMatchObject([{ data: expect.stringContaining('"node_id":1') }]);
    expect(again.nodes.get(nodeId)?.status).toBe('unknown');
    again.close();
  });

  it('finishes what runs also where a part of it cannot be closed', async () => {
    using folder = tempFolder();
    using watch = watchClosedStores();
    const gate = createGate();
    const { core, store, waitUntilIdle } = await openScene(folder.file, ({ passwords }) => ({
      passwords: { ...passwords, verify: gate.wait(passwords.verify) },
      paymentProviders: {
        ...closedBy(createGate()),
        close() {
          throw new Error('not closed');
        },
      },
    }));
    const key = act(core, 'createKey', { name: 'bot', access: 'read', password: PASSWORD });
    const stopped = expect(core.stop()).rejects.toThrow('not closed');
    await waitUntilIdle();
    gate.open();
    await Promise.all([key, stopped]);
    store.close();
    await waitUntilIdle();
    expect([watch.uses, watch.failures]).toEqual([[], []]);
  });

  it('refuses what comes later', async () => {
    using folder = tempFolder();
    const { core, store } = await openScene(folder.file, () => ({}));
    await core.stop();
    store.close();
    const unavailable = expect.objectContaining({ code: 'unavailable' });
    expect(() => core.call('listKeys', {}, ADMINISTRATOR_CALL)).toThrow(unavailable);
    expect(() => core.shop.order('token', 'page')).toThrow(unavailable);
    await expect(core.catchUp()).rejects.toEqual(unavailable);
    // A second stop, as after a failed start.
    await core.stop();
  });
});
