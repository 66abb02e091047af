// Templates of subscription links: checked before they are saved, chosen for all apps or by a rule, and gone from links when they are deleted.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BUILT_IN_TEMPLATES, MAX_TEMPLATES } from '../../src/contract/subscription/templates.ts';
import { createTestClock } from '../support/clock.ts';
import { type Fixtures, fill } from '../support/fixtures.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';
import { PLAIN_RULE } from '../support/plain-rule.ts';

const EMPTY = { mihomo: '', sing_box: '', xray: '' };
const MIHOMO = 'log-level: info\nproxy-groups: [{name: Own, type: select, proxies: ["{all}"]}]\n';

let panel: TestPanel;
let fixtures: Fixtures;
beforeAll(async () => {
  panel = await startPanel({ clock: createTestClock(Date.parse('2026-11-20T10:00:00Z')) });
  fixtures = await fill(panel);
});
afterAll(() => panel.stop());

async function open(userAgent: string): Promise<string> {
  const { sub_url } = (await panel.full.call('getUser', { id: fixtures.users.active.id })).body;
  const headers = { 'user-agent': userAgent };
  return (await panel.full.as(null).send({ method: 'GET', path: `${sub_url}`, headers })).text;
}

it('is saved, chosen, named by a rule and deleted', async () => {
  const usual = await open('clash.meta');
  const { items } = await panel.act('getSubscriptionTemplates', {});
  expect(items.map(({ id, name }) => [id, name])).toEqual(BUILT_IN_TEMPLATES.map((id) => [id, null]));
  const saved = await panel.act('saveSubscriptionTemplate', { ...EMPTY, id: null, name: 'Own', mihomo: MIHOMO });
  expect(saved.items.at(-1)).toEqual({ ...EMPTY, id: 'own-1', name: 'Own', mihomo: MIHOMO });
  expect(await open('clash.meta')).toBe(usual);

  const choose = (id: string | null) => panel.act('chooseSubscriptionTemplate', { default: id });
  await choose('own-1');
  expect(await open('clash.meta')).toContain('log-level: "info"');
  const changed = { ...EMPTY, id: 'own-1', name: 'Own', mihomo: MIHOMO.replace('info', 'error') };
  await panel.act('saveSubscriptionTemplate', changed);
  expect(await open('clash.meta')).toContain('log-level: "error"');

  await choose('russia');
  expect(await open('clash.meta')).toContain('yandex.net');
  await panel.act('saveSubscriptionRules', { items: [{ ...PLAIN_RULE, apps: ['FlClash*'], template: 'own-1' }] });
  expect(await open('FlClash/v0.8')).toContain('log-level: "error"');
  expect(await open('clash.meta')).toContain('yandex.net');

  await panel.act('deleteSubscriptionTemplate', { id: 'own-1' });
  expect((await panel.act('getSubscriptionRules', {})).items).toMatchObject([{ template: null }]);
  expect(await open('FlClash/v0.8')).toBe(await open('clash.meta'));
  await choose(null);
  expect(await open('clash.meta')).toBe(usual);
});

it('is refused with what is wrong of each document', async () => {
  const wrong = { id: null, name: 'Wrong', mihomo: 'a: [', sing_box: '[]', xray: '{"outbounds":[]}' };
  await expect(panel.act('saveSubscriptionTemplate', wrong)).rejects.toMatchObject({
    code: 'validation',
    errors: [
      { pointer: '#/mihomo', code: 'invalid', message: expect.stringMatching(/^syntax: .*line 1/) },
      { pointer: '#/sing_box', code: 'invalid', message: expect.stringMatching(/^object/) },
    ],
  });
  const unknown = { ...EMPTY, id: 'own-99', name: 'Unknown' };
  await expect(panel.act('saveSubscriptionTemplate', unknown)).rejects.toMatchObject({ code: 'not_found' });
  await expect(panel.act('deleteSubscriptionTemplate', { id: 'own-99' })).rejects.toMatchObject({ code: 'not_found' });
  const chosen = { default: 'own-99', choices: [] };
  await expect(panel.act('chooseSubscriptionTemplate', chosen)).rejects.toMatchObject({ code: 'not_found' });
});

it('is chosen for users of a plan and for those with a tag', async () => {
  const { id, tariff_id } = (await panel.full.call('getUser', { id: fixtures.users.active.id })).body;
  const saved = await panel.act('saveSubscriptionTemplate', { ...EMPTY, id: null, name: 'Own', mihomo: MIHOMO });
  const own = saved.items.at(-1)?.id ?? '';
  const plan = tariff_id ?? (await panel.full.call('createTariff', { name: 'Plan' })).body.id;
  await panel.full.call('updateUser', { id, tariff_id: plan, tags: [] });
  const choices = [
    { template: own, tariffs: [], tags: ['office'] },
    { template: 'iran', tariffs: [plan], tags: [] },
  ];
  const chosen = await panel.act('chooseSubscriptionTemplate', { default: 'russia', choices });
  expect(chosen).toMatchObject({ default: 'russia', choices });
  expect(await panel.act('chooseSubscriptionTemplate', { default: 'china' })).toMatchObject({
    default: 'china',
    choices,
  });
  expect(await panel.act('chooseSubscriptionTemplate', { choices })).toMatchObject({ default: 'china', choices });
  expect(await open('clash.meta')).toContain('aparat.com');
  await panel.full.call('updateUser', { id, tags: ['office'] });
  expect(await open('clash.meta')).toContain('log-level: "info"');
  await panel.full.call('updateUser', { id, tags: [] });

  const refused = async (choice: object) =>
    panel.act('chooseSubscriptionTemplate', { default: null, choices: [...choices, choice] as typeof choices });
  await expect(refused({ template: 'iran', tariffs: [], tags: [] })).rejects.toMatchObject({
    code: 'validation',
    errors: [{ pointer: '#/choices/2/tariffs' }],
  });
  await expect(refused({ template: 'own-99', tariffs: [plan], tags: [] })).rejects.toMatchObject({ code: 'not_found' });
  await expect(refused({ template: 'iran', tariffs: [plan, 4_000_000], tags: [] })).rejects.toMatchObject({
    code: 'tariff_not_found',
    errors: [{ pointer: '#/choices/2/tariffs/1' }],
  });

  const left = await panel.act('deleteSubscriptionTemplate', { id: own });
  expect(left.choices).toEqual(choices.slice(1));
  await panel.act('chooseSubscriptionTemplate', { default: null, choices: [] });
});

it('is one of some', async () => {
  for (let count = 0; count < MAX_TEMPLATES; count += 1)
    await panel.act('saveSubscriptionTemplate', { ...EMPTY, id: null, name: `Template ${count}` });
  const more = { ...EMPTY, id: null, name: 'More' };
  await expect(panel.act('saveSubscriptionTemplate', more)).rejects.toMatchObject({ code: 'template_limit' });
});
