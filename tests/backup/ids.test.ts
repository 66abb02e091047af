// An id means one thing, whatever is restored where: a panel whose backup was restored elsewhere, and which went on, never gives an id that the
// other one gives, and a cursor of its feed is refused there.
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { times } from '../support/long.ts';
import { type Machine, PASSPHRASE, restoreConfirmed, startMachine } from './machine.ts';

type Create = (machine: Machine, name: string, tariffId: number) => Promise<number>;

const NOUNS = {
  tariff: async ({ act }, name) => (await act('createTariff', { name, duration: { days: 30 } })).id,
  user: async ({ act }, name, tariff_id) => (await act('createUser', { name, tariff_id })).id,
  key: async ({ act }, name) => (await act('createKey', { name, access: 'read' })).key.id,
  webhook: async ({ act }, name) =>
    (await act('createWebhook', { url: `https://example.com/${name}`, types: null })).webhook.id,
  view: async ({ act }, name) => (await act('saveUserView', { name, query: '', columns: [] })).id,
} satisfies Readonly<Record<string, Create>>;
const NAMES = Object.keys(NOUNS) as (keyof typeof NOUNS)[];

/** `on`: one of the machines that there are. */
const command = fc.oneof(
  { weight: 8, arbitrary: fc.record({ type: fc.constant('write'), on: fc.nat(2), noun: fc.constantFrom(...NAMES) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('backup'), on: fc.nat(2), noun: fc.constant(null) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('restoreOwn'), on: fc.nat(2), noun: fc.constant(null) }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('move'), on: fc.nat(2), noun: fc.constant(null) }) },
);

const MAX_MACHINES = 3;
const listIds = (given: ReadonlyMap<string, string>) => [...given.keys()];

test('no id is given twice over backups, restores and writes on all panels', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 8, maxLength: 20 }), async (commands) => {
      await using stack = new AsyncDisposableStack();
      const first = stack.use(await startMachine());
      const { id: tariffId } = await first.act('createTariff', { name: 'First', duration: { days: 30 } });
      const machines = [first];
      const backups = new Map<Machine, string>();
      const given = new Map<string, string>([[`tariff ${tariffId}`, 'First']]);
      /** The machine that the data were restored to last. */
      let present = first;

      const restore = async (machine: Machine, path: string) => {
        const read = machines.map(({ core }) => ({ epoch: core.settings().epoch, after: core.latestEventId() }));
        await restoreConfirmed(machine, path, PASSPHRASE, true);
        const { epoch } = machine.core.settings();
        for (const { after } of read.filter((one) => one.epoch <= epoch))
          expect([after, machine.core.eventsAfter(after, 1)]).toEqual([after, null]);
      };
      const backUp = async (machine: Machine) => {
        const { name } = await machine.act('createBackup', { passphrase: PASSPHRASE });
        backups.set(machine, join(machine.backups.folder, name));
      };
      const write = async (machine: Machine, noun: keyof typeof NOUNS) => {
        const name = `n${given.size}`;
        const id = `${noun} ${await NOUNS[noun](machine, name, tariffId)}`;
        expect(listIds(given)).not.toContain(id);
        given.set(id, name);
      };

      for (const { type, on, noun } of commands) {
        const machine = machines[on % machines.length] ?? first;
        if (type === 'write' && noun !== null) await write(machine, noun);
        if (type === 'backup') await backUp(machine);
        const own = backups.get(machine);
        if (type === 'restoreOwn' && own !== undefined) await restore(machine, own);
        if (type !== 'move') continue;
        const isNew = machines.length < MAX_MACHINES;
        const next = isNew ? stack.use(await startMachine({ isSetUp: false })) : machine;
        if (!backups.has(present)) await backUp(present);
        const from = backups.get(present);
        if (next === present || from === undefined) continue;
        // The panel of the backup goes on until it hears of the other one.
        for (const each of NAMES) await write(present, each);
        await restore(next, from);
        // Its own backups from before are of data that it does not have any more.
        backups.delete(next);
        expect(next.core.settings().epoch).toBeGreaterThan(
          Math.max(...machines.filter((other) => other !== next).map(({ core }) => core.settings().epoch)),
        );
        if (isNew) machines.push(next);
        present = next;
        for (const each of NAMES) await write(present, each);
      }
    }),
    { numRuns: times(4, 40) },
  );
});
