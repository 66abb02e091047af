// Two nodes on other machines stay up through whatever the API does: the README's session, and random operations of the table.
// FUZZ_SEED repeats a run of the full form.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { joinMachine, runMachine } from '../../src/agent/machine.ts';
import { API_OPERATIONS } from '../../src/contract/table.ts';
import { validRequest } from '../fuzz/requests.ts';
import { createFakeMachine } from '../support/fake-engine.ts';
import { freePort } from '../support/free-port.ts';
import { type Client, createClient } from '../support/http-client.ts';
import { fillBody, fillPath, type KnownRecords } from '../support/known-records.ts';
import { times } from '../support/long.ts';
import { realLooking } from '../support/node-machine.ts';
import { type OwnPanel, openOwnPanel, PASSWORD } from '../support/own-panel.ts';
import { hasCurl, openShell, readmeSession } from '../support/printed-commands.ts';
import { readSeed } from '../support/seed.ts';

const HOST = '127.0.0.1';
const POLLED = { timeout: 30_000, interval: 20 };
const OPERATIONS = times(100, 1000);
/** After so many, both nodes have to have taken what was done. */
const TOGETHER = 10;
const FEWEST_USERS = 20;
const SEED = readSeed('FUZZ_SEED');

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-up-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A node with a connection, joined to a machine of its own over TLS, whose engine is in memory. */
async function joinNode({ administrator }: OwnPanel, api: Client, name: string) {
  const { id } = (await administrator.call('createNode', { name, address: HOST })).body;
  const inbound = { node_id: id, tag: 'in', name, protocol: 'vless', port: 443 } as const;
  const { id: inboundId } = (await api.call('createInbound', inbound)).body;
  const port = await freePort();
  const { token } = (await administrator.call('inviteNode', { id, port, password: PASSWORD })).body;
  const machineFolder = join(folder, name);
  await joinMachine({ folder: machineFolder, token, host: HOST, waiting: () => {} });
  const fake = createFakeMachine();
  const machine = await runMachine({ folder: machineFolder, host: HOST, engine: realLooking(fake), beatMs: 100 });
  const read = async () => (await api.call('getNode', { id })).body;
  await expect.poll(async () => (await read()).status, POLLED).toBe('up');
  return { id, inboundId, fake, read, close: () => machine.close() };
}

it(`through the session of the README and ${OPERATIONS} random operations (FUZZ_SEED=${SEED})`, {
  timeout: 900_000,
}, async () => {
  await using own = await openOwnPanel({ keyFile: join(folder, 'master.key'), pollEveryMs: 100 });
  const key = await own.newKey('full');
  const api = createClient({ baseUrl: own.panel.baseUrl, key, ca: own.ca });
  const nodes = [await joinNode(own, api, 'one'), await joinNode(own, api, 'two')];

  /** Both were brought to the records of now, and were never down. */
  async function expectUp(after: string): Promise<void> {
    const since = Date.now();
    for (const { read } of nodes) {
      const standing = async () => {
        const { status, error_code, error, last_seen_at: seen, pending_changes } = await read();
        return { status, error_code, error, pending_changes, isPolled: seen !== null && Date.parse(seen) > since };
      };
      const up = { status: 'up', error_code: null, error: null, pending_changes: 0, isPolled: true };
      await expect.poll(standing, { ...POLLED, message: after }).toEqual(up);
    }
    const down = (await api.call('listEvents', { type: 'node.down' })).body.items;
    expect(down, after).toEqual([]);
  }

  if (hasCurl) await openShell(own, key, folder).run(readmeSession());
  await expectUp('the session of the README');

  async function findRecords(): Promise<KnownRecords> {
    const tariffs = (await api.call('listTariffs', { archived: false, limit: 100 })).body.items;
    const tariff_id = tariffs[0]?.id ?? (await api.call('createTariff', { name: 'again' })).body.id;
    const found = (await api.call('listUsers', { limit: 100 })).body.items;
    for (let count = found.length; count < FEWEST_USERS; count += 1) {
      const { id } = (await api.call('createUser', { name: 'again', tariff_id, traffic_limit: 1000 })).body;
      await api.call('createGrant', { id, bytes: 1000, lifetime: 'days', days: 3, note: 'again' });
    }
    const users = (await api.call('listUsers', { limit: 100 })).body.items;
    const lists = await Promise.all(users.map(({ id }) => api.call('listGrants', { id, limit: 2 })));
    const inbounds = (await api.call('listInbounds', { limit: 100 })).body.items;
    return {
      ids: {
        users: users.map(({ id }) => id),
        tariffs: [tariff_id, ...tariffs.map(({ id }) => id)],
        inbounds: inbounds.map(({ id }) => id),
        nodes: nodes.map(({ id }) => id),
      },
      grants: lists.flatMap(({ body }, index) => body.items.map(({ id }) => [users[index]?.id ?? 0, id] as const)),
      getToken: (id) =>
        users
          .find((user) => user.id === id)
          ?.sub_url?.split('/')
          .at(-1) ?? 'none',
    };
  }

  let port = 20_000;
  let succeeded = 0;
  const anyRequest = fc.oneof(
    ...API_OPERATIONS.map((operation) => ({
      arbitrary: validRequest(operation),
      weight: operation.access === 'full' ? 3 : 1,
    })),
  );
  const volley = fc.array(anyRequest, { minLength: TOGETHER, maxLength: TOGETHER });
  const property = fc.asyncProperty(volley, async (requests) => {
    const known = await findRecords();
    for (const request of requests) {
      port = (port + 1) % 65_000;
      const { method, headers, search } = request;
      const body = typeof request.body === 'string' ? fillBody(request.body, known, port) : undefined;
      // A reader of the feed may wait for half a minute.
      const path = fillPath(request, known) + search.replace(/wait=\d+/, 'wait=0');
      const { status } = await api.send({ method, path, headers: { ...headers } as Record<string, string>, body });
      expect(status, `${method} ${path} ${body}`).toBeLessThan(500);
      if (status < 300) succeeded += 1;
      const user = known.ids.users?.[port % FEWEST_USERS] ?? 0;
      for (const { fake, inboundId } of nodes) fake.move(user, inboundId, { up: 1, down: 100 });
    }
    await expectUp(requests.map(({ method, template, body }) => `${method} ${template} ${body}`).join('\n'));
  });
  await fc.assert(property, { seed: SEED, numRuns: OPERATIONS / TOGETHER, endOnFailure: true });

  expect(succeeded, 'successes').toBeGreaterThan(OPERATIONS / 3);
  // Who is made now comes to both machines.
  const { id: tariff_id } = (await api.call('createTariff', { name: 'last' })).body;
  const { id } = (await api.call('createUser', { name: 'last', tariff_id })).body;
  await api.call('createGrant', { id, bytes: 1000, lifetime: 'used' });
  await expectUp('the last user');
  for (const { fake } of nodes) {
    const members = [...(fake.process?.members.values() ?? [])];
    expect(members.length).toBeGreaterThan(0);
    for (const users of members) expect(users.has(id)).toBe(true);
  }
  for (const { close } of nodes) await close();
  api.close();
});
