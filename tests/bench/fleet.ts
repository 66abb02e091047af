// A child that is the machines of many nodes: each joins the panel and serves it as `panel node run` does, over TLS and with certificates of its own,
// but its engine, its ledger and its lease are in memory and cost next to nothing, as they are on other machines where nodes are real.

import { randomBytes } from 'node:crypto';
import { issuePinned } from '../../src/adapters/certificates/issuer.ts';
import { systemClock } from '../../src/adapters/clock.ts';
import { awaitJoin, type NodeIdentity, type NodeListener, serveNode } from '../../src/agent/server.ts';
import type { Engine, LedgerEntry, RunningEngine } from '../../src/core/ports/engines.ts';
import type { LeaseHeld } from '../../src/core/ports/lease.ts';
import type { Log } from '../../src/core/ports/ports.ts';
import { readJoinToken } from '../../src/domain/nodes/join-token.ts';
import { computeFingerprint } from '../../src/engines/engine-config.ts';
import { NO_PROGRAMS } from '../support/fake-engine.ts';
import { SOLE_PANEL } from '../support/sole-panel.ts';
import { answerParent } from './child.ts';
import type { Invited } from './panel-server.ts';

const HOST = '127.0.0.1';
const A_POLL = 1_000_003;
const hexId = () => randomBytes(16).toString('hex');
const silent: Log = { info() {}, warn() {}, error() {} } as unknown as Log;

/** Until it is open, machines answer no question about their lease, so that all begin together. */
const gate = Promise.withResolvers<void>();

interface Machine {
  readonly engine: Engine;
  /** It has the whole lease, with so many users, and its engine runs. */
  isSynced(users: number): boolean;
  /** Whether its engine was last told to let in a user who is watched. */
  knows(userId: number): boolean | undefined;
}

/** Users whose changes are watched. */
const watched = new Set<number>();

/** `moving`: how many users move something between two polls. `before`: what it holds already. */
function simulate(index: number, moving: number, before: LeaseHeld | null): Machine {
  let process: RunningEngine | null = null;
  let held = before;
  let filled = before?.users ?? 0;
  let seq = 0;
  let acknowledged = 0;
  let total = 0;
  const [ledger, run] = [hexId(), hexId()];
  const entries = new Map<number, LedgerEntry>();
  const told = new Map<number, boolean>();
  const begin = (config: Parameters<Engine['fingerprint']>[0], boot: string): RunningEngine => {
    process = {
      name: 'xray',
      version: '26.3.27',
      boot,
      fingerprint: computeFingerprint(config),
      startedAt: Date.now(),
    };
    return process;
  };
  const move = () => {
    if (process?.boot == null || held === null || held.at === null) return;
    total += 1;
    for (let count = 0; count < moving; count += 1) {
      const userId = 1 + ((index * moving + count) % held.users);
      if (told.get(userId) === false) continue;
      seq += 1;
      const down = total * A_POLL;
      if (entries.has(userId)) entries.delete(userId);
      entries.set(userId, { seq, boot: process.boot, userId, tag: null, up: Math.floor(down / 20), down });
    }
  };
  const engine: Engine = {
    running: async () => process,
    fingerprint: computeFingerprint,
    check: async () => {},
    start: async (config, users, boot) => {
      for (const _user of users);
      return begin(config, boot);
    },
    startHeld: async (config, { leaseId, version }, boot) =>
      held?.leaseId === leaseId && held.version === version ? begin(config, boot) : null,
    stop: async () => {
      process = null;
    },
    counters: async () => ({ boot: process?.boot ?? null, users: new Map(), inbounds: new Map() }),
    async readLedgerPage(taken, asks) {
      if (asks) move();
      const from = taken?.run === run ? taken.taken : 0;
      const known = acknowledged;
      acknowledged = Math.max(acknowledged, from);
      const some = [...entries.values()].filter((entry) => entry.seq > from);
      return {
        ledger,
        run,
        acknowledged: known,
        entries: some,
        ends: [],
        events: [],
        until: seq,
        isLast: true,
        failure: null,
      };
    },
    async lease(part) {
      if (before === null) await gate.promise;
      if (part === null) return held;
      const { leaseId, base, at, users, isLast } = part;
      if (base === 0) filled = 0;
      else if (held?.leaseId !== leaseId || held.version !== base) return held;
      if (held?.at == null || base === 0) filled += users.length;
      const isWhole = isLast ? at : base === 0 ? null : (held?.at ?? null);
      held = { leaseId, version: base + 1, at: isWhole, users: filled };
      return held;
    },
    async apply(changes) {
      for (const { user, isAllowed } of changes) if (watched.has(user.userId)) told.set(user.userId, isAllowed);
      return changes.map(() => null);
    },
    members: async () => null,
    connected: async () => null,
    protocol: () => null,
    machine: () => ({ load: 20, clockOffset: null, version: null, certificate: null, waiting: null }),
    log: () => [],
    onExit() {},
    close() {},
  };
  return {
    engine,
    isSynced: (users) => process !== null && held !== null && held.at !== null && held.users >= users,
    knows: (userId) => told.get(userId),
  };
}

const machines: Machine[] = [];
const listeners: NodeListener[] = [];

async function joinOne(token: string, machine: Machine): Promise<void> {
  const read = readJoinToken(token);
  if (!read) throw new Error('no token');
  const { port, panelPin, secret } = read;
  const { key, pem: certificate } = await issuePinned();
  const saved = Promise.withResolvers<NodeIdentity>();
  const done = Promise.withResolvers<void>();
  const waiting = {
    identity: { key, certificate, panelPin },
    secret,
    clock: systemClock,
    log: silent,
    save: saved.resolve,
    joined: done.resolve,
    taken: () => {},
  };
  const joining = await awaitJoin(waiting, { host: HOST, port });
  await done.promise;
  await joining.close();
  const identity = await saved.promise;
  const parts = { identity, engine: machine.engine, clock: systemClock, log: silent, version: '0.0.0' };
  listeners.push(await serveNode({ ...parts, obeyed: SOLE_PANEL, programs: NO_PROGRAMS }, { host: HOST, port }));
}

async function until(isTrue: () => boolean): Promise<number> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 2));
  return Date.now();
}

answerParent({
  /** Makes a machine for each and has the panel join it. `moving`: how many users of each move something between two polls. */
  async join({ invited, moving }: { readonly invited: readonly Invited[]; readonly moving: number }) {
    const made = invited.map(({ held }, index) => simulate(machines.length + index, moving, held));
    machines.push(...made);
    await Promise.all(invited.map(({ token }, index) => joinOne(token, made[index] as Machine)));
  },
  open() {
    gate.resolve();
    return Date.now();
  },
  /** Resolves with the time when all have everything. */
  synced: (users: number) => until(() => machines.every((machine) => machine.isSynced(users))),
  watch(userId: number) {
    watched.add(userId);
  },
  /** Resolves with the time when all know of a user's change. */
  changed: ({ userId, isAllowed }: { readonly userId: number; readonly isAllowed: boolean }) =>
    until(() => machines.every((machine) => machine.knows(userId) === isAllowed)),
  async stop() {
    await Promise.all(listeners.map((listener) => listener.close()));
  },
});
