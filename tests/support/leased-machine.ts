// A machine with a lease and a ledger on disk, whose engine is in memory and whose time is the test's own; with the panel's side of its node.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { type EnforcedEngine, enforceLease } from '../../src/agent/enforcer.ts';
import { meterEngine } from '../../src/agent/ledger-engine.ts';
import { openNodeLedger } from '../../src/agent/store/ledger.ts';
import { superviseEngine } from '../../src/agent/supervised-engine.ts';
import type { Env } from '../../src/core/kernel/context.ts';
import { createNodeReconciler } from '../../src/core/nodes/reconciler.ts';
import { type Engine, EngineError } from '../../src/core/ports/engines.ts';
import type { Clock } from '../../src/core/ports/ports.ts';
import { createTestTimers } from './clock.ts';
import { createFakeMachine } from './fake-engine.ts';
import { createTestLog } from './log.ts';
import { plainSeal } from './node-lease.ts';

const settled = async () => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
};

interface Parts {
  readonly env: Env;
  readonly clock: Clock;
  readonly folder: string;
  readonly nodeId: number;
  readonly inboundId: number;
  /** Entries of a page of the ledger. */
  readonly page?: number;
  /** What stands between the ledger and the engine. */
  readonly around?: (engine: Engine) => Engine;
}

export function openLeasedMachine({ env, clock, folder, nodeId, inboundId, page, around = (same) => same }: Parts) {
  const machine = createFakeMachine();
  const log = createTestLog();
  const file = join(folder, `${nodeId}.db`);
  let timers = createTestTimers();
  const open = (): EnforcedEngine => {
    timers = createTestTimers();
    const ledger = openNodeLedger(file, plainSeal, page);
    const { lease } = ledger;
    let enforced: EnforcedEngine | null = null;
    const refused = (ids: readonly number[]) => enforced?.recordRefused(ids);
    const recorded = meterEngine(around(machine.attach().engine), { ledger, clock, onRefused: refused, timers, log });
    const crypto = { randomBytes: (length: number) => env.crypto.randomBytes(length) };
    enforced = enforceLease(superviseEngine(recorded, { crypto, timers, log, lease }), { lease, clock, timers, log });
    return enforced;
  };
  let engine = open();
  // The panel has one connector, the service behind it may be another one.
  const cut = new Set<string | symbol>();
  const fail = async () => {
    throw new EngineError('engine_unreachable', 'no answer');
  };
  const behind = new Proxy({} as EnforcedEngine, {
    get: (_target, name) => (cut.has(name) ? fail : engine[name as keyof EnforcedEngine]),
  });
  let node = createNodeReconciler(env, nodeId, behind);
  return {
    machine,
    nodeId,
    inboundId,
    /** The engine as the panel sees it. */
    behind,
    /** Calls that do not reach it. */
    cut,
    connectPanel: () => node.round(true),
    /** The panel is started again, with the environment that is given. */
    restartPanel(next: Env = env, connector: Engine = behind) {
      node = createNodeReconciler(next, nodeId, connector);
    },
    engine: () => engine,
    /** A reading of the counters, and all that is due. `ms`: what has passed for the machine's other timers. */
    async beat(ms = 0) {
      timers.pass(ms);
      timers.tick();
      await settled();
    },
    /** The service is killed and started again; its folder is replaced by an earlier copy, if one is given. */
    async restart(copy?: string) {
      engine.close();
      if (copy !== undefined) copyFileSync(copy, file);
      engine = open();
      timers.pass(0);
      await settled();
    },
    /** A copy of the folder as it is. The file is whole without its journal once it is closed. */
    async copyTo(path: string) {
      engine.close();
      copyFileSync(file, path);
      engine = open();
      timers.pass(0);
      await settled();
    },
    isIn: (userId: number) => machine.process?.members.get(inboundId)?.has(userId) === true,
  };
}
