// Throws random requests at a real panel: none is answered with a 5xx, and every reply is as the panel's own OpenAPI file says.
// FUZZ_REQUESTS says how many, FUZZ_SEED repeats a run.
import type { OutgoingHttpHeaders } from 'node:http';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemTimers } from '../../src/adapters/clock.ts';
import { ERRORS, type ErrorCode } from '../../src/contract/errors.ts';
import { API_OPERATIONS, PANEL_ONLY_PATHS } from '../../src/contract/table.ts';
import type { Timers } from '../../src/core/ports/ports.ts';
import { createRouter } from '../../src/door/routes.ts';
import { type Fixtures, fill } from '../support/fixtures.ts';
import type { Answer, Client } from '../support/http-client.ts';
import { fillBody, fillPath, type KnownRecords } from '../support/known-records.ts';
import { times } from '../support/long.ts';
import { createOpenApiCheck, type OpenApiCheck } from '../support/openapi-check.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';
import { readSeed } from '../support/seed.ts';
import { type FuzzRequest, fuzzRequest, KNOWN_METHODS } from './requests.ts';

const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? times(6000, 200_000));
const SEED = readSeed('FUZZ_SEED');
/** Requests under way at once. */
const AT_ONCE = 10;
const FEWEST_USERS = 20;
const FEWEST_INBOUNDS = 5;

let panel: TestPanel;
let fixtures: Fixtures;
let check: OpenApiCheck;
let clients: Readonly<Record<FuzzRequest['key'], Client>>;
const router = createRouter();
/** How often each operation has succeeded. */
const succeeded = new Map<string, number>();

beforeAll(async () => {
  // Requests that wait for an event get their reply at once.
  const timers: Timers = { ...systemTimers, after: (_ms, work) => systemTimers.after(0, work) };
  panel = await startPanel({ timers, wrapHeavy: (heavy) => heavy });
  fixtures = await fill(panel);
  check = createOpenApiCheck((await panel.read.call('getOpenApi')).body);
  const { full, read } = panel;
  clients = { full, read, none: full.as(null), wrong: full.as('pnl_wrong') };
});
afterAll(() => panel.stop());

/** Records that are there at the moment. */
let known: KnownRecords = { ids: {}, grants: [], getToken: () => 'none' };

/** Requests delete what they find: fresh records come in their place. */
async function refresh(): Promise<void> {
  const { store, act, clock } = panel;
  const tariffs = store.tariffs.page({ archived: false }, 100, 0);
  const tariff = tariffs.length > 0 ? tariffs[0]?.id : (await act('createTariff', { name: 'again' })).id;
  while (store.users.count({}, clock.now()) < FEWEST_USERS) {
    const more = { traffic_limit: 1000, expires_at: '2030-01-01T00:00:00Z', tags: ['again'] };
    const { id } = await act('createUser', { name: 'again', tariff_id: tariff ?? 0, ...more });
    await act('createGrant', { id, bytes: 1000, lifetime: 'used' });
  }
  // A port may be taken: then the next one is tried.
  for (let port = 1; store.inbounds.count({}) < FEWEST_INBOUNDS; port++) {
    const tag = `again-${store.events.latestId()}`;
    await panel.full.call('createInbound', { node_id: fixtures.nodeId, tag, name: 'again', protocol: 'vless', port });
  }
  const users = store.users.ids({}, clock.now()).slice(-200);
  known = {
    ids: {
      users,
      tariffs: store.tariffs.page({}, 100, 0).map(({ id }) => id),
      inbounds: store.inbounds.page({}, 100, 0).map(({ id }) => id),
      nodes: [fixtures.nodeId],
    },
    grants: users.flatMap((userId) =>
      store.grants
        .page({ userId, state: undefined, now: 0, isPeriodOver: false }, 2, 0)
        .map(({ id }) => [userId, id] as const),
    ),
    getToken: (id) => store.users.get(id)?.token ?? 'none',
  };
}

/** The example of a connection has a tag and a port, which only one on a node may have. */
let nextPort = 20_000;

/** The body, for an aware request with references that lead somewhere: random ones hardly ever do. */
function buildBody({ body, isAware }: FuzzRequest): FuzzRequest['body'] {
  if (!isAware || typeof body !== 'string') return body;
  nextPort += 1;
  return fillBody(body, known, nextPort % 65_536);
}

/** What is wrong with a reply that must be a problem of this code; HEAD gets its status alone. */
function refusalFaults({ method }: FuzzRequest, answer: Answer, code: ErrorCode): string[] {
  return method === 'HEAD' ? headFaults(answer, [ERRORS[code].status]) : check.problemFaults(answer, [code]);
}

function headFaults({ status, text }: Answer, statuses: readonly number[]): string[] {
  return statuses.includes(status) && status < 500 && text === '' ? [] : [`HEAD: ${status} ${text}`];
}

