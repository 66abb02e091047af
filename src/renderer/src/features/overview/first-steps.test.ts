// Which steps to the first customer are left, and when there is nothing left to say.
import { expect, it } from 'vitest';
import { type StepFacts, stepsOf } from './first-steps.ts';

type Nodes = NonNullable<StepFacts['nodes']>;
const node = (status: Nodes['items'][number]['status']) => ({ status }) as Nodes['items'][number];

const EMPTY: StepFacts = {
  addresses: { links_url: 'https://127.0.0.1:8443/sub/' },
  nodes: { items: [], total: 0 },
  connections: { total: 0 },
  plans: { total: 0 },
  users: 0,
};
const doneOf = (facts: StepFacts) => stepsOf(facts)?.flatMap(({ kind, isDone }) => (isDone ? [kind] : []));

it('are five on an empty panel, none done', () => {
  expect(stepsOf(EMPTY)?.map(({ kind }) => kind)).toEqual(['address', 'node', 'connection', 'plan', 'user']);
  expect(doneOf(EMPTY)).toEqual([]);
});

it('are done one by one, in any order', () => {
  const nodes = { items: [node('up')], total: 1 };
  expect(doneOf({ ...EMPTY, plans: { total: 1 } })).toEqual(['plan']);
  expect(doneOf({ ...EMPTY, nodes, connections: { total: 2 } })).toEqual(['node', 'connection']);
  expect(doneOf({ ...EMPTY, addresses: { links_url: 'https://vpn.example.com/sub/' } })).toEqual(['address']);
  for (const host of ['localhost', '127.0.0.1', '[::1]'])
    expect(doneOf({ ...EMPTY, addresses: { links_url: `https://${host}:8443/sub/` } })).toEqual([]);
});

it('say that a node waits until it answers', () => {
  const waits = (statuses: readonly Parameters<typeof node>[0][]) =>
    stepsOf({ ...EMPTY, nodes: { items: statuses.map(node), total: statuses.length } })?.[1]?.isWaiting;
  expect([waits([]), waits(['down']), waits(['down', 'up']), waits(['up'])]).toEqual([false, true, false, false]);
});

it('are over once everything but the address is there, and unknown until all is read', () => {
  const full = { ...EMPTY, nodes: { items: [node('down')], total: 1 }, connections: { total: 1 }, plans: { total: 1 } };
  expect(stepsOf({ ...full, users: 1 })).toBeNull();
  expect(stepsOf(full)).not.toBeNull();
  for (const missing of ['addresses', 'nodes', 'connections', 'plans', 'users'] as const)
    expect(stepsOf({ ...EMPTY, [missing]: undefined })).toBeNull();
});
