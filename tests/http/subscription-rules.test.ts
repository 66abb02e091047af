// Rules of subscription links over the wire: what an app gets, who is refused, and that what the panel shows is the exact reply.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DEFAULT_SUBSCRIPTION_HEADERS } from '../../src/contract/subscription/headers.ts';
import { createTestClock } from '../support/clock.ts';
import { type Fixtures, fill } from '../support/fixtures.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';
import { PLAIN_RULE } from '../support/plain-rule.ts';

const clock = createTestClock(Date.parse('2026-11-20T10:00:00Z'));

let panel: TestPanel;
let fixtures: Fixtures;
beforeAll(async () => {
  panel = await startPanel({ clock });
  fixtures = await fill(panel);
});
afterAll(() => panel.stop());

async function open(id: number, headers: Readonly<Record<string, string>>, query = '') {
  const { sub_url } = (await panel.full.call('getUser', { id })).body;
  return panel.full.as(null).send({ method: 'GET', path: `${sub_url}${query}`, headers });
}

it('is shown as it is sent', async () => {
  const { id } = fixtures.users.active;
  const items = [
    { ...PLAIN_RULE, apps: ['v2rayN/*'], requires: [{ name: 'x-own', pattern: 'a*' }], format: 'xray' as const },
    { ...PLAIN_RULE, id: 2, apps: ['Throne/*'], action: 'explain' as const, text: 'Другое приложение' },
  ];
  expect(await panel.act('saveSubscriptionRules', { items })).toEqual({ items });
  await panel.act('saveSubscriptionHeaders', { ...DEFAULT_SUBSCRIPTION_HEADERS, happ_routing: 'happ://routing/off' });
  const tries = [
    { user_agent: 'v2rayN/7', headers: [{ name: 'x-own', value: 'abc' }] },
    { user_agent: 'v2rayN/7' },
    { user_agent: 'Throne/1.1' },
    { user_agent: 'Happ/3' },
    { user_agent: 'SFI/1.11.4' },
    { user_agent: 'clash.meta', format: 'plain' },
    { user_agent: 'Mozilla/5.0 (X11)', accept: 'text/html' },
    { user_agent: 'x', accept: 'application/yaml' },
  ];
  const reasons = [];
  for (const { headers = [], format = '', accept = '*/*', user_agent } of tries) {
    const tried = await panel.act('trySubscription', { id, user_agent, accept, format, headers });
    const sent = {
      'user-agent': user_agent,
      accept,
      ...Object.fromEntries(headers.map(({ name, value }) => [name, value])),
    };
    const real = await open(id, sent, format === '' ? '' : `?format=${format}`);
    expect([tried.status, tried.body]).toEqual([real.status, real.text]);
    expect(real.headers).toMatchObject(Object.fromEntries(tried.headers.map(({ name, value }) => [name, value])));
    reasons.push([tried.format, tried.reason, tried.rule?.id ?? null]);
  }
  expect(reasons).toEqual([
    ['xray', 'rule', 1],
    ['links', 'app', null],
    ['links', 'app', 2],
    ['links', 'app', null],
    ['links', 'old_core', null],
    ['plain', 'link', null],
    ['html', 'browser', null],
    ['mihomo', 'accept', null],
  ]);
});

it('refuses with the constant reply, and not before it is saved', async () => {
  const { id } = fixtures.users.active;
  const rules = [{ ...PLAIN_RULE, apps: ['curl/*'], action: 'refuse' as const }];
  expect(await panel.act('trySubscription', { id, user_agent: 'curl/8', rules })).toMatchObject({
    status: 404,
    headers: [],
    body: '',
    rule: { id: 1, name: 'Rule' },
  });
  expect((await open(id, { 'user-agent': 'curl/8' })).status).toBe(200);
  await panel.act('saveSubscriptionRules', { items: rules });
  const refused = await open(id, { 'user-agent': 'curl/8' });
  const { sub_url } = (await panel.full.call('getUser', { id })).body;
  const unknown = await panel.full.as(null).send({ method: 'GET', path: `${sub_url?.slice(0, -1)}-` });
  const withoutDate = ({ date: _, ...headers }: Readonly<Record<string, unknown>>) => headers;
  expect([refused.status, refused.text, withoutDate(refused.headers)]).toEqual([
    unknown.status,
    unknown.text,
    withoutDate(unknown.headers),
  ]);
  expect((await open(id, { 'user-agent': 'Happ/3' })).status).toBe(200);
});

it('knows no link of a user who does not exist', async () => {
  await expect(panel.act('trySubscription', { id: 999_999, user_agent: '' })).rejects.toMatchObject({
    code: 'not_found',
  });
});
