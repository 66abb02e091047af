// What a change makes old: every read that tells of it, once for a burst, and nothing else.
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EVENT_TYPES } from '../../../contract/events.ts';
import { isReading } from '../../../contract/operation.ts';
import { OPERATIONS, type OperationId } from '../../../contract/table.ts';
import { createTouch, nounOf, nounOfEvent, readsOf } from './nouns.ts';

describe('readsOf', () => {
  it.each([
    ['user', ['listUsers', 'getUser', 'getUserTraffic', 'listGrants', 'getOverview', 'listAudit']],
    ['tariff', ['listTariffs', 'getTariff']],
    ['inbound', ['listInbounds', 'getInbound']],
    ['node', ['listNodes', 'getNode', 'getOverview']],
    ['settings', ['getSettings', 'getPanelSettings']],
    ['panel', ['listSessions', 'listKeys', 'listBackups', 'getCertificates']],
  ] as const)('of a %s has what tells of it', (noun, ids) => {
    const reads = readsOf(noun);
    for (const id of ids) expect(reads, id).toContain(id);
    for (const id of reads) expect(isReading(OPERATIONS[id]), id).toBe(true);
  });

  it('has no list of another noun', () => {
    expect(readsOf('user')).not.toContain('listNodes');
    expect(readsOf('tariff')).not.toContain('listUsers');
  });

  it('knows the noun of every event', () => {
    for (const type of EVENT_TYPES) expect(nounOfEvent(type), type).toBeDefined();
    expect(nounOfEvent('user.extended')).toBe('user');
    expect(nounOfEvent('backup.failed')).toBe('panel');
    expect(nounOfEvent('moon.risen')).toBeUndefined();
  });

  it('knows the noun of every operation that writes', () => {
    for (const operation of Object.values(OPERATIONS)) {
      if (!isReading(operation)) expect(nounOf(operation.id), operation.id).not.toBeNull();
    }
  });
});

describe('touch', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function watching(ids: readonly OperationId[]) {
    const client = new QueryClient();
    const asked: OperationId[] = [];
    const ends = ids.map((id) =>
      new QueryObserver(client, {
        queryKey: [id, {}],
        queryFn: () => {
          asked.push(id);
          return id;
        },
        staleTime: Number.POSITIVE_INFINITY,
      }).subscribe(() => {}),
    );
    const end = () => {
      for (const stop of ends) stop();
    };
    return { touch: createTouch(client), asked, end };
  }

  it('asks for what is on screen and old, at once', async () => {
    const { touch, asked, end } = watching(['listUsers', 'listNodes']);
    await vi.advanceTimersByTimeAsync(1);
    asked.length = 0;
    touch('user');
    await vi.advanceTimersByTimeAsync(10);
    expect(asked).toEqual(['listUsers']);
    end();
  });

  it('asks at most once a second while changes pour in, and once more for the last', async () => {
    const { touch, asked, end } = watching(['listUsers']);
    await vi.advanceTimersByTimeAsync(1);
    asked.length = 0;
    for (let change = 0; change < 30; change++) {
      touch('user');
      await vi.advanceTimersByTimeAsync(100);
    }
    await vi.advanceTimersByTimeAsync(2000);
    expect(asked.length).toBe(4);
    end();
  });

  it('without a noun makes everything old', async () => {
    const { touch, asked, end } = watching(['listUsers', 'listNodes']);
    await vi.advanceTimersByTimeAsync(1);
    asked.length = 0;
    touch();
    await vi.advanceTimersByTimeAsync(10);
    expect(asked.sort()).toEqual(['listNodes', 'listUsers']);
    end();
  });
});
