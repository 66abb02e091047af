// A Read key learns no link, credential or address: not from bodies, headers or errors, whatever it asks.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemTimers } from '../../src/adapters/clock.ts';
import { hasBody } from '../../src/contract/operation.ts';
import { API_OPERATIONS } from '../../src/contract/table.ts';
import type { Timers } from '../../src/core/ports/ports.ts';
import { buildArbitrary } from '../support/arbitrary-of.ts';
import { API_IDS, buildFixture, type Fixtures, fill, listSecrets } from '../support/fixtures.ts';
import type { Answer, Sent } from '../support/http-client.ts';
import { times } from '../support/long.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';
import { readSeed } from '../support/seed.ts';

const REQUESTS = times(3000, 10_000);
/** Requests under way at once. */
const AT_ONCE = 8;
const SEED = readSeed('FUZZ_SEED');

let panel: TestPanel;
let fixtures: Fixtures;
let secrets: RegExp;

beforeAll(async () => {
  // Requests that wait for an event get their reply at once.
  const timers: Timers = { ...systemTimers, after: (_ms, work) => systemTimers.after(0, work) };
  panel = await startPanel({ timers });
  fixtures = await fill(panel);
  const all = listSecrets(panel, fixtures);
  expect(all.length).toBeGreaterThan(20);
  secrets = new RegExp(all.map((secret) => secret.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')).join('|'), 'i');
});
afterAll(() => panel.stop());

/** Everything that came back, but for what the caller itself has to know: the address in Location and in the OpenAPI file. */
function whatCame({ rawHeaders, text }: Answer): string {
  return `${rawHeaders.join('\n')}\n${text}`.replaceAll(panel.baseUrl, '');
}

/** Texts that might make an error, a search or a header repeat what it should not. */
const text = fc.oneof(
  fc.constantFrom('canary', 'sub', '%', '_', '*', '"', 'a'.repeat(101), 'pnl_', '\u0000', 'null', '1e999', '../sub'),
  fc.string({ maxLength: 20 }),
);

function generatePath(template: string): fc.Arbitrary<string> {
  const ids = [
    ...Object.values(fixtures.users).map(({ id }) => id),
    ...fixtures.inboundIds,
    fixtures.nodeId,
    fixtures.grantId,
  ];
  const id = fc.oneof(
    { arbitrary: fc.constantFrom(...ids.map(String)), weight: 8 },
    fc.constantFrom('0', '-1', '007', '9007199254740993', '1.5', '%31', 'x'),
  );
  const parts = template.split('/').map((part) => (part.startsWith('{') ? id : fc.constant(part)));
  return fc.tuple(...parts).map((all) => all.join('/'));
}

/** A request of a Read key: reads with any query, the rest with any method. */
function requests(): fc.Arbitrary<Sent> {
  const each = API_OPERATIONS.map((operation) => {
    const valid = buildArbitrary(operation.query) as fc.Arbitrary<Record<string, unknown>>;
    const mutation = fc.dictionary(
      fc.oneof(fc.constantFrom(...Object.keys(operation.query.shape), 'fields'), text),
      text,
      {
        maxKeys: 2,
      },
    );
    const query = fc.oneof(
      { arbitrary: valid, weight: 3 },
      fc.tuple(valid, mutation).map(([a, b]) => ({ ...a, ...b })),
    );
    const headers = fc.record(
      {
        accept: fc.constantFrom('*/*', 'application/json', 'text/html', 'application/openmetrics-text', 'x'),
        'x-forwarded-for': fc.constantFrom('127.0.0.1', '::1'),
        'if-match': fc.constantFrom('*', '"1-1"', 'x'),
        'idempotency-key': fc.constantFrom('a', 'b'),
        'x-http-method-override': fc.constantFrom('POST', 'DELETE'),
      },
      { requiredKeys: [] },
    );
    const method =
      operation.method === 'GET' ? fc.constantFrom('GET', 'GET', 'GET', 'HEAD') : fc.constant(operation.method);
    return fc
      .record({ method, path: generatePath(operation.path), query, headers })
      .map(({ method: verb, path, query: members, headers: extra }): Sent => {
        const pairs = Object.entries(members).map(([name, value]): [string, string] => [name, String(value)]);
        const search = pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : '';
        const takesBody = hasBody(verb);
        const type = takesBody ? { 'content-type': 'application/json' } : {};
        return {
          method: verb,
          path: path + search,
          headers: { ...extra, ...type },
          body: takesBody ? '{}' : undefined,
        };
      });
  });
  const reads = each.filter((_, index) => API_OPERATIONS[index]?.method === 'GET');
  return fc.oneof({ arbitrary: fc.oneof(...reads), weight: 4 }, fc.oneof(...each));
}

describe('a Read key', () => {
  it('sees in plain replies everything but secrets, and a Full key sees them', async () => {
    let shown = '';
    for (const id of API_IDS) {
      const request = await buildFixture(id, panel, fixtures);
      if (request.method !== 'GET') continue;
      const answer = await panel.read.send(request);
      expect(answer.status).toBe(200);
      expect(whatCame(answer), id).not.toMatch(secrets);
      // The documentation shows one that belongs to no user.
      if (id !== 'getOpenApi') expect(answer.text, id).not.toContain('"sub_url":');
      shown += whatCame(await panel.full.send(request));
    }
    for (const { id } of Object.values(fixtures.users)) expect(shown).toContain(panel.store.users.get(id)?.token);
    for (const canary of ['canary-node-address', 'canary-reality-host', 'canary-publickey'])
      expect(shown).toContain(canary);
  });

  it(`learns none from ${REQUESTS} random requests (FUZZ_SEED=${SEED})`, async () => {
    const all = fc.sample(requests(), { numRuns: REQUESTS, seed: SEED });
    const before = panel.store.events.latestId();
    const statuses = new Map<number, number>();
    for (let start = 0; start < all.length; start += AT_ONCE) {
      const some = all.slice(start, start + AT_ONCE);
      const answers = await Promise.all(some.map((request) => panel.read.send(request)));
      for (const [index, answer] of answers.entries()) {
        const place = JSON.stringify(some[index]);
        if (secrets.test(whatCame(answer)) || answer.status >= 500) expect.fail(`${place}: ${whatCame(answer)}`);
        if (answer.text.includes('"sub_url":') && !some[index]?.path.startsWith('/openapi')) expect.fail(place);
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      }
    }
    expect(panel.store.events.latestId(), 'nothing was changed').toBe(before);
    for (const status of [200, 403, 404, 406, 422])
      expect(statuses.get(status), `${status}s`).toBeGreaterThan(REQUESTS / 200);
  });

  it('finds no user by a search for what it must not see', async () => {
    for (const secret of listSecrets(panel, fixtures)) {
      const q = secret.slice(0, 100);
      expect((await panel.read.call('listUsers', { q })).body.total, q).toBe(0);
    }
  });
});
