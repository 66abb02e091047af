// What the administrator does while the panel is killed: keys made, backups made, addresses changed, one after the other.
import { expect } from 'vitest';
import type { Addresses } from '../../src/contract/settings/addresses.ts';
import { body, isConstantReply, PASSWORD, type Target, unfinishedIn } from './target.ts';

/** Acts that were acknowledged, those that a kill met, and how many of these had taken effect. */
export interface Tally {
  acknowledged: number;
  interrupted: number;
  completed: number;
}

/** Acts that cannot be repeated under an Idempotency-Key: what a kill has met is found out and taken as it is. */
export interface PanelLane {
  readonly name: string;
  readonly tally: Tally;
  /** Does the next act; true. Rejects where the panel died under it. */
  act(): Promise<boolean>;
  /** On the panel started again: all that was acknowledged is there once, and what a kill interrupted is there whole or not at all. */
  verify(): Promise<void>;
}

/** Counts the acts; `find` says after a kill whether the one under way is there, having asserted all the rest. */
export function createLane(
  name: string,
  act: () => Promise<void>,
  find: (isPending: boolean) => Promise<boolean>,
): PanelLane {
  const tally: Tally = { acknowledged: 0, interrupted: 0, completed: 0 };
  let isPending = false;
  return {
    name,
    tally,
    async act() {
      isPending = true;
      await act();
      isPending = false;
      tally.acknowledged += 1;
      return true;
    },
    async verify() {
      const wasThere = await find(isPending);
      if (isPending) tally.interrupted += 1;
      if (isPending && wasThere) tally.completed += 1;
      isPending = false;
    },
  };
}

/** Of what is listed: each acknowledged one once, and besides at most the one under way, which is returned. */
function onlyExtra(
  what: string,
  listed: readonly string[],
  known: { has(name: string): boolean; keys(): Iterable<string> },
  isPending: boolean,
): string | undefined {
  expect(new Set(listed).size, `${what}: none twice`).toBe(listed.length);
  const there = new Set(listed);
  expect(
    [...known.keys()].filter((name) => !there.has(name)),
    `${what}: acknowledged and lost`,
  ).toEqual([]);
  const extra = listed.filter((name) => !known.has(name));
  expect(extra.length, `${what} that was not acknowledged`).toBeLessThanOrEqual(isPending ? 1 : 0);
  return extra[0];
}

/** Keys: each one that was shown is listed once and opens the API. */
export function keyLane(target: Target): PanelLane {
  const known = new Set<string>();
  const untried = new Map<string, string>();
  let number = 0;
  return createLane(
    'keys',
    async () => {
      number += 1;
      const name = `key ${number}`;
      const input = { name, access: 'read', expires_in_days: null, password: PASSWORD } as const;
      const { value } = await body(target.operate('createKey', input));
      known.add(name);
      untried.set(name, value);
    },
    async (isPending) => {
      const { items } = await body(target.operate('listKeys', {}));
      const listed = items.filter(({ name, state }) => name !== 'torture' && state === 'active');
      const names = listed.map(({ name }) => name);
      const extra = onlyExtra('keys', names, known, isPending);
      for (const [name, value] of untried) {
        const { status } = await target.send((client) => client.as(value).call('getSettings'));
        expect(status, name).toBe(200);
      }
      untried.clear();
      // Its value was lost with the reply: it is revoked.
      const lost = listed.find(({ name }) => name === extra);
      if (lost) await body(target.operate('revokeKey', { id: lost.id, password: PASSWORD }));
      return lost !== undefined;
    },
  );
}

/** Backups: each one that was acknowledged is listed and passes the check that a restore makes. */
export function backupLane(target: Target): PanelLane {
  const known = new Set<string>();
  const unchecked = new Set<string>();
  return createLane(
    'backups',
    async () => {
      const { name } = await body(target.operate('createBackup', { password: PASSWORD }));
      known.add(name);
      unchecked.add(name);
    },
    async (isPending) => {
      const { items, folder } = await body(target.operate('listBackups', {}));
      expect(unfinishedIn(folder)).toEqual([]);
      const names = items.filter(({ kind }) => kind === 'manual').map(({ name }) => name);
      const extra = onlyExtra('backups', names, known, isPending);
      for (const name of extra === undefined ? unchecked : [...unchecked, extra]) {
        expect(await body(target.operate('checkBackup', { name })), name).toMatchObject({ ok: true, problem: null });
      }
      unchecked.clear();
      for (const name of names) await body(target.operate('deleteBackup', { name, password: PASSWORD }));
      known.clear();
      return extra !== undefined;
    },
  );
}

const MEMBERS = ['secret_path', 'sub_path', 'public_address'] as const;
type Places = Pick<Addresses, (typeof MEMBERS)[number]>;

/** Addresses: what was acknowledged is what is served, and the former ones lead nowhere. `token`: of a user's link. */
export async function addressLane(target: Target, token: string): Promise<PanelLane> {
  let known: Places = await body(target.operate('getAddresses', {}));
  let former = known;
  let number = 0;
  /** null: a value that the panel makes. */
  let asked: { readonly member: keyof Places; readonly value: string | null } | null = null;

  const recordAddresses = (addresses: Places) => {
    former = known;
    known = addresses;
  };
  async function change(member: 'sub_path' | 'public_address', value: string): Promise<void> {
    asked = { member, value };
    const { addresses } = await body(target.operate('changeAddresses', { password: PASSWORD, [member]: value }));
    recordAddresses(addresses);
  }
  const get = (path: string) =>
    target.client().send({ method: 'GET', path: new URL(path, target.serving().baseUrl).href });

  async function requireServed(): Promise<void> {
    const { hostname, pathname } = new URL(target.serving().baseUrl);
    expect(pathname).toBe(`/${known.secret_path}/api/v1`);
    if (known.public_address !== null) expect(hostname).toBe(known.public_address);
    expect((await get(`/${known.sub_path}/${token}`)).status).toBe(200);
    const gone = [
      ...(former.sub_path === known.sub_path ? [] : [`/${former.sub_path}/${token}`]),
      ...(former.secret_path === known.secret_path ? [] : [`/${former.secret_path}/api/v1/settings`]),
    ];
    for (const path of gone) expect(isConstantReply(await get(path)), 'a former address').toBe(true);
  }

  return createLane(
    'addresses',
    async () => {
      number += 1;
      if (number % 3 === 1) return change('sub_path', `sub-${number}`);
      if (number % 3 === 2) return change('public_address', `p${number}.example`);
      asked = { member: 'secret_path', value: null };
      await target.move(async () => {
        const addresses = await body(target.operate('rotateSecretPath', { password: PASSWORD }));
        recordAddresses(addresses);
        return addresses;
      });
    },
    async (isPending) => {
      const found: Places = await body(target.operate('getAddresses', {}));
      const changed = MEMBERS.filter((member) => found[member] !== known[member]);
      if (changed.length > 0) {
        expect([isPending, ...changed], 'only what was under way').toEqual([true, asked?.member]);
        const { value = null, member = 'sub_path' } = asked ?? {};
        if (value !== null) expect(found[member]).toBe(value);
        recordAddresses(found);
      }
      await requireServed();
      return changed.length > 0;
    },
  );
}
