// Everything that is wrong with a request is in one reply, and every code in it is one that is documented.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FIELD_ERRORS } from '../../src/contract/errors.ts';
import { openApiDocument } from '../../src/contract/openapi/openapi.ts';
import { MAX_METADATA } from '../../src/contract/scalars.ts';
import { type Fixtures, fill } from '../support/fixtures.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';

const NONE = 4_000_000;
const KEY = 'A'.repeat(43);

let panel: TestPanel;
let fixtures: Fixtures;
beforeAll(async () => {
  panel = await startPanel();
  fixtures = await fill(panel);
});
afterAll(() => panel.stop());

/** The code of a refusal, and place and code of each failure. */
async function refused(method: 'POST' | 'PATCH', path: string, body: object) {
  const headers = { 'content-type': 'application/json' };
  const { problem } = await panel.full.send({ method, path, headers, body: JSON.stringify(body) });
  return [problem.detail, ...(problem.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`)];
}

describe('all that is wrong is listed', () => {
  it('of a new user', async () => {
    const inbounds = [NONE, fixtures.inboundIds[0], NONE + 1];
    expect(await refused('POST', '/users', { name: 'A', tariff_id: NONE, inbounds })).toEqual([
      'tariff_not_found',
      '#/tariff_id tariff_not_found',
      '#/inbounds/0 inbound_not_found',
      '#/inbounds/2 inbound_not_found',
    ]);
  });

  it('of a changed user, ids that others have and too much metadata included', async () => {
    const ids = { external_id: 'of another', telegram_id: 4711 };
    await panel.act('createUser', { name: 'Other', tariff_id: fixtures.tariffs.free, ...ids });
    const full = Object.fromEntries(Array.from({ length: MAX_METADATA }, (_, index) => [`k${index}`, '']));
    const { id } = await panel.act('createUser', { name: 'A', tariff_id: fixtures.tariffs.free, metadata: full });
    const patch = { tariff_id: NONE, inbounds: [NONE], ...ids, metadata: { more: '' } };
    expect(await refused('PATCH', `/users/${id}`, patch)).toEqual([
      'tariff_not_found',
      '#/tariff_id tariff_not_found',
      '#/inbounds/0 inbound_not_found',
      '#/metadata too_big',
      '#/external_id taken',
      '#/telegram_id taken',
    ]);
  });

  it('of each user of a batch, also in a dry run, where an id of one that failed stays free', async () => {
    const { free } = fixtures.tariffs;
    const wrong = { name: 'A', tariff_id: NONE, external_id: 'twice', telegram_id: 5 };
    const users = [wrong, { ...wrong, tariff_id: free }, wrong];
    const { body } = await panel.full.call('createUsers', { users, dry_run: true });
    expect(body.results.map(({ errors = [] }) => errors.map(({ pointer, code }) => `${pointer} ${code}`))).toEqual([
      ['#/users/0/tariff_id tariff_not_found'],
      [],
      ['#/users/2/tariff_id tariff_not_found', '#/users/2/external_id taken', '#/users/2/telegram_id taken'],
    ]);
  });

  it('of a bulk before the number of users is compared', async () => {
    const ids = [fixtures.users.active.id];
    const bulk = { action: 'set_inbounds', ids, inbounds: [NONE, NONE + 1], expect_matched: 2 };
    expect(await refused('POST', '/users/bulk', bulk)).toEqual([
      'inbound_not_found',
      '#/inbounds/0 inbound_not_found',
      '#/inbounds/1 inbound_not_found',
    ]);
    expect(await refused('POST', '/users/bulk', { action: 'extend', ids, expect_matched: 2 })).toEqual([
      'extend_amount',
      '# extend_amount',
    ]);
  });

  it('of parameters', async () => {
    const parameters = async (path: string) => {
      const { problem } = await panel.read.send({ method: 'GET', path });
      return [problem.detail, ...(problem.errors ?? []).map(({ parameter, code }) => `${parameter} ${code}`)];
    };
    const window = 'from=2020-01-02T00:00:00Z&to=2020-01-01T00:00:00Z';
    expect(await parameters(`/stats/traffic?range=7d&node_id=${NONE}&${window}`)).toEqual([
      'validation',
      'from inconsistent',
      'from too_small',
      'range inconsistent',
      'node_id node_not_found',
    ]);
    const both = ['validation', 'cursor invalid', 'cursor invalid'];
    expect(await parameters('/users?cursor=x&offset=1')).toEqual(both);
    expect(await parameters('/nodes?cursor=x&offset=1')).toEqual(both);
  });

  it('of a changed plan', async () => {
    const { id } = await panel.act('createTariff', { name: 'P', duration: { months: 1 } });
    const body = { duration: { days: 1 }, price: { amount: 1 }, inbounds: [NONE] };
    expect(await refused('PATCH', `/tariffs/${id}`, body)).toEqual([
      'validation',
      '#/duration invalid',
      '#/price/currency required',
      '#/inbounds/0 inbound_not_found',
    ]);
  });

  it('of a new connection, and of a changed one', async () => {
    const { id: node_id } = await panel.act('createNode', { name: 'N', address: 'n.example.org' });
    const common = { name: 'C', protocol: 'vless', port: 443 } as const;
    await panel.act('createInbound', { ...common, node_id, tag: 'first' });
    const wrong = { security: 'reality', path: '/x', private_key: KEY, public_key: KEY };
    expect(await refused('POST', '/inbounds', { ...common, ...wrong, node_id: NONE, tag: 'first' })).toEqual([
      'node_not_found',
      '#/node_id node_not_found',
      '#/public_key key_mismatch',
      '#/sni inconsistent',
      '#/path inconsistent',
    ]);
    const { id } = await panel.act('createInbound', { ...common, node_id, port: 444, tag: 'second' });
    expect(await refused('PATCH', `/inbounds/${id}`, { ...wrong, tag: 'first', port: 443 })).toEqual([
      'validation',
      '#/public_key key_mismatch',
      '#/sni inconsistent',
      '#/path inconsistent',
      '#/tag taken',
      '#/port taken',
    ]);
  });
});

describe('the codes of failures', () => {
  const codes = Object.keys(FIELD_ERRORS);

  it('are an enumeration of the OpenAPI file', () => {
    const { schemas } = openApiDocument({ serverUrl: 'https://127.0.0.1:8443' }).components ?? {};
    expect(schemas?.FieldErrorCode).toMatchObject({ type: 'string', enum: codes });
    expect(JSON.stringify(schemas?.Problem)).toContain('#/components/schemas/FieldError');
    expect(JSON.stringify(schemas?.FieldError)).toContain('#/components/schemas/FieldErrorCode');
  });

  it('are listed in docs/api.md', () => {
    const page = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8');
    const table = page.slice(page.indexOf('| code | the field or parameter |'), page.indexOf('| status | code |'));
    expect([...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code)).toEqual(codes);
  });
});
