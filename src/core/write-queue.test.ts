// The queue lets one write run at a time, in order, and a failure holds nobody up.
import { describe, expect, it } from 'vitest';
import { createWriteQueue } from './write-queue.ts';

function deferred() {
  let release: () => void = () => {};
  const promise = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { promise, release };
}

describe('write queue', () => {
  it('runs a write at once where nothing holds the store', () => {
    const queue = createWriteQueue();
    let isDone = false;
    void queue.run(() => {
      isDone = true;
    });
    expect(isDone).toBe(true);
  });

  it('lets no write begin while another runs alone, and keeps the order', async () => {
    const queue = createWriteQueue();
    const gate = deferred();
    const order: string[] = [];
    const alone = queue.runAlone(async () => {
      order.push('alone begins');
      await gate.promise;
      order.push('alone ends');
    });
    const first = queue.run(() => order.push('first'));
    const second = queue.run(() => order.push('second'));
    await Promise.resolve();
    gate.release();
    await Promise.all([alone, first, second]);
    expect(order).toEqual(['alone begins', 'alone ends', 'first', 'second']);
  });

  it('goes on after a failure, and tells it to its caller only', async () => {
    const queue = createWriteQueue();
    const failed = queue.runAlone(() => Promise.reject(new Error('broken')));
    const next = queue.run(() => 'next');
    await expect(failed).rejects.toThrow('broken');
    expect(await next).toBe('next');
    await expect(
      queue.run(() => {
        throw new Error('at once');
      }),
    ).rejects.toThrow('at once');
  });

  it('is drained when all that was waiting has ended', async () => {
    const queue = createWriteQueue();
    const gate = deferred();
    const ended: string[] = [];
    void queue.runAlone(() => gate.promise.then(() => void ended.push('alone')));
    void queue.run(() => void ended.push('waiting'));
    const drained = queue.drained().then(() => [...ended]);
    gate.release();
    expect(await drained).toEqual(['alone', 'waiting']);
  });
});
