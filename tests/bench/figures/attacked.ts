// A client that asks for one user now and then, while somebody who knows the secret path attacks the panel from another network, to alone;
// and the same client of a bare server under the same attack: what it notices there is the machine's, not the panel's.
import { Agent, request } from 'node:https';
import { networkInterfaces } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import type { Attack, AttackStart } from '../attacker.ts';
import { startChild } from '../child.ts';
import type { Figure, Measured } from '../figure.ts';
import { computeRatio, p99, pairedRounds, type Ratio, time } from '../rounds.ts';
import { sampleIds } from '../sample-users.ts';
import { type Server, startBareAttacked, startPanel } from '../servers.ts';
import { quantile } from '../statistics.ts';
import type { Load, Target } from '../target.ts';
import { readCpu } from '../usage.ts';

const IDS = 2000;
/** As many as keep within the budgets of keys. */
const KEYS = 16;
const PAUSE_MS = 5;
/** Enough for a p99. */
const REQUESTS = 500;
/** There are 24 pairs of sides in three rounds, each of ten seconds and more. */
const MAX_ROUNDS = 3;
/** Until an attack is in full swing. */
const SETTLE_MS = 1000;
/** Of a core, by a server without requests, over so long; how long that is waited for, as passwords are hashed one after the other. */
const CALM_SHARE = 0.1;
const CALM_OVER_MS = 500;
const CALM_WITHIN_MS = 60_000;

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
async function sendRequests({ origin, paths }: Target, keys: readonly string[]): Promise<Load> {
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

/** Until the server does no more work for an attack that is over. */
async function calm({ child }: Server): Promise<void> {
  const until = performance.now() + CALM_WITHIN_MS;
  for (let share = 1; share > CALM_SHARE && performance.now() < until; ) {
    const [began, before] = [performance.now(), await readCpu(child)];
    await wait(CALM_OVER_MS);
    share = ((await readCpu(child)) - before) / (performance.now() - began);
  }
}

interface Victim {
  readonly server: Server;
  readonly target: Target;
  /** The client's keys, in turn, and the attacker's. */
  readonly keys: readonly string[];
  readonly attackersKey: string;
  /** `/secret/` */
  readonly secret: string;
}

interface Impact extends Ratio {
  /** Of the attacker. */
  readonly perSecond: number;
}

/** The client's p99 under an attack to alone. */
async function measureImpact(attack: Attack, victim: Victim, rounds: number): Promise<Impact> {
  const { server, target, keys, attackersKey: key, secret } = victim;
  const port = Number(new URL(target.origin).port);
  const start: AttackStart = { attack, host: ownAddress(), port, secret, path: `${secret}api/v1`, key };
  const attacker = startChild(new URL('../attacker.ts', import.meta.url));
  let attempts = 0;
  let attackedMs = 0;
  try {
    const run = () => sendRequests(target, keys);
    const under = async () => {
      await attacker.call('start', start);
      await wait(SETTLE_MS);
      const load = await run();
      attempts += await attacker.call<number>('halt');
      attackedMs += load.ms + SETTLE_MS;
      await calm(server);
      return load;
    };
    const pairs = await pairedRounds({ server: server.child, run: under }, { server: server.child, run }, rounds, 0);
    return { ...computeRatio(pairs, p99, true), perSecond: (1000 * attempts) / attackedMs };
  } finally {
    await attacker.stop();
  }
}

function described({ other, ours, perSecond }: Impact): string {
  return `alone ${time(other)}, attacked ${time(ours)}, ${Math.round(perSecond).toLocaleString('en')} attempts a second`;
}

async function measureUnder(attack: Attack, panel: Victim, bare: Victim, rounds: number): Promise<Measured> {
  const ours = await measureImpact(attack, panel, rounds);
  const other = await measureImpact(attack, bare, rounds);
  const [least, most] = other.range;
  return {
    title: `GET /users/{id} while ${ATTACKS[attack]}, p99`,
    reach: { most: 3 },
    isRatio: true,
    ...ours,
    detail: `${described(ours)}; a bare server ${other.value.toFixed(2)} (${least.toFixed(2)} to ${most.toFixed(2)}): ${described(other)}`,
  };
}

export const attacked: Figure = {
  name: 'attacked',
  async measure({ databases, scale, printLine }) {
    const folder = await databases.copy('small');
    await using panel = await startPanel({ folder, tls: true, isAttacked: true });
    await using bare = await startBareAttacked(folder);
    const keys: string[] = [];
    while (keys.length < KEYS) keys.push(await panel.child.call<string>('newKey'));
    const [attackersKey = '', ...own] = keys;
    const ids = sampleIds(databases.sizes.small, IDS, 41);
    const target = panel.target(ids.map((id) => `/users/${id}`));
    const secret = (target.paths[0] ?? '').replace(/api\/v1.*$/, '');
    const ours: Victim = { server: panel, target, keys: own, attackersKey, secret };
    const other: Victim = { ...ours, server: bare, target: bare.target(ids.map((id) => `/${id}`)) };
    // What a server does for the first time is not measured.
    for (const victim of [ours, other]) await sendRequests(victim.target, own);
    const rows: Measured[] = [];
    for (const attack of Object.keys(ATTACKS) as Attack[]) {
      const row = await measureUnder(attack, ours, other, Math.min(scale.rounds, MAX_ROUNDS));
      printLine(`${ATTACKS[attack]}: ${row.value.toFixed(2)}`);
      rows.push(row);
    }
    return rows;
  },
};
