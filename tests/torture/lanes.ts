// What is written while the panel is killed: each lane does one kind of act, one after the other, and can count what is there of it.
import { expect } from 'vitest';
import type { User } from '../../src/contract/users/users.ts';
import type { Answer, Client } from '../support/http-client.ts';

const DAY = 86_400_000;
const TERM_END = Date.parse('2030-01-01T00:00:00Z');

export interface Lane {
  readonly name: string;
  /** Does the act with this number (from 1). The number makes it unique: a repetition is the same request. */
  send(client: Client, number: number): Promise<Answer>;
  /** How many of the acts are there; throws where one is there by halves. */
  count(client: Client): Promise<number>;
  /** After how many acts there is nothing left to do. */
  readonly last?: number;
  /** Whether a repetition is answered from memory, under its Idempotency-Key. */
  readonly isKeyed: boolean;
  /** What the feed must hold of `count` acts: how many events of this type about whom. */
  readonly told: {
    readonly type: string;
    readonly about: (data: Record<string, unknown>) => boolean;
    readonly each: number;
  };
}

const buildIdempotencyHeader = (lane: string, number: number) => ({ 'idempotency-key': `${lane} ${number}` });

async function body<T>(answer: Promise<Answer<T>>): Promise<T> {
  const { status, body: value, text } = await answer;
  expect(status, text).toBeLessThan(300);
  return value;
}

async function made(client: Client, name: string, more: object): Promise<User> {
  const { items } = await body(client.call('listTariffs', {}));
  const tariff = items[0] ?? (await body(client.call('createTariff', { name: 'Torture' })));
  const input = { name, tariff_id: tariff.id, expires_at: new Date(TERM_END).toISOString(), ...more };
  return body(client.call('createUser', input, { 'idempotency-key': `made ${name}` }));
}

function countDays(user: User): number {
  return (Date.parse(String(user.expires_at)) - TERM_END) / DAY;
}

async function creating(client: Client, name: string): Promise<Lane> {
  const plan = await made(client, `${name} plan`, {});
  return {
    name,
    isKeyed: true,
    send: (to, number) => {
      const input = { name, tariff_id: Number(plan.tariff_id), contact: `${name} ${number}`, tags: [name] };
      return to.call('createUser', input, buildIdempotencyHeader(name, number));
    },
    async count(to) {
      const { items, total } = await body(to.call('listUsers', { tag: name, limit: 500, sort: 'id' }));
      expect(new Set(items.map(({ contact }) => contact)).size, `${name}: nobody twice`).toBe(items.length);
      return total;
    },
    told: { type: 'user.created', about: ({ contact }) => String(contact).startsWith(`${name} `), each: 1 },
  };
}

async function extending(client: Client, name: string): Promise<Lane> {
  const { id } = await made(client, name, {});
  return {
    name,
    isKeyed: true,
    send: (to, number) => to.call('extendUser', { id, days: 1 }, buildIdempotencyHeader(name, number)),
    count: async (to) => countDays(await body(to.call('getUser', { id }))),
    told: { type: 'user.extended', about: ({ user_id }) => user_id === id, each: 1 },
  };
}

async function granting(client: Client, name: string): Promise<Lane> {
  const { id } = await made(client, name, { traffic_limit: 1 });
  return {
    name,
    isKeyed: true,
    send: (to, number) =>
      to.call(
        'createGrant',
        { id, bytes: 1, lifetime: 'used', note: `${number}` },
        buildIdempotencyHeader(name, number),
      ),
    async count(to) {
      const { items, total } = await body(to.call('listGrants', { id, limit: 500 }));
      expect(new Set(items.map(({ note }) => note)).size, `${name}: none twice`).toBe(items.length);
      expect((await body(to.call('getUser', { id }))).traffic_extra, `${name}: grant and user`).toBe(total);
      return total;
    },
    told: { type: 'user.granted', about: ({ user_id }) => user_id === id, each: 1 },
  };
}

