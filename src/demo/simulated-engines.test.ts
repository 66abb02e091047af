// A demonstration's engines count traffic for the users they were given, and for nobody else.
import { describe, expect, it } from 'vitest';
import { sampleInbound } from '../../tests/engines/samples.ts';
import { createTestClock } from '../../tests/support/clock.ts';
import type { EngineConfig, EngineUser } from '../core/ports/engines.ts';
import { engineAge } from './offer.ts';
import { simulateEngines } from './simulated-engines.ts';

const CREDENTIALS = { uuid: '', password: '', key: '', wireguard: '' };
const NO_CONNECTIONS: EngineConfig = { inbounds: [], blocksPrivate: true };

function usersUpTo(count: number): (EngineUser & { readonly inbounds: readonly number[] })[] {
  return Array.from({ length: count }, (_, index) => ({ userId: index + 1, credentials: CREDENTIALS, inbounds: [1] }));
}

describe('a simulated engine', () => {
  it('counts for some of its users, never less than before', async () => {
    const clock = createTestClock(1000);
    const engine = simulateEngines(clock)({ id: 1, kind: 'remote' });
    if (!engine) throw new Error('no engine');
    expect(await engine.running()).toBeNull();
    const { boot } = await engine.start(NO_CONNECTIONS, usersUpTo(500), 'abc');
    expect([boot, (await engine.running())?.boot]).toEqual(['abc', 'abc']);
    let before = new Map<number, { readonly up: number; readonly down: number }>();
    for (let polls = 0; polls < 20; polls += 1) {
      clock.advance(10_000);
      const { users } = await engine.counters();
      for (const [id, { up, down }] of before) {
        expect(users.get(id)?.up).toBeGreaterThanOrEqual(up);
        expect(users.get(id)?.down).toBeGreaterThanOrEqual(down);
      }
      before = new Map(users);
    }
    expect(before.size).toBeGreaterThan(25);
    expect(before.size).toBeLessThan(500);
    expect([...before.keys()].every((id) => id >= 1 && id <= 500)).toBe(true);
  });

  it('counts no more for a user who may not connect', async () => {
    const clock = createTestClock(1000);
    const engine = simulateEngines(clock)({ id: 2, kind: 'remote' });
    await engine?.start(NO_CONNECTIONS, usersUpTo(1), 'abc');
    clock.advance(10_000);
    const moved = (await engine?.counters())?.users.get(1);
    const [user] = usersUpTo(1);
    if (!user) throw new Error('no user');
    await engine?.apply([{ inbound: sampleInbound({ protocol: 'vless' }), user, isAllowed: false }]);
    for (let polls = 0; polls < 10; polls += 1) {
      clock.advance(10_000);
      expect((await engine?.counters())?.users.get(1)).toEqual(moved);
    }
  });

  it('has run for days when the panel opens, and from now on when it is started again', async () => {
    const clock = createTestClock(Date.UTC(2026, 10, 20));
    const engine = simulateEngines(clock)({ id: 1, kind: 'remote' });
    await engine?.start(NO_CONNECTIONS, [], 'abc');
    expect((await engine?.running())?.startedAt).toBe(clock.now() - engineAge(1));
    await engine?.start(NO_CONNECTIONS, [], 'def');
    expect((await engine?.running())?.startedAt).toBe(clock.now());
  });

  it('is silent on the last node, which the demonstration shows as down', async () => {
    const engine = simulateEngines(createTestClock(1000))({ id: 4, kind: 'remote' });
    await expect(engine?.running()).rejects.toMatchObject({ code: 'engine_unreachable' });
    expect(simulateEngines(createTestClock(1000))({ id: 5, kind: 'remote' }), 'a node that was added').toBeNull();
  });
});
