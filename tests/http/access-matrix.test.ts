// Who may do what, for every operation of the table and every kind of credential; and that there is nothing besides the table.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { API_OPERATIONS, OPERATIONS, type OperationId, PANEL_ONLY_PATHS } from '../../src/contract/table.ts';
import { mountedRoutes } from '../../src/door/api.ts';
import { createTestClock } from '../support/clock.ts';
import { API_IDS, buildFixture, type Fixtures, fill } from '../support/fixtures.ts';
import type { Answer, Client } from '../support/http-client.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';
import { buildSessionHeaders } from '../support/session-jar.ts';

const DAY = 86_400_000;

let panel: TestPanel;
let fixtures: Fixtures;
/** Credentials that are worth nothing: header and query by name. */
let refused: Readonly<Record<string, { client: Client; query?: string; headers?: Record<string, string> }>>;

beforeAll(async () => {
  const clock = createTestClock(Date.parse('2026-11-20T10:00:00Z'));
  panel = await startPanel({ clock });
  const expiring = await panel.makeKey('full', 30);
  clock.advance(31 * DAY);
  fixtures = await fill(panel);
  const revoked = await panel.makeKey('full');
  await panel.act('revokeKey', { id: revoked.key.id });
  const { full, keys } = panel;
  const mistyped = keys.full.slice(0, -1) + (keys.full.endsWith('a') ? 'b' : 'a');
  const session = buildSessionHeaders(await panel.signIn(), panel.core.settings().instanceId, '__Host-');
  refused = {
    'no key': { client: full.as(null) },
    garbage: { client: full.as('garbage') },
    'a bad checksum': { client: full.as(mistyped) },
    'an expired key': { client: full.as(expiring.value) },
    'a revoked key': { client: full.as(revoked.value) },
    'a session only': { client: full.as(null), headers: session },
    'a key in the query': { client: full.as(null), query: `key=${keys.full}&access_token=${keys.full}` },
    'a key as Basic': { client: full.as(null), headers: { authorization: `Basic ${btoa(`key:${keys.full}`)}` } },
    'a key in X-Api-Key': { client: full.as(null), headers: { 'x-api-key': keys.full } },
  };
});
afterAll(() => panel.stop());

/** What of a refusal may not differ: everything but the request's id. */
function withoutId({ status, headers, text }: Answer): unknown {
  const { 'x-request-id': id, date: _date, ...others } = headers;
  return { status, others, text: text.replaceAll(String(id), '<id>') };
}

describe.each(API_OPERATIONS.map((operation) => [operation.id, operation] as const))('%s', (id, operation) => {
  it('answers 401, always the same, without a valid key', async () => {
    const request = await buildFixture(id as never, panel, fixtures);
    const answers: unknown[] = [];
    for (const [name, { client, query, headers }] of Object.entries(refused)) {
      const path = query ? `${request.path}${request.path.includes('?') ? '&' : '?'}${query}` : request.path;
      const answer = await client.send({ ...request, path, headers: { ...request.headers, ...headers } });
      expect(answer.problem, name).toMatchObject({ status: 401, detail: 'unauthorized' });
      expect(answer.headers['www-authenticate'], name).toBe('Bearer');
      answers.push(withoutId(answer));
    }
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  });

  it(operation.access === 'read' ? 'serves a Read key' : 'refuses a Read key', async () => {
    const before = panel.store.events.latestId();
    const request = await buildFixture(id as never, panel, fixtures);
    const made = panel.store.events.latestId();
    const answer = await panel.read.send(request);
    if (operation.access === 'read') expect(answer.status).toBe(operation.status);
    else expect(answer.problem).toMatchObject({ status: 403, detail: 'read_only_key' });
    expect(made).toBeGreaterThanOrEqual(before);
    expect(panel.store.events.latestId(), 'nothing was changed').toBe(made);
  });

  it('serves a Full key', async () => {
    const answer = await panel.full.send(await buildFixture(id as never, panel, fixtures));
    expect(answer.status, answer.text).toBe(operation.status);
    if (operation.output === null) expect(answer.text).toBe('');
    else expect(operation.produces.some((type) => answer.headers['content-type']?.startsWith(type))).toBe(true);
  });
});