async function patching(client: Client, name: string): Promise<Lane> {
  const { id } = await made(client, name, { note: '0', tags: ['n0'] });
  return {
    name,
    isKeyed: false,
    send: (to, number) => to.call('updateUser', { id, note: `${number}`, tags: [`n${number}`] }),
    async count(to) {
      const { note, tags } = await body(to.call('getUser', { id }));
      expect(tags, `${name}: both fields or none`).toEqual([`n${note}`]);
      expect((await body(to.call('listUsers', { tag: `n${note}` }))).items.map((user) => user.id)).toEqual([id]);
      return Number(note);
    },
    told: { type: 'user.changed', about: ({ user_id }) => user_id === id, each: 1 },
  };
}

async function deleting(client: Client, name: string, victims: number): Promise<Lane> {
  const made_ = Array.from({ length: victims }, (_, index) => made(client, `${name} ${index}`, { tags: [name] }));
  const ids = (await Promise.all(made_)).map(({ id }) => id).sort((a, b) => a - b);
  return {
    name,
    last: ids.length,
    isKeyed: false,
    send: (to, number) => to.call('deleteUser', { id: ids[number - 1] ?? 0 }),
    async count(to) {
      const { items } = await body(to.call('listUsers', { tag: name, sort: 'id', limit: 500 }));
      const gone = ids.length - items.length;
      expect(
        items.map(({ id }) => id),
        `${name}: in order`,
      ).toEqual(ids.slice(gone));
      return gone;
    },
    told: { type: 'user.deleted', about: ({ user_id }) => ids.includes(Number(user_id)), each: 1 },
  };
}

/** Who is to be extended: more users than the answering thread takes on, so that the writer thread does it. */
async function makeCrowd(client: Client, name: string, users: number): Promise<Set<number>> {
  const crowd = Array.from({ length: users }, (_, index) => made(client, `${name} ${index}`, { tags: [name] }));
  return new Set((await Promise.all(crowd)).map(({ id }) => id));
}

/** In one transaction: a kill leaves all users extended or none. */
async function bulkAtomic(client: Client, name: string, users: number): Promise<Lane> {
  const ids = await makeCrowd(client, name, users);
  return {
    name,
    isKeyed: true,
    send: (to, number) =>
      to.call(
        'bulkUsers',
        { action: 'extend', filter: { tag: name }, days: 1, atomic: true },
        buildIdempotencyHeader(name, number),
      ),
    async count(to) {
      const { items } = await body(to.call('listUsers', { tag: name, limit: 500 }));
      const days = new Set(items.map(countDays));
      expect(days.size, `${name}: all users or none`).toBe(1);
      return [...days][0] ?? 0;
    },
    told: { type: 'user.extended', about: ({ user_id }) => ids.has(Number(user_id)), each: users },
  };
}

/**
 * In parts, as slow machines need more than one transaction: a kill leaves the users up to one id extended, and the repetition goes on
 * behind it. It counts once the last user is extended.
 */
async function bulkInParts(client: Client, name: string, users: number): Promise<Lane> {
  const ids = await makeCrowd(client, name, users);
  return {
    name,
    isKeyed: true,
    send: (to, number) =>
      to.call('bulkUsers', { action: 'extend', filter: { tag: name }, days: 1 }, buildIdempotencyHeader(name, number)),
    async count(to) {
      const { items } = await body(to.call('listUsers', { tag: name, limit: 500, sort: 'id' }));
      const days = items.map(countDays);
      const [first = 0] = days;
      const last = days.at(-1) ?? 0;
      expect(first - last, `${name}: at most one act by halves`).toBeLessThanOrEqual(1);
      const behind = days.indexOf(last);
      expect(days, `${name}: in the order of ids`).toEqual(days.map((_, index) => (index < behind ? first : last)));
      return last;
    },
    told: { type: 'user.extended', about: ({ user_id }) => ids.has(Number(user_id)), each: users },
  };
}

/** All lanes on a panel that has none yet. */
export async function makeLanes(client: Client, { victims = 300, crowd = 200 } = {}): Promise<readonly Lane[]> {
  // The plan that all are made from comes with the first.
  const first = await creating(client, 'create a');
  const others = [creating(client, 'create b'), extending(client, 'extend a'), extending(client, 'extend b')];
  const more = [
    granting(client, 'grant'),
    patching(client, 'patch'),
    deleting(client, 'delete', victims),
    bulkAtomic(client, 'bulk atomic', crowd),
    bulkInParts(client, 'bulk in parts', crowd),
  ];
  return [first, ...(await Promise.all([...others, ...more]))];
}
