// What a change invalidates: every answer that depends on it, once for a burst, and nothing else.
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isReading } from '../../../contract/operation.ts';
import { OPERATIONS, type OperationId } from '../../../contract/table.ts';
import { changedTags, createInvalidator, EFFECTS, listReads, tagOfEvent } from './cache-tags.ts';

describe('the table of effects', () => {
  it('agrees with the contract on what is a read and what is a change', () => {
    for (const operation of Object.values(OPERATIONS)) {
      expect('reads' in EFFECTS[operation.id], operation.id).toBe(isReading(operation));
    }
  });

  it('gives every change a tag', () => {
    for (const operation of Object.values(OPERATIONS)) {
      if (!isReading(operation)) expect(changedTags(operation.id), operation.id).not.toEqual([]);
    }
  });

  it.each([
    ['user', ['listUsers', 'getUser', 'getUserTraffic', 'listGrants', 'getOverview', 'listAudit']],
    ['tariff', ['listTariffs', 'getTariff']],
    ['inbound', ['listInbounds', 'getInbound']],
    ['node', ['listNodes', 'getNode', 'getOverview']],
    ['settings', ['getSettings', 'getPanelSettings']],
    ['panel', ['listSessions', 'listKeys', 'listBackups', 'getCertificates']],
  ] as const)('lists what depends on a %s', (tag, ids) => {
    const reads = listReads(tag);
    for (const id of ids) expect(reads, id).toContain(id);
  });

  it('leaves lists of other records alone', () => {
    expect(listReads('user')).not.toContain('listNodes');
    expect(listReads('tariff')).not.toContain('listUsers');
  });

  it('has a tag for the events of the contract, and none for those of a newer panel', () => {
    expect(tagOfEvent('user.extended')).toBe('user');
    expect(tagOfEvent('backup.failed')).toBe('panel');
    expect(tagOfEvent('moon.risen')).toBeUndefined();
    expect(tagOfEvent('constructor.called')).toBeUndefined();
  });
});

describe('invalidate', () => {
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
    return { invalidate: createInvalidator(client), asked, end };
  }

  it('asks for what is on screen and old, at once', async () => {
    const { invalidate, asked, end } = watching(['listUsers', 'listNodes']);
    await vi.advanceTimersByTimeAsync(1);
    asked.length = 0;
    invalidate('user');
    await vi.advanceTimersByTimeAsync(10);
    expect(asked).toEqual(['listUsers']);
    end();
  });

  it('asks at most once a second while changes pour in, and once more for the last', async () => {
    const { invalidate, asked, end } = watching(['listUsers']);
    await vi.advanceTimersByTimeAsync(1);
    asked.length = 0;
    for (let change = 0; change < 30; change++) {
      invalidate('user');
      await vi.advanceTimersByTimeAsync(100);
    }
    await vi.advanceTimersByTimeAsync(2000);
    expect(asked.length).toBe(4);
    end();
  });

  it('without a tag makes everything old', async () => {
    const { invalidate, asked, end } = watching(['listUsers', 'listNodes']);
    await vi.advanceTimersByTimeAsync(1);
    asked.length = 0;
    invalidate();
    await vi.advanceTimersByTimeAsync(10);
    expect(asked.sort()).toEqual(['listNodes', 'listUsers']);
    end();
  });
});
