// Whatever an engine refuses, the others are served, and few questions find what it is.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describePort, findNamedByPort, findServable } from './servable.ts';

interface Connection {
  readonly tag: string;
  readonly port: number;
}

const connections = (count: number): readonly Connection[] =>
  Array.from({ length: count }, (_, index) => ({ tag: `in-${index}`, port: 1000 + index }));

describe('findServable', () => {
  it('leaves out exactly what is refused, alone or with another one, with its reason', async () => {
    const check = async (count: number, bad: readonly number[], taken: readonly number[], pair: readonly number[]) => {
      const all = connections(count);
      let questions = 0;
      const findRefusal = async (items: readonly Connection[]) => {
        questions += 1;
        // An engine names the first that it meets, or none.
        for (const [place, item] of items.entries()) {
          const index = all.indexOf(item);
          if (taken.includes(index)) return { message: `${describePort(item)} is taken` };
          if (bad.includes(index)) return { message: 'bad' };
          const isSecond =
            pair.includes(index) && items.slice(0, place).some((other) => pair.includes(all.indexOf(other)));
          if (isSecond) return { message: 'bad' };
        }
        return null;
      };
      const { served, refused } = await findServable(all, findRefusal);
      expect(await findRefusal(served)).toBeNull();
      expect([...served, ...refused.map(({ item }) => item)].toSorted((a, b) => a.port - b.port)).toEqual(all);
      const alone = all.filter((_, index) => !bad.includes(index) && !taken.includes(index));
      const paired = alone.filter((item) => pair.includes(all.indexOf(item)));
      expect(served).toEqual(alone.filter((item) => !paired.slice(1).includes(item)));
      for (const { item, reason } of refused) {
        const isTaken = taken.includes(all.indexOf(item));
        expect(findNamedByPort(all, reason)).toBe(isTaken ? item : undefined);
      }
      // One check for each refused one, and those of the bisection.
      expect(questions).toBeLessThanOrEqual(2 + refused.length * (2 + Math.ceil(Math.log2(Math.max(2, count)))));
    };
    const places = fc.uniqueArray(fc.nat(29), { maxLength: 5 });
    await fc.assert(fc.asyncProperty(fc.nat(30), places, places, places, check));
  });

  it('throws what is about none of them', async () => {
    const findRefusal = async () => ({ message: 'no engine' });
    await expect(findServable(connections(3), findRefusal)).rejects.toEqual({ message: 'no engine' });
    await expect(findServable([], findRefusal)).rejects.toEqual({ message: 'no engine' });
    // Of one it cannot be told apart.
    expect(
      (await findServable(connections(1), async (items) => (items.length > 0 ? { message: 'bad' } : null))).served,
    ).toEqual([]);
  });
});

it('a connection is named by its tag and its whole port only', () => {
  const items = [
    { tag: 'a', port: 44 },
    { tag: 'b', port: 5 },
    { tag: 'main', port: 1 },
  ];
  const named = (message: string) => findNamedByPort(items, { message })?.port;
  expect(named('a: port 44 is taken by nginx')).toBe(44);
  expect(named('a: port 443 is taken by nginx')).toBeUndefined();
  expect(named('a: port 44: permission denied')).toBe(44);
  expect(named('main: failed to load config')).toBeUndefined();
  expect(named('b: port 44 is taken')).toBeUndefined();
});
