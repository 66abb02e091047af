// Nodes: how each is, what to do where one is down; made, changed, and deleted only where nothing stands on them.
import { openCommandLine } from '../support/cli.ts';
import { freePort } from '../support/free-port.ts';
import { expectAccessible } from './support/axe.ts';
import { chooseByKeyboard } from './support/choose.ts';
import { expect, test } from './support/fixtures.ts';
import { prove } from './support/settings.ts';
import { getToast } from './support/toast.ts';

test('say how they are and what to do', async ({ page, visit }) => {
  await visit('nodes');
  await expect(page.getByText(/^3 of \d+ up$/)).toBeVisible();
  const row = page.getByRole('row', { name: /New York/ });
  await expect(row).toContainText('Down');
  await expect(row).toContainText('connect ETIMEDOUT');
  // Its engine does not answer: nothing is known of its machine now.
  await expect(row.getByRole('cell').nth(4)).toHaveText('—');
  const other = page.getByRole('row', { name: /Helsinki/ });
  await expect(other).toContainText(/\d+%/);
  await expect(other).toContainText(/[+−]\d+ ms/);
  await page.getByRole('button', { name: /^Load$/ }).click();
  await expect(page.getByRole('columnheader', { name: 'Load' })).toHaveAttribute('aria-sort', 'descending');
  await expectAccessible(page, 'nodes');
  await row.getByRole('link').click();
  const record = page.getByRole('dialog', { name: 'New York' });
  await expect(record.getByText('The node does not answer')).toBeVisible();
  await expect(record.getByText(/Check that the server and its engine are running/)).toBeVisible();
  await expect(record.getByRole('link', { name: /New York, fast/ })).toBeVisible();
  await expect(record.getByText('Last poll')).toBeVisible();
  await expect(record.getByText('Applied when its engine starts, with all users')).toBeVisible();
  await expect(
    record.getByText(/New connections are refused at once\. Open ones over Hysteria2 and gRPC are closed/),
  ).toBeVisible();
  await record.getByText('7 days').click();
  await expectAccessible(page, 'a node');
  await page.keyboard.press('Escape');
  await expect(record).toHaveCount(0);
  await expect(page).toHaveURL(/#\/nodes$/);
});

test('are all listed, however many pages the panel has of them', async ({ page, panel, visit }) => {
  const whole = await panel.administrator?.call('listNodes', { limit: 500 });
  const total = whole?.body.total ?? 0;
  let pages = 0;
  await page.route('**/panel/listNodes', async (route) => {
    pages += 1;
    await route.continue({ postData: JSON.stringify({ ...route.request().postDataJSON(), limit: 2 }) });
  });
  await visit('nodes');
  await expect(page.getByText(new RegExp(`of ${total} up$`))).toBeVisible();
  for (const { name } of whole?.body.items ?? []) await expect(page.getByRole('row', { name })).toBeVisible();
  expect(total).toBeGreaterThan(2);
  expect(pages).toBeGreaterThanOrEqual(Math.ceil(total / 2));
  await page.unrouteAll({ behavior: 'wait' });
});

test('say when and why their engine was restarted, and what each connection needs from it', async ({ page, visit }) => {
  // No demonstration has a user who goes on after the cut.
  await page.route('**/panel/getNode', async (route) => {
    const response = await route.fetch();
    const last_restart = {
      at: '2026-11-19T18:02:30.000Z',
      reason: 'cut_off',
      inbound_id: null,
      user_ids: [1, 2, 3, 999_999_999],
    };
    const implausible_traffic = { up: 0, down: 2 ** 50, last_at: '2026-11-17T09:00:00.000Z' };
    const machine = { restored_at: '2026-11-18T09:00:00.000Z', implausible_traffic };
    await route.fulfill({ response, json: { ...(await response.json()), ...machine, last_restart } });
  });
  await visit('nodes/1');
  const record = page.getByRole('dialog');
  await expect(record.getByText(/19 Nov.* · to cut off/)).toContainText('and 1 more');
  await expect(record.locator('a[href="#/users/2"]')).not.toHaveText(/^#/);
  await expect(record.getByRole('link', { name: /Frankfurt, fast/ })).toContainText('Xray 1.8.0 or later');
  await expect(record.getByText(/18 Nov.* · Nothing was counted twice/)).toBeVisible();
  await expect(record.getByText(/PB · .*17 Nov.* · Beyond what the line of a node can carry/)).toBeVisible();
  await expectAccessible(page, 'a node whose engine was restarted');
});

test('are made, changed with a way back, and deleted by name', { tag: '@smoke' }, async ({ page, panel, visit }) => {
  await visit('nodes');
  await page.keyboard.press('n');
  const form = page.getByRole('dialog', { name: 'Add a node' });
  await form.getByLabel('Name').fill('Oslo');
  await form.getByLabel('Address').fill('not a host');
  await page.keyboard.press('Enter');
  await expect(form.getByText('Wrong format')).toBeVisible();
  await expectAccessible(page, 'the form of a node');
  await form.getByLabel('Address').fill('no1.example.net');
  await page.keyboard.press('Enter');
  const record = page.getByRole('dialog', { name: 'Oslo' });
  await expect(record.getByText('The node has not reported yet')).toBeVisible();

  await record.getByRole('link', { name: 'Edit' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit Oslo' });
  await edit.getByLabel('Name').fill('Bergen');
  await edit.getByLabel('Private networks').check();
  await edit.getByLabel('Note').fill('Rented until May');
  await edit.getByRole('button', { name: 'Save' }).click();
  await prove(page);
  await expect(getToast(page, 'Node Bergen saved')).toBeVisible();
  await expect(page.getByRole('dialog', { name: 'Bergen' }).getByText('Reachable for users')).toBeVisible();
  await expect(page.getByRole('dialog', { name: 'Bergen' }).getByText('Rented until May')).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('dialog', { name: 'Oslo' })).toBeVisible();
  await expect(page.getByText('Reachable for users')).toHaveCount(0);

  await record.getByRole('button', { name: /More actions/ }).click();
  await page.getByRole('menuitem', { name: 'Drain' }).click();
  await expectAccessible(page, 'what becomes of the users of a node');
  await page.getByRole('dialog', { name: 'Drain Oslo' }).getByRole('button', { name: 'Drain' }).click();
  await expect(getToast(page, 'Node Oslo continues to serve, but links omit it')).toBeVisible();
  await expect(record.getByText('Links omit it. No user is connected to it.')).toBeVisible();
  await expectAccessible(page, 'a node that is drained');
  await record.getByRole('button', { name: /More actions/ }).click();
  await page.getByRole('menuitem', { name: 'Stop draining' }).click();
  await expect(record.getByText(/^Links omit it/)).toHaveCount(0);

  await page
    .getByRole('dialog', { name: 'Oslo' })
    .getByRole('button', { name: /More actions/ })
    .click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const question = page.getByRole('dialog', { name: 'Delete Oslo' });
  await question.getByRole('textbox').fill('Oslo');
  await page.keyboard.press('Enter');
  await expect(getToast(page, 'Node Oslo deleted')).toBeVisible();
  await panel.administrator?.call('createNode', { name: 'Made elsewhere', address: '203.0.113.9' });
  await expect(page.getByRole('link', { name: 'Made elsewhere' })).toBeVisible();
});

test('are drained, and their users moved to connections of others', async ({ page, own }) => {
  const act = own.administrator;
  const made = await act?.call('createNode', { name: 'Old', address: 'old.example' });
  const nodeId = made?.body.id ?? 0;
  const inbound = { node_id: nodeId, tag: 'in', name: 'Old one', protocol: 'vless', port: 4001 } as const;
  const from = (await act?.call('createInbound', inbound))?.body.id ?? 0;
  const next = (await act?.call('createNode', { name: 'Next', address: 'next.example' }))?.body.id ?? 0;
  const to = (await act?.call('createInbound', { ...inbound, node_id: next, name: 'Next one' }))?.body.id ?? 0;
  const tariff_id = (await act?.call('createTariff', { name: 'All' }))?.body.id ?? 0;
  const user = await act?.call('createUser', { name: 'Anna', tariff_id, inbounds: [from] });
  await own.visit(`nodes/${nodeId}`);
  const record = page.getByRole('dialog', { name: 'Old' });
  await record.getByRole('button', { name: /More actions/ }).click();
  await page.getByRole('menuitem', { name: 'Drain' }).click();
  const question = page.getByRole('dialog', { name: 'Drain Old' });
  await question.getByLabel('Leave them').focus();
  await page.keyboard.press('ArrowDown');
  await expect(question.getByRole('checkbox', { name: 'Old one' })).toHaveCount(0);
  await expect(question.getByRole('button', { name: 'Drain' })).toBeDisabled();
  await question.getByRole('checkbox', { name: 'Next one' }).focus();
  await page.keyboard.press('Space');
  await expectAccessible(page, 'a node that is drained with its users');
  await question.getByRole('button', { name: 'Drain' }).click();
  await expect(getToast(page, '1 user moved off Old')).toBeVisible();
  const moved = await act?.call('getUser', { id: user?.body.id ?? 0 });
  expect(moved?.body.inbounds).toEqual([to]);
  await expect(record.getByText('Draining').first()).toBeVisible();
});

test('have their engines updated one after the other, after what changes was shown', async ({ page, visit, panel }) => {
  const list = await panel.administrator?.call('listNodes', { limit: 2 });
  const [first, second] = list?.body.items ?? [];
  const node = { current: 'xray-26.3.23', former: null, offered: ['xray-26.9.11'], lost: [], unserved: [] };
  let begun: unknown = null;
  const reasons = [
    { core: 'sing-box', fingerprint: null, users: 298 },
    { core: 'xray', fingerprint: 'edge', users: 14 },
  ];
  const cutOff = { total: 4100, users: 312, unknown: 0, reasons };
  await page.route('**/panel/previewEngineUpdate', (route) =>
    route.fulfill({
      json: {
        offered: ['xray-26.9.11'],
        nodes: [
          { ...node, node_id: first?.id, problem: null, gained: ['wireguard'], cut_off: cutOff },
          { ...node, node_id: second?.id, problem: 'own_path', gained: [], cut_off: null },
        ],
      },
    }),
  );
  await page.route('**/panel/updateEngines', async (route) => {
    begun = route.request().postDataJSON();
    await route.fulfill({ json: { engine: 'xray-26.9.11', is_running: true, steps: [] } });
  });
  await page.route('**/panel/getEngineUpdate', (route) => {
    const steps = [{ node_id: first?.id, state: 'running', reason: '' }];
    const update = begun === null ? null : { engine: 'xray-26.9.11', is_running: true, steps };
    return route.fulfill({ json: { update } });
  });
  await visit('nodes');
  await page.getByRole('link', { name: 'Update engines' }).click();
  const drawer = page.getByRole('dialog', { name: 'Update engines' });
  await expect(
    drawer.getByText('Its service (--engine), or the settings of this panel, name a program of their own.'),
  ).toBeVisible();
  await chooseByKeyboard(drawer.getByRole('combobox', { name: 'Engine' }), 'xray 26.9.11');
  await expect(drawer.getByText('Users gain: WireGuard with several users.')).toBeVisible();
  await expect(
    drawer.getByText('Cuts off 312 of 4,100 users: 298 on sing-box, 14 on Xray with fingerprint edge.'),
  ).toBeVisible();
  await expect(drawer.getByRole('checkbox', { name: second?.name ?? '' })).toBeDisabled();
  await drawer.getByRole('checkbox', { name: first?.name ?? '' }).focus();
  await page.keyboard.press('Space');
  await expectAccessible(page, 'an update of engines');
  await drawer.getByRole('button', { name: 'Update 1 node' }).click();
  await expect(drawer.getByText('is being updated')).toBeVisible();
  expect(begun).toMatchObject({ node_ids: [first?.id], engine: 'xray-26.9.11' });
  await expect(drawer.getByRole('button', { name: 'Stop after this node' })).toBeVisible();
  await expectAccessible(page, 'a running update of engines');
  await page.unrouteAll({ behavior: 'wait' });
});

test('on other machines are joined by one command, which the record follows', async ({ page, own }) => {
  const made = await own.administrator?.call('createNode', { name: 'Far', address: '127.0.0.1' });
  await own.visit(`nodes/${made?.body.id}`);
  const record = page.getByRole('dialog', { name: 'Far' });
  await record.getByLabel('Port for the panel').fill(String(await freePort()));
  await record.getByRole('button', { name: 'Create the command' }).click();
  await prove(page);
  const command = record.getByRole('region', { name: 'Command to join the machine' });
  await expect(command.getByText('Waiting for the machine')).toBeVisible();
  await expectAccessible(page, 'a node that waits for its machine');
  await command.getByRole('button', { name: 'Show the secret' }).click();
  const text = await command.getByText(/^echo gn1\S+ \| npx panel node join && npx panel node run$/).textContent();
  const token = /gn1\S+/.exec(text ?? '')?.[0] ?? '';
  await using machine = openCommandLine();
  const joined = await machine.run(['node', 'join', '--host', '127.0.0.1'], `${token}\n`);
  expect(joined.code, joined.stderr).toBe(0);
  await expect(command.getByText('Machine joined')).toBeVisible();
  const [fingerprint = ''] = /[0-9a-f]{4}(?: [0-9a-f]{4}){4}/.exec(joined.stdout) ?? [];
  await expect(command.getByText(`Fingerprint: ${fingerprint}.`)).toBeVisible();
  await expect(command.getByText('Looking for its engine')).toBeVisible();
});

test('with connections are not deleted', async ({ page, visit }) => {
  await visit('nodes/1');
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /More actions/ })
    .click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const question = page.getByRole('dialog', { name: /cannot be deleted/ });
  await expect(question.getByText(/It still has \d+ connections/)).toBeVisible();
  await question.getByRole('button', { name: 'Show its connections' }).click();
  await expect(page).toHaveURL(/#\/connections\?node=1$/);
});

test.describe('in Russian, dark and on a phone', () => {
  test.use({ view: { locale: 'ru', theme: 'dark' }, viewport: { width: 360, height: 740 } });

  test('can be used by everybody', async ({ page, visit }) => {
    await visit('nodes/4');
    await expect(page.getByRole('dialog').getByText('Узел не отвечает')).toBeVisible();
    await expectAccessible(page, 'a node');
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await expectAccessible(page, 'nodes');
    expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
  });
});
