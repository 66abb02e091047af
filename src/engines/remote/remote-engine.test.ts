// A message that is encoded in several pieces arrives unchanged.

import { expect, it } from 'vitest';
import { createFakeMachine, NO_PROGRAMS } from '../../../tests/support/fake-engine.ts';
import { createTestLog } from '../../../tests/support/log.ts';
import { dial, makeKeys, realLooking } from '../../../tests/support/node-machine.ts';
import { PLAIN_RULE } from '../../../tests/support/plain-rule.ts';
import { SOLE_PANEL, SOLE_ROLE } from '../../../tests/support/sole-panel.ts';
import { sampleInbound } from '../../../tests/support/subscription-samples.ts';
import { systemClock } from '../../adapters/clock.ts';
import { serveNode } from '../../agent/server.ts';
import { DEFAULT_APPS } from '../../contract/subscription/default-apps.ts';
import { DEFAULT_SUBSCRIPTION_HEADERS } from '../../contract/subscription/headers.ts';
import { EngineError } from '../../core/ports/engines.ts';
import type { LeasePart, LeaseShared } from '../../core/ports/lease.ts';
import { signClaim } from './signed-claim.ts';

it('sends a lease in pieces that part no character, however many nodes have the same connections', async () => {
  const keys = await makeKeys();
  const taken: (LeasePart | null)[] = [];
  const engine = {
    ...realLooking(createFakeMachine()),
    lease: async (part: LeasePart | null) => {
      taken.push(part);
      return part && { leaseId: part.leaseId, version: part.base + 1, at: part.at, users: part.users.length };
    },
  };
  const parts = { identity: keys.node, engine, clock: systemClock, log: createTestLog(), version: '0.0.0' };
  const listener = await serveNode(
    { ...parts, obeyed: SOLE_PANEL, programs: NO_PROGRAMS },
    { host: '127.0.0.1', port: 0 },
  );
  const panel = dial(listener.port, keys);
  const {
    groupId: _,
    targetFindings: _found,
    note: _note,
    enabled: _on,
    createdAt: _at,
    version: _v,
    ...row
  } = sampleInbound();
  const connections = [0, 1].map((index) => ({
    inbound: { ...row, id: index + 1, name: `${'x'.repeat(index)}${'🌍'.repeat(100_000)}` },
    address: 'п'.repeat(1000),
    isDraining: false,
    engine: { name: 'xray', version: '26.10.10' },
    secrets: { serverKey: null, certificate: null, pin: null },
  }));
  const links = {
    subscriptionTitle: '"connections":[]',
    language: 'ru',
    supportUrl: null,
    announcement: '\\"',
  } as const;
  const rule = { ...PLAIN_RULE, headers: [{ name: 'x-a', value: '"connections":[]' }] };
  const apps = {
    subscriptionRules: [rule],
    subscriptionApps: [...DEFAULT_APPS],
    subscriptionTemplates: {
      items: [{ id: 'own-1', name: '"connections":[]', mihomo: 'a: {}', sing_box: '', xray: '' }],
      chosen: 'own-1',
      choices: [{ template: 'own-1', tariffs: [], tags: ['"connections":[]'] }],
    },
    subscriptionHeaders: { ...DEFAULT_SUBSCRIPTION_HEADERS, happ_routing: 'happ://routing/off' },
  };
  const common = { timeZone: 'UTC', updateIntervalHours: 12, rateLimit: 1200, subPath: 'sub' };
  const settings: LeaseShared['settings'] = { ...links, ...apps, ...common, restartToCutOff: true };
  const lease = { leaseId: 'a'.repeat(32), at: 1, taken: 0, users: [], gone: [7], isLast: true };
  const sent: LeasePart[] = [
    { ...lease, base: 0, shared: { settings, linkBase: 'https://a/', weight: 100, connections } },
    { ...lease, base: 1, shared: { settings, linkBase: 'https://a/', weight: 250, connections } },
    { ...lease, base: 2, shared: null },
  ];
  for (const part of sent) expect(await panel.lease?.(part)).toMatchObject({ version: part.base + 1 });
  expect(await panel.lease?.(null)).toBeNull();
  expect(taken).toEqual([...sent, null]);
  panel.close();
  await listener.close();
});

it('believes no machine that another panel has taken over, unless its own key has signed that', async () => {
  const [keys, others] = [await makeKeys(), await makeKeys()];
  const higher = { epoch: 2, startedAt: 1, run: 'a'.repeat(32) };
  const own = signClaim(higher, keys.panel.key);
  const shown = [
    [null, []],
    ['2 1 x', []],
    [signClaim(higher, others.panel.key), []],
    [own.replace('2 1', '3 1'), []],
    [signClaim({ ...higher, epoch: 1 }, keys.panel.key), []],
    [own, [['superseded', higher]]],
  ] as const;
  for (const [claim, believed] of shown) {
    const refused: unknown[] = [];
    const admit = () => {
      throw new EngineError('superseded', 'of another panel');
    };
    const listener = await serveNode(
      {
        identity: keys.node,
        engine: realLooking(createFakeMachine()),
        clock: systemClock,
        log: createTestLog(),
        version: '0.0.0',
        obeyed: { admit, claim: () => claim },
        programs: NO_PROGRAMS,
      },
      { host: '127.0.0.1', port: 0 },
    );
    const recordRefused = (...args: unknown[]) => void refused.push(args);
    const panel = dial(listener.port, keys, { ...SOLE_ROLE, recordRefused });
    const code = believed.length > 0 ? 'superseded' : 'engine_unreachable';
    await expect(panel.running()).rejects.toMatchObject({ code });
    expect([claim, refused]).toEqual([claim, believed]);
    panel.close();
    await listener.close();
  }
});