/** What is wrong with a reply; empty if nothing is. */
function findFaults(request: FuzzRequest, path: string, answer: Answer): string[] {
  const { key, method, template } = request;
  if (key === 'none' || key === 'wrong') return refusalFaults(request, answer, 'unauthorized');
  const isPanelOnly = PANEL_ONLY_PATHS.some((name) => path === `/${name}` || path.startsWith(`/${name}/`));
  if (isPanelOnly) return refusalFaults(request, answer, 'panel_only');
  const match = router.match(path);
  if (match === null) return refusalFaults(request, answer, 'not_found');
  const { template: found, operations, allow } = match.route;
  if (template !== null && template !== found) return [`${path} is found as ${found}`];
  const operation = operations.get(method);
  if (!operation) {
    const told = answer.headers.allow === allow ? [] : [`Allow: ${answer.headers.allow}`];
    if (method === 'OPTIONS') return answer.status === 204 ? told : [`OPTIONS: ${answer.status}`];
    return [...told, ...refusalFaults(request, answer, 'method_not_allowed')];
  }
  if (answer.status < 300) succeeded.set(operation.id, (succeeded.get(operation.id) ?? 0) + 1);
  if (method !== 'HEAD') return check.findFaults(found, method, answer);
  return headFaults(answer, Object.keys(check.document.paths[found]?.get?.responses ?? {}).map(Number));
}

async function exchange(request: FuzzRequest): Promise<void> {
  const path = fillPath(request, known);
  const { key, method, search, headers } = request;
  const body = buildBody(request);
  const sending = { method, path: path + search, headers: headers as OutgoingHttpHeaders, body };
  const answer = await clients[key].send(sending).catch((error: NodeJS.ErrnoException) => {
    // Its connection was closed after the early reply to a request whose body nothing reads: Node's agent reuses such a connection.
    if (error.code !== 'ECONNRESET') throw error;
    return clients[key].send(sending);
  });
  const faults = findFaults(request, path, answer);
  if (faults.length === 0) return;
  const sent = body instanceof Buffer ? body.toString('latin1') : body;
  const told = [
    `${method} ${path}${search}`,
    JSON.stringify(headers),
    sent?.slice(0, 3000),
    ...faults,
    answer.text.slice(0, 1000),
  ];
  throw new Error([...told, ...panel.log.lines.slice(-3)].join('\n'));
}

describe('the API under fire', () => {
  it(`answers ${REQUESTS} random requests as documented (FUZZ_SEED=${SEED})`, {
    timeout: 600_000 + REQUESTS * 20,
  }, async () => {
    await refresh();
    let round = 0;
    const volley = fc.array(fuzzRequest, { minLength: AT_ONCE, maxLength: AT_ONCE });
    const property = fc.asyncProperty(volley, async (requests) => {
      round += 1;
      if (round % 5 === 0) await refresh();
      await Promise.all(requests.map(exchange));
    });
    await fc.assert(property, { seed: SEED, numRuns: Math.ceil(REQUESTS / AT_ONCE), endOnFailure: true });
    const never = API_OPERATIONS.map(({ id }) => id).filter((id) => !succeeded.has(id));
    expect(never, 'operations that never succeeded').toEqual([]);
    const all = [...succeeded.values()].reduce((sum, count) => sum + count, 0);
    expect(all, 'successes').toBeGreaterThan(REQUESTS / 8);
    expect(panel.log.lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });

  it('has a sound database and agrees with itself afterwards', async () => {
    const db = new Database(panel.database, { readonly: true });
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(db.pragma('foreign_key_check')).toEqual([]);
    db.close();
    const { users } = (await panel.read.call('getOverview')).body;
    const { active, on_hold, limited, expired, disabled } = users;
    expect(active + on_hold + limited + expired + disabled).toBe(users.total);
    for (const state of ['active', 'on_hold', 'limited', 'expired', 'disabled'] as const) {
      const { total, items } = (await panel.read.call('listUsers', { state, limit: 500 })).body;
      expect(total, state).toBe(users[state]);
      for (const user of items) expect(user.state).toBe(state);
    }
    for (const id of [
      'listTariffs',
      'listInbounds',
      'listNodes',
      'listEvents',
      'getMetrics',
      'getServerTraffic',
    ] as const) {
      expect((await panel.read.call(id)).status, id).toBe(200);
    }
  });

  it.each(router.routes.map(({ template }) => template))(
    '%s: every other method is 405 with Allow, for any key',
    async (template) => {
      await refresh();
      const route = router.routes.find((candidate) => candidate.template === template);
      const request: FuzzRequest = {
        key: 'full',
        template,
        ids: [0, 0],
        path: '',
        search: '',
        headers: {},
        body: undefined,
        isAware: false,
        method: '',
      };
      for (const method of KNOWN_METHODS) {
        if (route?.operations.has(method) || method === 'OPTIONS') continue;
        for (const client of [panel.full, panel.read]) {
          const answer = await client.send({ method, path: fillPath(request, known) });
          expect(answer.status, `${method} ${template}`).toBe(405);
          if (method !== 'HEAD') expect(answer.problem.detail).toBe('method_not_allowed');
          expect(answer.headers.allow).toBe(route?.allow);
        }
      }
    },
  );
});
