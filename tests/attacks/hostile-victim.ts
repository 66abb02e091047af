// A panel in a process with a small heap, whose nodes are hostile: one that polls them, and beside it calls of every operation of the protocol.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { systemClock } from '../../src/adapters/clock.ts';
import { type Engine, EngineError, type EngineInbound } from '../../src/core/ports/engines.ts';
import { createRemoteEngine } from '../../src/engines/remote/remote-engine.ts';
import { openPanel } from '../../src/panel/panel.ts';
import { createJsonThread } from '../../src/panel/workers/json-thread.ts';
import { CHEAP_COST } from '../support/cheap-password.ts';
import type { Keys } from '../support/node-machine.ts';
import { PASSWORD } from '../support/own-panel.ts';
import { SOLE_ROLE } from '../support/sole-panel.ts';

export interface Asked {
  /** The test removes it. */
  readonly place: string;
  readonly keys: Keys;
  /** Of the machine whose lies the panel polls, and of the one that answers anything. */
  readonly lies: number;
  readonly bombs: number;
  readonly users: number;
}

/** What the process is told, and tells. */
export type Order =
  | { readonly type: 'measure' }
  | { readonly type: 'attack'; readonly calls: number }
  | { readonly type: 'stop' };
export type Told =
  | { readonly type: 'open'; readonly panelUrl: string; readonly baseUrl: string; readonly ca: string }
  | {
      readonly type: 'figures';
      readonly maxStallMs: number;
      readonly p99StallMs: number;
      readonly rssMb: number;
      /** Failures that are none of the node. */
      readonly defects: readonly string[];
    };

/** Written out: what makes samples takes half of the heap. */
const INBOUND: EngineInbound = {
  id: 1,
  nodeId: 1,
  tag: 'in',
  name: 'In',
  protocol: 'vless',
  network: 'tcp',
  security: 'none',
  host: null,
  port: 443,
  sni: null,
  path: null,
  serviceName: null,
  proxyHeader: null,
  flow: null,
  fingerprint: null,
  alpn: null,
  publicKey: null,
  xhttpMode: null,
  xhttpExtra: null,
  encryption: null,
  mldsa65Verify: null,
  shortId: null,
  moreShortIds: [],
  moreServerNames: [],
  method: null,
  obfsPassword: null,
  hopPorts: null,
  masquerade: null,
  fragment: null,
  noise: null,
  mux: null,
  sharesPortOf: null,
  fallback: null,
  fallbackProxyProtocol: null,
  addressPool: null,
  mtu: null,
  target: null,
  minClientVersion: null,
  hosts: [],
  hostOrder: 'listed' as const,
  certificate: null,
  updatedAt: 0,
  privateKey: null,
  certificateKey: null,
  decryption: null,
  mldsa65Seed: null,
  serverKey: null,
};
const CONFIG = { inbounds: [INBOUND], blocksPrivate: true };
const USER = { userId: 1, credentials: { uuid: 'a', password: 'b', key: 'c', wireguard: 'd' } };
const HELD = { leaseId: '0'.repeat(32), version: 1 };
const CALLS: readonly ((engine: Engine) => Promise<unknown> | undefined)[] = [
  (engine) => engine.running(),
  (engine) => engine.check(CONFIG),
  (engine) => engine.start(CONFIG, [{ ...USER, inbounds: [1] }], 'a1'),
  (engine) => engine.startHeld?.(CONFIG, HELD, 'a1'),
  (engine) => engine.stop(),
  (engine) => engine.readLedgerPage(null, true),
  (engine) => engine.lease?.(null),
  (engine) => engine.apply([{ inbound: INBOUND, user: USER, isAllowed: true }]),
  (engine) => engine.members(INBOUND),
  (engine) => engine.findSessions?.([INBOUND], [1]),
  (engine) => engine.reopen?.(INBOUND, async () => []),
  (engine) => engine.connected(),
  (engine) => engine.programs?.(),
  (engine) => engine.changeProgram?.(null),
];
const AT_ONCE = 4;

async function open({ place, keys, lies, bombs, users }: Asked) {
  const json = createJsonThread();
  const connect = (port: number) =>
    createRemoteEngine({
      role: SOLE_ROLE,
      place: () => ({ host: '127.0.0.1', port, pin: keys.pin }),
      identity: async () => keys.panel,
      users: () => users,
      parseLarge: json.parseReply,
      clock: systemClock,
    });
  const folder = join(place, 'data');
  const panel = await openPanel({
    folder,
    port: 0,
    rateLimit: 0,
    passwordCost: CHEAP_COST,
    keyFile: join(place, 'master.key'),
    pollEveryMs: 2000,
    openEngine: () => connect(lies),
  });
  await panel.core.local.setUp('admin', PASSWORD);
  const ca = readFileSync(join(folder, 'tls', 'ca.pem'), 'utf8');
  const defects: string[] = [];
  const attack = async (calls: number) => {
    const engine = connect(bombs);
    let left = calls;
    const work = async () => {
      while (left > 0) {
        left -= 1;
        try {
          await CALLS[left % CALLS.length]?.(engine);
        } catch (error) {
          if (!(error instanceof EngineError)) defects.push(String(error));
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    engine.close();
  };
  const report = (told: Told) => process.send?.(told);
  let delay = monitorEventLoopDelay({ resolution: 5 });
  process.on('message', async (order: Order) => {
    if (order.type === 'stop') {
      await panel.close();
      await json.close();
      process.disconnect();
      return;
    }
    delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    if (order.type === 'attack') await attack(order.calls);
    else await new Promise((resolve) => setTimeout(resolve, 5000));
    delay.disable();
    const [maxStallMs, p99StallMs] = [delay.max, delay.percentile(99)].map((ns) => Math.round(ns / 1e6));
    const rssMb = Math.round(process.memoryUsage().rss / 2 ** 20);
    report({
      type: 'figures',
      maxStallMs: maxStallMs ?? 0,
      p99StallMs: p99StallMs ?? 0,
      rssMb,
      defects: defects.slice(0, 5),
    });
  });
  report({ type: 'open', panelUrl: panel.panelUrl, baseUrl: panel.baseUrl, ca });
}

process.once('message', (asked: Asked) => void open(asked));
