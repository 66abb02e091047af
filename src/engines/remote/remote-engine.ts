// The engine of a node on another machine, as the panel sees it: the panel dials, `panel node` answers.
import { type Engine, EngineError, type RunningEngine } from '../../core/ports/engines.ts';
import { computeFingerprint } from '../engine-config.ts';
import { createNodeClient, type RemoteEngineParts } from './node-client.ts';
import { changeToWire, configToWire, type Reply, startUserToWire } from './wire.ts';
import { engineInboundToWire } from './wire-inbound.ts';
import { encodeLease } from './wire-lease.ts';
import { ledgerPageFromWire, takenToWire } from './wire-ledger.ts';

export function createRemoteEngine(parts: RemoteEngineParts): Engine {
  const { clock } = parts;
  const client = createNodeClient(parts);

  function describe({ uptimeMs, ...running }: NonNullable<Reply<'running'>['running']>): RunningEngine {
    return { ...running, startedAt: Math.max(0, clock.now() - uptimeMs) };
  }

  return {
    async running() {
      const { running } = await client.call('running', {});
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
    async counters() {
      const { boot, users, inbounds } = await client.call('counters', {});
      return {
        boot,
        users: new Map(users.map(([userId, up, down]) => [userId, { up, down }])),
        inbounds: new Map(inbounds.map(([tag, up, down]) => [tag, { up, down }])),
      };
    },
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
    programs: () => client.call('programs', {}),
    async changeProgram(name) {
      await client.call('changeProgram', { name });
    },
    members: async (inbound) => (await client.call('members', { inbound: engineInboundToWire(inbound) })).ids,
    async connected() {
      const { users } = await client.call('connected', {});
      return (
        users &&
        new Map(users.map(([userId, all]) => [userId, all.map(([address, openedAt]) => ({ address, openedAt }))]))
      );
    },
    protocol: client.protocolVersion,
    machine: client.machine,
    // Nothing reads them: what an engine says about a failure is in the failure.
    log: () => [],
    // The next poll finds that it has ended.
    onExit() {},
    close: client.close,
  };
}
