// A client that asks for one user now and then, while somebody who knows the secret path attacks the panel from another network, to alone.
import { Agent, request } from 'node:https';
import { networkInterfaces } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import type { Attack, AttackStart } from '../attacker.ts';
import { startChild } from '../child.ts';
import type { Figure, Measured } from '../figure.ts';
import { p99, pairedRounds, ratioOf, time } from '../rounds.ts';
import { sampleIds } from '../sample-users.ts';
import { type Server, startPanel } from '../servers.ts';
import { quantile } from '../statistics.ts';
import type { Load, Target } from '../target.ts';

const IDS = 2000;
/** As many as keep within the budgets of keys. */
const KEYS = 16;
const PAUSE_MS = 5;
/** Enough for a p99. */
const REQUESTS = 600;
/** Until an attack is in full swing, and until nothing of it is left. */
const SETTLE_MS = 1500;

const ATTACKS: Readonly<Record<Attack, string>> = {
  bodies: 'four connections send 1 MiB of `[` to sign-in',
  halves: '256 connections send all but the last byte of 1 MiB with a key',
  handshakes: '16 connections shake hands and leave',
  'sign-ins': '50 networks try ten wrong passwords a second',
};

/** An address of this machine that is not loopback, so that the panel sees another network; loopback where there is none. */
function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((some) => some ?? []);
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1';
}

/** One connection, one request after the other, with a pause between them. */
async function ask({ origin, paths }: Target, keys: readonly string[]): Promise<Load> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
  const once = (index: number) =>
    new Promise<void>((resolve, reject) => {
      const headers = { authorization: `Bearer ${keys[index % keys.length]}` };
      const asked = request(origin + paths[index % paths.length], { agent, headers }, (reply) => {
        if (reply.statusCode !== 200) reject(new Error(`a client was answered ${reply.statusCode}`));
        reply.resume().on('end', resolve);
      });
      asked.on('error', reject);
      asked.end();
    });
  const began = performance.now();
  const latencies: number[] = [];
  // The first one connects.
  await once(0);
  for (let index = 1; index <= REQUESTS; index += 1) {
    const sent = performance.now();
    await once(index);
    latencies.push(performance.now() - sent);
    await wait(PAUSE_MS);
  }
  agent.destroy();
  const sorted = Float64Array.from(latencies).sort();
  return {
    requests: sorted.length,
    ms: performance.now() - began,
    p50: quantile(sorted, 0.5),
    p99: quantile(sorted, 0.99),
  };
}

async function measureUnder(
  attack: Attack,
  panel: Server,
  keys: readonly string[],
  ids: readonly number[],
  rounds: number,
): Promise<Measured> {
  const target = panel.target(ids.map((id) => `/users/${id}`));
  const { port } = new URL(target.origin);
  const path = (target.paths[0] ?? '').replace(/\/users\/\d+$/, '');
  const [key = '', ...own] = keys;
  const secret = path.replace(/api\/v1$/, '');
  const start: AttackStart = { attack, host: ownAddress(), port: Number(port), secret, path, key };
  const attacker = startChild(new URL('../attacker.ts', import.meta.url));
  let attempts = 0;
  let attacked = 0;
  try {
    const run = () => ask(target, own);
    const under = async () => {
      await attacker.ask('start', start);
      await wait(SETTLE_MS);
      const load = await run();
      attempts += await attacker.ask<number>('halt');
      attacked += load.ms + SETTLE_MS;
      await wait(SETTLE_MS);
      return load;
    };
    const pairs = await pairedRounds({ server: panel.child, run: under }, { server: panel.child, run }, rounds, 1);
    const ratio = ratioOf(pairs, p99, true);
    const perSecond = Math.round((1000 * attempts) / attacked).toLocaleString('en');
    return {
      title: `GET /users/{id} while ${ATTACKS[attack]}, p99`,
      reach: { most: 3 },
      isRatio: true,
      ...ratio,
      detail: `alone ${time(ratio.other)}, attacked ${time(ratio.ours)}; ${perSecond} attempts a second`,
    };
  } finally {
    await attacker.stop();
  }
}

export const attacked: Figure = {
  name: 'attacked',
  async measure({ databases, scale }) {
    const folder = await databases.copy('small');
    await using panel = await startPanel({ folder, tls: true, isAttacked: true });
    const keys: string[] = [];
    while (keys.length < KEYS) keys.push(await panel.child.ask<string>('newKey'));
    const ids = sampleIds(databases.sizes.small, IDS, 41);
    const rows: Measured[] = [];
    for (const attack of Object.keys(ATTACKS) as Attack[])
      rows.push(await measureUnder(attack, panel, keys, ids, scale.rounds));
    return rows;
  },
};
