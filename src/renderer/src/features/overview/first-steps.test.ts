// Which steps to the first customer are left, and when the list is hidden.
import { expect, it } from 'vitest';
import { listSteps, type StepFacts } from './first-steps.ts';

type Nodes = NonNullable<StepFacts['nodes']>;
const node = (status: Nodes['items'][number]['status']) => ({ status }) as Nodes['items'][number];

const EMPTY: StepFacts = {
  addresses: { links_url: 'https://127.0.0.1:8443/sub/' },
  nodes: { items: [], total: 0 },
  connections: { total: 0 },
  plans: { total: 0 },
  users: 0,
  certificates: { served: [] },
  places: { items: [] },
  role: { state: 'active' },
};
const listDoneSteps = (facts: StepFacts) => listSteps(facts)?.flatMap(({ kind, isDone }) => (isDone ? [kind] : []));

it('are six on an empty panel, none done', () => {
  expect(listSteps(EMPTY)?.map(({ kind }) => kind)).toEqual([
    'address',
    'node',
    'connection',
    'plan',
    'user',
    'backup',
  ]);
  expect(listDoneSteps(EMPTY)).toEqual([]);
});

it('are none on a panel that can only be read', () => {
  expect(listSteps({ ...EMPTY, role: { state: 'superseded' } })).toBeNull();
});

it('are done one by one, in any order', () => {
  const nodes = { items: [node('up')], total: 1 };
  expect(listDoneSteps({ ...EMPTY, plans: { total: 1 } })).toEqual(['plan']);
  expect(listDoneSteps({ ...EMPTY, nodes, connections: { total: 2 } })).toEqual(['node', 'connection']);
  expect(listDoneSteps({ ...EMPTY, addresses: { links_url: 'https://vpn.example.com/sub/' } })).toEqual(['address']);
  for (const host of ['localhost', '127.0.0.1', '[::1]'])
    expect(listDoneSteps({ ...EMPTY, addresses: { links_url: `https://${host}:8443/sub/` } })).toEqual([]);
});

it('are done with a node only once it answers, and say so until then', () => {
  const buildNodeStep = (statuses: readonly Parameters<typeof node>[0][]) =>
    listSteps({ ...EMPTY, nodes: { items: statuses.map(node), total: statuses.length } })?.[1];
  expect(buildNodeStep([])).toMatchObject({ isDone: false, trouble: null });
  expect(buildNodeStep(['down'])).toMatchObject({ isDone: false, trouble: 'waiting' });
  expect(buildNodeStep(['down', 'up'])).toMatchObject({ isDone: true, trouble: null });
});

it('are not done with an address whose certificate apps refuse', () => {
  type Served = NonNullable<StepFacts['certificates']>['served'][number];
  const buildAddressStep = (source: Served['source'], scheme = 'https') => {
    const served = { target: 'panel', source, subject: 'a', issuer: 'b', warning: null } as Served;
    const addresses = { links_url: `${scheme}://vpn.example.com/sub/` };
    return listSteps({ ...EMPTY, addresses, certificates: { served: [served] } })?.[0];
  };
  expect(buildAddressStep('local')).toEqual({ kind: 'address', isDone: false, trouble: 'untrusted' });
  expect(buildAddressStep('acme')).toEqual({ kind: 'address', isDone: true, trouble: null });
  expect(buildAddressStep('local', 'http')).toEqual({ kind: 'address', isDone: true, trouble: null });
});

it('are over once everything but the address is there, and unknown until all is read', () => {
  const full = { ...EMPTY, nodes: { items: [node('down')], total: 1 }, connections: { total: 1 }, plans: { total: 1 } };
  expect(listSteps({ ...full, users: 1 })).toBeNull();
  expect(listSteps(full)).not.toBeNull();
  const place = { id: 1 } as NonNullable<StepFacts['places']>['items'][number];
  expect(listDoneSteps({ ...full, places: { items: [place] } })).toContain('backup');
  for (const missing of [
    'addresses',
    'nodes',
    'connections',
    'plans',
    'users',
    'certificates',
    'places',
    'role',
  ] as const)
    expect(listSteps({ ...EMPTY, [missing]: undefined })).toBeNull();
});
