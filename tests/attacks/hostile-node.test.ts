// A hostile machine against a panel with a heap of 256 MB: it uses every operation of the protocol, and others are served beside it.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { METHODS } from '../../src/engines/remote/wire.ts';
import { createAdministrator } from '../support/administrator.ts';
import { createClient } from '../support/http-client.ts';
import { times } from '../support/long.ts';
import { makeKeys } from '../support/node-machine.ts';
import { PASSWORD } from '../support/own-panel.ts';
import { readSeed } from '../support/seed.ts';
import type { MachineAsked, MachineTold } from './hostile-machine.ts';
import type { Asked, Order, Told } from './hostile-victim.ts';

const SEED = readSeed('FUZZ_SEED');
const CALLS = times(1000, 20_000);
const USERS = 400;
const NODES = 1;
const HEAP_MB = 256;
/** Bytes a second and way of the line of a node, at 100 Gbit/s. */
const PER_SECOND = 12_500_000_000;

type ToldOf<Type extends Told['type']> = Extract<Told, { readonly type: Type }>;

function openVictim(asked: Asked) {
  const child = fork(new URL('./hostile-victim.ts', import.meta.url), {
    execArgv: [`--max-old-space-size=${HEAP_MB}`],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
  });
  let stderr = '';
  child.stderr?.on('data', (text) => {
    stderr += String(text);
  });
  const next = <Type extends Told['type']>(type: Type): Promise<ToldOf<Type>> =>
    new Promise((resolve, reject) => {
      const onExit = (code: number | null, signal: string | null) =>
        reject(new Error(`the panel ended with ${code ?? signal}: ${stderr.slice(-1000)}`));
      child.once('exit', onExit);
      child.on('message', function read(told: Told) {
        if (told.type !== type) return;
        child.off('message', read);
        child.off('exit', onExit);
        resolve(told as ToldOf<Type>);
      });
    });
  child.send(asked);
  return {
    opened: next('open'),
    order(order: Extract<Order, { type: 'measure' | 'attack' }>): Promise<ToldOf<'figures'>> {
      const figures = next('figures');
      child.send(order);
      return figures;
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.send({ type: 'stop' } satisfies Order);
      await ended;
    },
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** The machine in a process of its own: what it costs to make its replies delays no read that is measured. */
function openMachine(asked: MachineAsked) {
  const child = fork(new URL('./hostile-machine.ts', import.meta.url), { serialization: 'advanced' });
  const next = async <Type extends MachineTold['type']>(type: Type) => {
    for (;;) {
      const [told] = (await once(child, 'message')) as [MachineTold];
      if (told.type === type) return told as Extract<MachineTold, { readonly type: Type }>;
    }
  };
  const opened = next('open');
  child.send(asked);
  return {
    port: opened.then(({ port }) => port),
    async count() {
      const counted = next('counts');
      child.send('count');
      return (await counted).counts;
    },
    close: () => child.kill('SIGKILL'),
  };
}

test('replies of a hostile machine neither end the panel nor keep it from others', { timeout: 900_000 }, async () => {
  const keys = await makeKeys();
  const lies = openMachine({ keys, seed: SEED, bombShare: 0 });
  const bombs = openMachine({ keys, seed: SEED, bombShare: 0.5 });
  const place = mkdtempSync(join(tmpdir(), 'gatehouse-hostile-'));
  const victim = openVictim({ place, keys, lies: await lies.port, bombs: await bombs.port, users: USERS });
  try {
    const { panelUrl, baseUrl, ca } = await victim.opened;
    const administrator = createAdministrator(panelUrl, ca);
    await administrator.call('signIn', { name: 'admin', password: PASSWORD });
    const { value } = (await administrator.call('createKey', { name: 'full', access: 'full', password: PASSWORD }))
      .body;
    const api = createClient({ baseUrl, key: value, ca });
    const { id: tariff_id } = (await api.call('createTariff', { name: 'Unlimited' })).body;
    const users = Array.from({ length: USERS }, (_, index) => ({ name: `user ${index}`, tariff_id }));
    await api.call('createUsers', { users });

    const durations: number[] = [];
    let isReading = true;
    const read = async () => {
      while (isReading) {
        const began = performance.now();
        const { status, body } = await api.call('getUser', { id: 1 + (durations.length % USERS) });
        durations.push(performance.now() - began);
        expect([status, body.name]).toEqual([200, `user ${body.id - 1}`]);
      }
    };
    const computeP99 = () => {
      const sorted = durations.splice(0).sort((a, b) => a - b);
      return sorted[Math.floor(sorted.length * 0.99)] ?? 0;
    };
    const reading = read();
    const calm = await victim.order({ type: 'measure' });
    const calmP99 = computeP99();
    const addedAt = Date.now();
    for (let index = 0; index < NODES; index += 1) {
      const node = await administrator.call('createNode', { name: `Node ${index}`, address: '127.0.0.1' });
      const inbound = { name: 'In', tag: 'in', protocol: 'vless', port: 443, node_id: node.body.id } as const;
      await api.call('createInbound', inbound);
    }
    const polled = await victim.order({ type: 'measure' });
    const polledP99 = computeP99();
    const attacked = await victim.order({ type: 'attack', calls: CALLS });
    const attackedP99 = computeP99();
    isReading = false;
    await reading;

    const counts = [...(await lies.count()), ...(await bombs.count())];
    const replies = counts.reduce((sum, [, count]) => sum + count, 0);
    const describe = (figures: ToldOf<'figures'>, p99: number) =>
      `p99 ${p99.toFixed(1)} ms (${(p99 / calmP99).toFixed(2)} times), longest stall ${figures.maxStallMs} ms`;
    console.info(
      `hostile node, seed ${SEED}: ${replies} replies, heap of ${HEAP_MB} MB, GET /users/{id} without: ${describe(calm, calmP99)}; while the panel polls it: ${describe(polled, polledP99)}; beside ${CALLS} calls as fast as it answers: ${describe(attacked, attackedP99)}; ${attacked.rssMb} MB resident`,
    );
    expect(attacked.defects).toEqual([]);
    const used = new Set(counts.map(([method]) => method));
    expect(METHODS.filter((name) => !used.has(name))).toEqual([]);
    // No more was counted than the lines of these nodes carry.
    const { body: overview } = await api.call('getOverview', {});
    const most = NODES * ((Date.now() - addedAt) / 1000 + 60) * PER_SECOND;
    expect(overview.traffic.today.down).toBeLessThanOrEqual(most);
    const { body: nodes } = await api.call('listNodes', {});
    expect(nodes.items.some(({ implausible_traffic: implausible }) => implausible !== null)).toBe(true);
    administrator.close();
    api.close();
    await victim.stop();
  } finally {
    await victim.kill();
    lies.close();
    bombs.close();
    rmSync(place, { recursive: true, force: true });
  }
});
