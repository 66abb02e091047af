// The queue runs one write at a time, in order; waiting writes are committed together, and a failure stops no other.
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../ports/ports.ts';
import { createWriteQueue, MAX_TOGETHER } from './write-queue.ts';

function deferred() {
  let release: () => void = () => {};
  const promise = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { promise, release };
}

/** A queue whose commit records how many writes share it, and fails if the test says so. */
function openQueue(parts: { readonly isCommitBroken?: boolean } = {}) {
  const groups: number[] = [];
  const attempt = (work: () => unknown): Outcome => {
    try {
      return { value: work() };
    } catch (error) {
      return { error };
    }
  };
  const queue = createWriteQueue({
    commit: (works) => {
      groups.push(works.length);
      const outcomes = works.map(attempt);
      if (parts.isCommitBroken) throw new Error('commit');
      return outcomes;
    },
    soon: (work) => void setImmediate(work),
    onTurnEnd: () => {},
  });
  return { queue, groups };
}

describe('write queue', () => {
  it('commits what arrives together in one transaction, in order, and acknowledges none before', async () => {
    const { queue, groups } = openQueue();
    const order: string[] = [];
    const run = (name: string) => queue.run(() => order.push(name)).then(() => order.push(`${name} is answered`));
    await Promise.all([run('first'), run('second'), run('third')]);
    expect(order.slice(0, 3)).toEqual(['first', 'second', 'third']);
    expect(order.slice(3)).toEqual(['first is answered', 'second is answered', 'third is answered']);
    expect(groups).toEqual([3]);
  });

  it('commits no more than some together', async () => {
    const { queue, groups } = openQueue();
    await Promise.all(Array.from({ length: MAX_TOGETHER + 3 }, () => queue.run(() => {})));
    expect(groups).toEqual([MAX_TOGETHER, 3]);
  });

  it('fails all writes of a commit that fails', async () => {
    const { queue } = openQueue({ isCommitBroken: true });
    const settled = await Promise.allSettled([queue.run(() => 1), queue.run(() => 2)]);
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  it('lets no write begin while another runs alone, and keeps the order', async () => {
    const { queue, groups } = openQueue();
    const gate = deferred();
    const begun = deferred();
    const order: string[] = [];
    const before = queue.run(() => order.push('before'));
    const alone = queue.runAlone(async () => {
      order.push('alone begins');
      begun.release();
      await gate.promise;
      order.push('alone ends');
    });
    const first = queue.run(() => order.push('first'));
    const second = queue.run(() => order.push('second'));
    await begun.promise;
    gate.release();
    await Promise.all([before, alone, first, second]);
    expect(order).toEqual(['before', 'alone begins', 'alone ends', 'first', 'second']);
    expect(groups).toEqual([1, 2]);
  });

  it('goes on after a failure, and tells it to its caller only', async () => {
    const { queue } = openQueue();
    const failed = queue.runAlone(() => Promise.reject(new Error('broken')));
    const next = queue.run(() => 'next');
    const thrown = queue.run(() => {
      throw new Error('in its turn');
    });
    const last = queue.run(() => 'last');
    await expect(failed).rejects.toThrow('broken');
    await expect(thrown).rejects.toThrow('in its turn');
    expect([await next, await last]).toEqual(['next', 'last']);
  });

  it('is drained when all that was waiting has ended', async () => {
    const { queue } = openQueue();
    const gate = deferred();
    const ended: string[] = [];
    void queue.runAlone(() => gate.promise.then(() => void ended.push('alone')));
    void queue.run(() => void ended.push('waiting'));
    const drained = queue.drained().then(() => [...ended]);
    gate.release();
    expect(await drained).toEqual(['alone', 'waiting']);
  });

  it('is closed when all that was waiting has ended, and refuses what comes later', async () => {
    const { queue, groups } = openQueue();
    const waiting = queue.run(() => 'waiting');
    await queue.close();
    expect(groups).toEqual([1]);
    expect(await waiting).toBe('waiting');
    for (const refused of [queue.run(() => {}), queue.runAlone(async () => {})])
      await expect(refused).rejects.toMatchObject({ code: 'unavailable' });
    expect(groups).toEqual([1]);
  });
});