const reading = API_OPERATIONS.filter(({ method }) => method === 'GET');

describe.each(reading.map(({ id }) => id))('HEAD of %s', (id) => {
  it('answers as GET does, without a body', async () => {
    const request = await buildFixture(id as never, panel, fixtures);
    const [get, head] = [await panel.read.send(request), await panel.read.send({ ...request, method: 'HEAD' })];
    expect(head.text).toBe('');
    const names = (answer: Answer) => Object.keys(answer.headers).sort();
    expect({ status: head.status, names: names(head) }).toEqual({ status: get.status, names: names(get) });
    if (id !== 'getMetrics') expect(head.headers['content-length']).toBe(get.headers['content-length']);
  });
});

describe('what is not in the table', () => {
  const panelIds = (Object.keys(OPERATIONS) as OperationId[]).filter((id) => OPERATIONS[id].door === 'panel');

  it('has a fixture for each operation that is', () => {
    expect(API_IDS.toSorted()).toEqual(API_OPERATIONS.map(({ id }) => id).toSorted());
  });

  it('has an example for each, with a reply where one is sent', () => {
    for (const { id, example, body, output } of API_OPERATIONS) {
      expect('body' in example, `${id}: a body`).toBe(body !== null);
      expect('reply' in example, `${id}: a reply`).toBe(output !== null);
    }
  });

  it('is no route of the door, and none is missing', async () => {
    const table = API_OPERATIONS.map(({ method, path }) => `${method} ${path}`).toSorted();
    expect([...mountedRoutes()].toSorted()).toEqual(table);
    const { paths } = (await panel.read.call('getOpenApi')).body as { paths: Record<string, object> };
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described.toSorted()).toEqual(table);
  });

  it('is not behind /api/v1 under the names of the panel, even with a Full key', async () => {
    const state = () => [panel.store.keys.all(), panel.store.sessions.all(), panel.store.nodes.count()];
    const before = JSON.stringify(state());
    for (const id of panelIds) {
      for (const path of [`/${id}`, `/panel/${id}`, `/../panel/${id}`, `/%2e%2e/panel/${id}`]) {
        const answer = await panel.full.send({
          method: 'POST',
          path,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(OPERATIONS[id].example.body ?? {}),
        });
        expect(answer.problem.detail, path).toBe('not_found');
      }
    }
    const json = { 'content-type': 'application/json' };
    for (const [method, path] of [
      ['POST', '/nodes'],
      ['PATCH', `/nodes/${fixtures.nodeId}`],
      ['DELETE', `/nodes/${fixtures.nodeId}`],
    ]) {
      const answer = await panel.full.send({ method: String(method), path: String(path), headers: json, body: '{}' });
      expect(answer.problem.detail, `${method} ${path}`).toBe('method_not_allowed');
    }
    expect(JSON.stringify(state())).toBe(before);
  });

  it.each(PANEL_ONLY_PATHS)('says of /%s that the panel has it, to a valid key alone', async (path) => {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS']) {
      for (const below of ['', '/1', '/1/anything?x=1']) {
        const request = { method, path: `/${path}${below}` };
        for (const client of [panel.full, panel.read]) {
          expect((await client.send(request)).problem).toMatchObject({ status: 403, detail: 'panel_only' });
        }
        expect((await panel.full.as(null).send(request)).problem.detail).toBe('unauthorized');
      }
    }
  });
});

it('leaves a trace of what a valid key may not do, without the key', async () => {
  const own = await startPanel({});
  for (let count = 0; count < 3; count += 1) await own.read.call('createTariff', { name: 'refused' });
  await own.read.send({ method: 'GET', path: '/keys' });
  await own.stop();
  const lines = own.log.lines.map((line) => JSON.parse(line)).filter(({ event }) => event === 'refused calls');
  expect(lines).toMatchObject([
    { caller: expect.stringMatching(/^key \d+$/), reason: 'read_only_key', route: 'POST /tariffs', count: 3 },
    { reason: 'panel_only', count: 1 },
  ]);
  expect(own.log.lines.join()).not.toContain(own.keys.read);
});
