// Everything that is wrong with a request is in one reply, and every code in it is one that is documented.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FIELD_ERRORS } from '../../src/contract/errors.ts';
import { openApiDocument } from '../../src/contract/openapi/openapi.ts';
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

  it('of a changed user', async () => {
    const path = `/users/${fixtures.users.active.id}`;
    expect(await refused('PATCH', path, { tariff_id: NONE, inbounds: [NONE] })).toEqual([
      'tariff_not_found',
      '#/tariff_id tariff_not_found',
      '#/inbounds/0 inbound_not_found',
    ]);
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
