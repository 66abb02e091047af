// Backups while the panel is written to all the time: each is whole and has every write that was acknowledged before it began.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { User } from '../../src/contract/users/users.ts';
import { times } from '../support/long.ts';
import { fillWithUsers, type Machine, PASSPHRASE, startMachine } from './machine.ts';

/** `BACKUPS=1000 npx vitest run --project backup under-load` makes more of them. */
const BACKUPS = Number(process.env.BACKUPS ?? times(6, 100));
/** Users that are there at the beginning, so that a copy takes its time. */
const USERS = 400;

interface Load {
  /** Each user as the last acknowledged write left them, by id; grows. */
  readonly acknowledged: Map<number, User>;
  /** How many writes were acknowledged. */
  writes(): number;
  /** Ends the load; how many writes a second it made. */
  end(): Promise<number>;
}

/** Makes, changes and extends users, one after the other, without a pause. */
function load({ act }: Machine, tariff_id: number): Load {
  const acknowledged = new Map<number, User>();
  let isOver = false;
  let writes = 0;
  const begun = performance.now();
  const running = (async () => {
    for (let number = 1; !isOver; number += 1) {
      const user = await act('createUser', { name: `under load ${number}`, tariff_id });
      acknowledged.set(user.id, user);
      acknowledged.set(user.id, await act('updateUser', { id: user.id, note: `changed ${number}` }));
      acknowledged.set(user.id, await act('extendUser', { id: user.id, days: 1 }));
      writes += 3;
      // The machine's own turn: replies of the thread, timers.
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  return {
    acknowledged,
    writes: () => writes,
    async end() {
      isOver = true;
      await running;
      return (writes / (performance.now() - begun)) * 1000;
    },
  };
}

/** All users of a machine, whole. */
async function readUsers({ act }: Machine): Promise<ReadonlyMap<number, User>> {
  const users = new Map<number, User>();
  for (let offset = 0; ; offset += 500) {
    const { items } = await act('listUsers', { limit: 500, offset, sort: 'id' });
    for (const user of items) users.set(user.id, user);
    if (items.length < 500) return users;
  }
}

test(`${BACKUPS} backups under load, each restored into an empty folder with another vault`, {
  timeout: 600_000 + BACKUPS * 10_000,
}, async ({ annotate }) => {
  await using old = await startMachine();
  await fillWithUsers(old, USERS);
  const standing = await readUsers(old);
  await old.vault.prepare();
  old.store.write(() => old.store.sealed.save(old.vault.seal('inbound:1:reality', 'kept')));
  const under = load(old, 1);
  const made: { readonly path: string; readonly before: ReadonlyMap<number, User> }[] = [];
  while (made.length < BACKUPS) {
    const before = new Map([...standing, ...under.acknowledged]);
    const writes = under.writes();
    const { name } = await old.act('createBackup', { passphrase: PASSPHRASE });
    expect(under.writes()).toBeGreaterThan(writes);
    made.push({ path: join(old.backups.folder, name), before });
  }
  await annotate(`${Math.round(await under.end())} writes a second`);

  for (const { path, before } of made) {
    await using fresh = await startMachine({ origin: 'https://203.0.113.9:8443', isSetUp: false });
    await fresh.core.local.restore(path, PASSPHRASE);
    const restored = await readUsers(fresh);
    // All but the one that was in work have had all their writes acknowledged, and none came behind.
    const latest = Math.max(...before.keys());
    for (const [id, user] of before) {
      if (id !== latest) expect(restored.get(id)).toEqual(user);
      else expect(restored.get(id)).toMatchObject({ name: user.name, sub_url: user.sub_url });
    }
    const row = fresh.store.sealed.get('inbound:1:reality');
    expect(row && fresh.vault.open(row)).toBe('kept');
  }
});
