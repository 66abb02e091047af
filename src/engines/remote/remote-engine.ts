// The engine of a node on another machine, as the panel uses it: the panel connects, `panel node` answers.
import {
  type ConnectedAddress,
  type Engine,
  EngineError,
  type EngineInbound,
  type RunningEngine,
} from '../../core/ports/engines.ts';
import { computeFingerprint } from '../engine-config.ts';
import { createNodeClient, type NodeClientParts } from './node-client.ts';
import { changeToWire, configToWire, MAX_SUSPECTS, type Reply, startUserToWire } from './wire.ts';
import { engineInboundToWire } from './wire-inbound.ts';
import { encodeLease } from './wire-lease.ts';
import { ledgerPageFromWire, takenToWire } from './wire-ledger.ts';

interface RemoteEngineParts extends NodeClientParts {
  /** Number of users, which bounds the answers. */
  users(): number;
}

/** A machine may still have users who were deleted in the panel, at most this many. */
const MAX_UNKNOWN = 10_000;
/** Addresses of each user that are read. */
const MAX_ADDRESSES = 4;

/** Pages of ids, until the last one. Rejects with EngineError if the ids do not increase. */
async function* readPages<Page extends { readonly isLast: boolean }>(
  read: (after: number) => Promise<Page>,
  listIds: (page: Page) => readonly number[],
): AsyncGenerator<Page> {
  for (let after = 0; ; ) {
    const page = await read(after);
    for (const id of listIds(page)) {
      if (id <= after) throw new EngineError('engine_unreachable', 'the node names a user twice');
      after = id;
    }
    yield page;
    if (page.isLast) return;
    if (listIds(page).length === 0) throw new EngineError('engine_unreachable', 'the node offers an empty page');
  }
}

export function createRemoteEngine(parts: RemoteEngineParts): Engine {
  const { clock } = parts;
  const client = createNodeClient(parts);

  function requireFew(count: number, most: number): void {
    if (count > most) throw new EngineError('engine_unreachable', 'the node names more users than there are');
  }

  async function readMembers(inbound: EngineInbound): Promise<readonly number[] | null> {
    const wire = engineInboundToWire(inbound);
    const all: number[] = [];
    const read = (after: number) => client.call('members', { inbound: wire, after });
    for await (const { ids } of readPages(read, (page) => page.ids ?? [])) {
      if (ids === null) return null;
      all.push(...ids);
      requireFew(all.length, parts.users() + MAX_UNKNOWN);
    }
    return all;
  }

  async function readConnected(): Promise<ReadonlyMap<number, readonly ConnectedAddress[]> | null> {
    const all = new Map<number, readonly ConnectedAddress[]>();
    let addresses = 0;
    const read = (after: number) => client.call('connected', { after });
    for await (const { users } of readPages(read, (page) => page.users?.map(([id]) => id) ?? [])) {
      if (users === null) return null;
      for (const [id, of] of users) {
        all.set(
          id,
          of.map(([address, openedAt]) => ({ address, openedAt })),
        );
        addresses += of.length;
      }
      requireFew(all.size, parts.users() + MAX_UNKNOWN);
      requireFew(addresses, MAX_ADDRESSES * parts.users() + MAX_UNKNOWN);
    }
    return all;
  }

  function describe({ uptimeMs, ...running }: NonNullable<Reply<'running'>['running']>): RunningEngine {
    return { ...running, startedAt: Math.max(0, clock.now() - uptimeMs) };
  }

  return {
    async running() {
      const { running } = await client.call('running', { now: clock.now() });
      return running && describe(running);
    },
    fingerprint: computeFingerprint,
    async check(config) {
      await client.call('check', { config: configToWire(config) });
    },
    async start(config, users, boot) {
      const people = Array.from(users, startUserToWire);
      return describe((await client.call('start', { config: configToWire(config), users: people, boot })).running);
    },
    async startHeld(config, { leaseId, version }, boot) {
      const { running } = await client.call('startHeld', { config: configToWire(config), boot, leaseId, version });
      return running && describe(running);
    },
    async stop(isRestart = false) {
      await client.call('stop', { isRestart });
    },
    // The panel reads the machine's ledger instead.
    counters: () => Promise.reject(new EngineError('engine_unreachable', 'a machine offers its ledger')),
    readLedgerPage: async (taken, asks) =>
      ledgerPageFromWire(await client.call('readLedger', { taken: taken && takenToWire(taken), asks })),
    async lease(part) {
      return (await (part === null ? client.call('lease', { part }) : client.send('lease', () => encodeLease(part))))
        .held;
    },
    async apply(changes) {
      const inbounds = [...new Set(changes.map(({ inbound }) => inbound))];
      const wire = changes.map((change) => changeToWire(change, inbounds));
      const { outcomes } = await client.call('apply', { inbounds: inbounds.map(engineInboundToWire), changes: wire });
      if (outcomes.length !== changes.length) throw new EngineError('engine_unreachable', 'the node left changes out');
      return outcomes.map((outcome) => outcome && new EngineError(outcome.code, outcome.message.slice(0, 1000)));
    },
    async findSessions(inbounds, userIds) {
      const wire = { inbounds: inbounds.map(engineInboundToWire), userIds: userIds.slice(0, MAX_SUSPECTS) };
      const { sessions } = await client.call('findSessions', wire);
      return sessions.map(([inboundId, userId]) => ({ inboundId, userId }));
    },
    async reopen(inbound) {
      await client.call('reopen', { inbound: engineInboundToWire(inbound) });
    },
    programs: () => client.call('programs', {}),
    async changeProgram(name) {
      await client.call('changeProgram', { name });
    },
    members: readMembers,
    connected: readConnected,
    protocol: client.protocolVersion,
    machine: client.machine,
    // Not read: errors contain the engine's message.
    log: () => [],
    // The next poll notices that it has ended.
    onExit() {},
    close: client.close,
  };
}
