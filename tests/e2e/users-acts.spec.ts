// Acts on users: each says what will happen, does it, says it back, and is undone where that can be done; nothing typed is lost.
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { PASSWORD } from '../support/cli.ts';
import { expectAccessible } from './support/axe.ts';
import { expect, test } from './support/fixtures.ts';
import { interceptCalls } from './support/intercept.ts';
import { prove } from './support/settings.ts';
import { expectRing } from './support/sight.ts';
import { getToast } from './support/toast.ts';
import { makeUser, otherWindow, readUser } from './support/users.ts';

async function act(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name }).click();
}

test.describe('the record', () => {
  test('warns of a link that only this machine opens, gives its picture, and offers one way to extend', async ({
    page,
    panel,
    visit,
  }) => {
    const { id } = await makeUser(panel, 'Quinn Code', { expires_at: '2090-01-01T00:00:00.000Z' });
    await visit(`users/${id}`);
    const record = page.getByRole('dialog');
    await expect(record.getByText('Only this machine can open this link')).toBeVisible();
    await expect(record.getByRole('button', { name: 'Extend', exact: true })).toHaveCount(1);
    // No traffic is no part of the bar.
    await expect(record.getByRole('img', { name: /^0\sB of/ })).toBeEmpty();
    await record.getByRole('button', { name: 'QR code' }).click();
    await expectAccessible(page, 'a link with its code');
    await record.getByRole('button', { name: 'On a phone' }).click();
    const phone = record.frameLocator('iframe[title="The subscription page of Quinn Code on a phone"]');
    await expect(phone.getByText('Connect', { exact: true })).toBeVisible();
    // Its own style: the policy of the pages lets it through by the nonce.
    await expect(phone.locator('.card').first()).toHaveCSS('border-top-left-radius', '16px');
    expect(await phone.locator('script').count()).toBe(0);
    await expectAccessible(page, 'the subscription page on a phone');
    await record.getByRole('button', { name: 'QR code' }).click();
    const coming = page.waitForEvent('download');
    await record.getByRole('button', { name: 'Save as a picture' }).click();
    const download = await coming;
    expect(download.suggestedFilename()).toBe('Quinn Code.png');
    const picture = await readFile(await download.path());
    expect(picture.subarray(0, 8).toString('latin1')).toBe('\u0089PNG\r\n\u001a\n');
  });

  test('warns of a link whose certificate apps do not trust, in the colour of the warning', async ({ page, own }) => {
    const { body: plan } = await otherWindow(own).call('createTariff', { name: 'Plan' });
    const { id } = await makeUser(own, 'Quinn Far', { tariff_id: plan.id });
    await otherWindow(own).call('changeAddresses', { public_url: 'https://vpn.example.com', password: PASSWORD });
    await own.visit(`users/${id}`);
    const record = page.getByRole('dialog');
    await expect(record.getByText('they do not trust its certificate')).toBeVisible();
    await expect(record.getByText('Only this machine can open this link')).toHaveCount(0);
    const link = record.getByRole('link', { name: 'Set a certificate that apps trust' });
    const colours = await link.evaluate((element) =>
      [element, element.parentElement ?? element].map((one) => getComputedStyle(one).color),
    );
    expect(colours[0]).toBe(colours[1]);
    await expectAccessible(page, 'a link that apps do not trust');
    await link.click();
    await expect(page).toHaveURL(/#\/settings\/certificates$/);
  });

  test('continues a note at its end, discards it after a question only, and gives the focus back', async ({
    page,
    panel,
    visit,
  }) => {
    const { id } = await makeUser(panel, 'Quinn Note', { note: 'First line' });
    await visit(`users/${id}`);
    await page.getByRole('button', { name: 'Change: Note' }).click();
    const note = page.getByRole('textbox', { name: 'Note' });
    await expect(note).toBeFocused();
    await page.keyboard.type(', and more');
    await expect(note).toHaveValue('First line, and more');
    const question = page.getByRole('dialog', { name: 'Discard what you typed?' });
    await page.keyboard.press('Escape');
    await question.getByRole('button', { name: 'Cancel' }).click();
    await expect(question).toHaveCount(0);
    await expect(note).toHaveValue('First line, and more');
    // So does the way to another screen, and that out of the page.
    await page.evaluate(() => {
      location.hash = '#/plans';
    });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await expect(page).toHaveURL(/#\/users\/\d+$/);
    const mayLeave = () => page.evaluate(() => window.dispatchEvent(new Event('beforeunload', { cancelable: true })));
    expect(await mayLeave()).toBe(false);
    await note.press('Escape');
    await question.getByRole('button', { name: 'Discard' }).click();
    await expect(page.getByRole('button', { name: 'Change: Note' })).toBeFocused();
    expect(await mayLeave()).toBe(true);
    // Nothing was typed: nothing is asked.
    await page.keyboard.press('Enter');
    await expect(note).toHaveValue('First line');
    await page.keyboard.press('Escape');
    await expect(page.getByRole('button', { name: 'Change: Note' })).toBeFocused();
    await act(page, 'Delete');
    await expect(page.getByRole('dialog', { name: /Delete/ })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('button', { name: 'More actions' })).toBeFocused();
  });

  test('asks for the id of a user with a long name before it deletes', async ({ page, panel, visit }) => {
    const { id } = await makeUser(panel, 'م'.repeat(100));
    await visit(`users/${id}`);
    await act(page, 'Delete');
    await page.getByLabel(`Type ${id} to confirm`).fill(String(id));
    await page.getByRole('dialog').last().getByRole('button', { name: 'Delete' }).click();
    await expect(page).toHaveURL(/#\/users$/);
    expect((await otherWindow(panel).call('getUser', { id })).status).toBe(404);
  });

  test('disables and enables, each with a way back', async ({ page, panel, visit }) => {
    const { id } = await makeUser(panel, 'Dora Toggle', { expires_at: '2090-01-01T00:00:00.000Z' });
    await visit(`users/${id}`);
    await act(page, 'Disable');
    await expect(getToast(page, 'Dora Toggle disabled')).toBeVisible();
    await expect(page.getByText(/^Disabled now by admin\./)).toBeVisible();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(getToast(page, 'Undone')).toBeVisible();
    expect((await readUser(panel, id)).enabled).toBe(true);

    await act(page, 'Disable');
    await page.getByRole('button', { name: 'Enable', exact: true }).click();
    await expect(getToast(page, 'Dora Toggle enabled')).toBeVisible();
    expect((await readUser(panel, id)).state).toBe('active');
  });

  test('extends to the date that was shown before', { tag: '@smoke' }, async ({ page, panel, visit }) => {
    const { id } = await makeUser(panel, 'Ella Extend', { expires_at: '2030-01-31T10:00:00.000Z' });
    await visit(`users/${id}?do=extend`);
    const form = page.getByRole('form', { name: 'Extend' });
    await expect(form.getByText(/^New end: 28 Feb 2030/)).toBeVisible();
    await form.getByRole('button', { name: '30 days' }).click();
    await expect(form.getByText(/^New end: 2 Mar 2030/)).toBeVisible();
    await form.getByRole('button', { name: '3 months' }).click();
    await form.getByRole('button', { name: 'Extend by 3 months' }).click();
    await expect(getToast(page, 'Ella Extend extended to 30 Apr 2030')).toBeVisible();
    expect((await readUser(panel, id)).expires_at).toMatch(/^2030-04-30T/);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(getToast(page, 'Undone')).toBeVisible();
    expect((await readUser(panel, id)).expires_at).toBe('2030-01-31T10:00:00.000Z');
  });

  test('says before and after that the counter of an expired user begins again, and undoes it', async ({
    page,
    panel,
    visit,
  }) => {
    const found = await otherWindow(panel).call('listUsers', { traffic_low: false, connected: true, state: 'active' });
    const { id = 0, name = '' } = found.body.items[0] ?? {};
    const past = '2026-01-31T10:00:00.000Z';
    await otherWindow(panel).call('updateUser', { id, reset_strategy: 'period', expires_at: past });
    const { used_down: used } = await readUser(panel, id);
    await visit(`users/${id}?do=extend`);
    const form = page.getByRole('form', { name: 'Extend' });
    await expect(form.getByText(/the traffic counter is reset, .+ used until now/)).toBeVisible();
    await form.getByRole('button', { name: 'Extend by 1 month' }).click();
    await expect(getToast(page, `${name} extended to`)).toContainText('the traffic counter is reset');
    expect(await readUser(panel, id)).toMatchObject({ state: 'active' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(getToast(page, 'Undone')).toBeVisible();
    const after = await readUser(panel, id);
    expect(after).toMatchObject({ state: 'expired', expires_at: past });
    // What the node of a demonstration counted meanwhile is added.
    expect(after.used_down).toBeGreaterThanOrEqual(used);
  });

  test('says over which nodes bytes moved, also after the cut, and which connections there are', async ({
    page,
    panel,
    visit,
  }) => {
    const { id } = await makeUser(panel, 'Carl Cut', { inbounds: [1], enabled: false });
    const { body: connection } = await otherWindow(panel).call('getInbound', { id: 1 });
    // No demonstration has a user who goes on after the cut, nor a deleted node.
    await page.route('**/panel/getUser', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), after_cut_up: 400, after_cut_down: 4600 } });
    });
    await page.route('**/panel/getUserTrafficByNode', async (route) => {
      const response = await route.fetch();
      const nodes = [
        { node_id: 1, name: 'Frankfurt', up: 1000, down: 9000 },
        { node_id: 99, name: null, up: 0, down: 2000 },
      ];
      await route.fulfill({ response, json: { ...(await response.json()), nodes } });
    });
    await visit(`users/${id}`);
    const record = page.getByRole('dialog');
    await expect(record.getByText('Traffic since then over connections that were still open: 5 kB.')).toBeVisible();
    await expect(
      record.getByText(/New connections are refused at once\. Open ones over Hysteria2 and gRPC are closed/).first(),
    ).toBeVisible();
    await expect(record.getByText('If three polls in a row find more, the engine is restarted')).toBeVisible();
    await expect(record.getByRole('link', { name: 'Frankfurt', exact: true })).toBeVisible();
    await expect(record.getByText('Deleted node 99')).toBeVisible();
    await expect(record.getByRole('link', { name: connection.name, exact: true })).toBeVisible();
    await expectAccessible(page, 'a user who is cut off');
    // A reply that is still being changed belongs to this test.
    await page.unrouteAll({ behavior: 'wait' });
  });

  test('says that a user is cut off over addresses, and until when, and has their limit', async ({
    page,
    panel,
    visit,
  }) => {
    const { id } = await makeUser(panel, 'Adam Addresses');
    const until = '2099-11-20T10:20:00.000Z';
    const concurrent_excess = {
      addresses: 6,
      at: '2026-11-20T10:15:00.000Z',
      cut_off_until: until,
      cut_off_node_id: null,
    };
    // Takes minutes and an engine.
    await page.route('**/panel/{getUser,listUsers}', async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      const isOne = ({ name }: { name: string }) => name === 'Adam Addresses';
      const items = body.items?.map((user: { name: string }) => (isOne(user) ? { ...user, concurrent_excess } : user));
      await route.fulfill({ response, json: items ? { ...body, items } : { ...body, concurrent_excess } });
    });
    await visit(`users/${id}`);
    const record = page.getByRole('dialog');
    await expect(record.getByText(/^Blocked until 20 Nov 2099/)).toContainText(
      'was connected from 6 addresses at once',
    );
    await expectAccessible(page, 'a user who is cut off over addresses');
    await record.getByRole('button', { name: 'Change: Addresses at once' }).click();
    await record.getByRole('textbox', { name: 'Addresses at once' }).fill('7');
    await record.getByRole('button', { name: 'Save' }).click();
    await expect(getToast(page, /Adam Addresses: .* changed/)).toBeVisible();
    expect((await readUser(panel, id)).concurrent_limit).toBe(7);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('row', { name: /Adam Addresses/ })).toContainText('Blocked');
  });

  test('adds traffic to a user who has used everything up, and takes it back', async ({ page, panel, visit }) => {
    const { id } = await makeUser(panel, 'Gwen Grant', { enabled: false });
    await visit(`users/${id}`);
    await act(page, 'Add traffic');
    const form = page.getByRole('form', { name: 'Add traffic' });
    await form.getByRole('button', { name: 'Add traffic' }).click();
    await expect(form.getByText('Fill this in')).toBeVisible();
    await form.getByLabel('Amount').fill('10');
    await form.getByText('For days').click();
    await form.getByLabel('Days', { exact: true }).fill('5');
    await expectAccessible(page, 'the form of a grant');
    await form.getByRole('button', { name: 'Add traffic' }).click();
    await expect(getToast(page, '10 GB added for Gwen Grant')).toBeVisible();
    await expect(page.getByText('10 GB of 10 GB left')).toBeVisible();
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page
      .getByRole('dialog', { name: /Revoke 10 GB/ })
      .getByRole('button', { name: 'Revoke' })
      .click();
    await expect(page.getByText('10 GB of 10 GB left')).toHaveCount(0);
    expect((await readUser(panel, id)).traffic_extra).toBe(0);
  });

  test('changes a figure where it stands, and tells of another’s change instead of overwriting it', async ({
    page,
    panel,
    visit,
  }) => {
    const { id } = await makeUser(panel, 'Nora Note');
    await visit(`users/${id}`);
    await page.getByRole('button', { name: 'Change: Note' }).click();
    await expect(page.getByRole('textbox', { name: 'Note' })).toBeFocused();
    await page.getByRole('textbox', { name: 'Note' }).fill('Typed here');
    await otherWindow(panel).call('updateUser', { id, note: 'Typed elsewhere' });
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('Someone else has changed this')).toBeVisible();
    await expect(page.getByRole('textbox', { name: 'Note' })).toHaveValue('Typed here');
    await expectAccessible(page, 'a conflict');
    await page.getByRole('button', { name: 'Load the current values' }).click();
    await expect(page.getByRole('textbox', { name: 'Note' })).toHaveValue('Typed elsewhere');
    await page.getByRole('textbox', { name: 'Note' }).fill('Both');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(getToast(page, 'Nora Note: Note changed')).toBeVisible();
    expect((await readUser(panel, id)).note).toBe('Both');

    // The answer's own tag lets the next change follow at once.
    await page.getByRole('button', { name: 'Change: Devices' }).click();
    await page.getByRole('textbox', { name: 'Devices' }).fill('7');
    await page.keyboard.press('Enter');
    await expect(getToast(page, 'Nora Note: Devices changed')).toBeVisible();
    expect((await readUser(panel, id)).device_limit).toBe(7);
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await expect(getToast(page, 'Undone')).toBeVisible();

    await page.getByRole('button', { name: 'Change: Name' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('Fill this in')).toBeVisible();
    await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).click();
    await expect(page.getByRole('dialog', { name: 'Discard what you typed?' })).toBeVisible();
    await page.getByRole('button', { name: 'Discard' }).click();
    await expect(page).toHaveURL(/#\/users$/);
  });

  test('has the ids and data of other systems, which are changed and undone', async ({ page, panel, visit }) => {
    const { id } = await makeUser(panel, 'Mia Metadata', {
      external_id: 'crm-9',
      metadata: { source: 'landing', old: '1' },
    });
    await makeUser(panel, 'Noa Other', { telegram_id: 99001 });
    await visit(`users/${id}`);
    await expect(page.getByText('crm-9')).toBeVisible();
    await page.getByRole('button', { name: 'Change: Telegram ID' }).click();
    await page.getByRole('textbox', { name: 'Telegram ID' }).fill('99001');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('Another user has this Telegram ID.').first()).toBeVisible();
    await page.getByRole('textbox', { name: 'Telegram ID' }).fill('99002');
    await page.keyboard.press('Enter');
    await expect(getToast(page, 'Mia Metadata: Telegram ID changed')).toBeVisible();
    expect((await readUser(panel, id)).telegram_id).toBe(99_002);

    await page.getByRole('button', { name: 'Change: Metadata' }).click();
    await page.getByRole('button', { name: 'Remove row 2' }).click();
    await page.getByRole('textbox', { name: 'Text 1' }).fill('friend');
    await page.getByRole('button', { name: 'Add a row' }).click();
    await page.getByRole('textbox', { name: 'Name 2' }).fill('source');
    await page.getByRole('textbox', { name: 'Text 2' }).fill('twice');
    await expectAccessible(page, 'the editor of metadata');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('Duplicates are not allowed')).toBeVisible();
    await page.getByRole('textbox', { name: 'Name 2' }).fill('campaign');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(getToast(page, 'Mia Metadata: Metadata changed')).toBeVisible();
    expect((await readUser(panel, id)).metadata).toEqual({ source: 'friend', campaign: 'twice' });
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await expect(getToast(page, 'Undone')).toBeVisible();
    expect((await readUser(panel, id)).metadata).toEqual({ source: 'landing', old: '1' });
    await expect(page.getByText('Changed: metadata', { exact: false }).first()).toBeVisible();
  });

  test('asks before what cannot be undone, by name before it deletes', async ({ page, panel, visit }) => {
    const { id } = await makeUser(panel, 'Rita Gone');
    const { sub_url: link } = await readUser(panel, id);
    await visit(`users/${id}`);
    await act(page, 'Reissue link');
    const reissue = page.getByRole('dialog', { name: 'Reissue the link of Rita Gone?' });
    await expect(reissue.getByText('stop working at once')).toBeVisible();
    await expectAccessible(page, 'reissue');
    await reissue.getByRole('button', { name: 'Reissue link' }).click();
    await expect(getToast(page, 'Rita Gone has a new link')).toBeVisible();
    expect((await readUser(panel, id)).sub_url).not.toBe(link);
    // No machine of the demonstration takes links.
    const former = page.getByRole('group').filter({ hasText: 'The old link has not worked here since' });
    await expect(former).toContainText('4 nodes have not been reached since.');
    await expect(former.getByText(/^not reached since: may still serve it; last seen/)).toHaveCount(4);
    await expectAccessible(page, 'a user whose link was reissued');

    await act(page, 'Reset traffic');
    await page
      .getByRole('dialog', { name: /Reset the traffic/ })
      .getByRole('button', { name: 'Reset traffic' })
      .click();
    await expect(getToast(page, 'Traffic of Rita Gone reset')).toBeVisible();
    await expect(page.getByText('Link reissued')).toBeVisible();

    await act(page, 'Delete');
    const remove = page.getByRole('dialog', { name: 'Delete Rita Gone?' });
    await expect(remove.getByRole('button', { name: 'Delete' })).toBeDisabled();
    await remove.getByRole('textbox').fill('Rita Gone');
    await remove.getByRole('button', { name: 'Delete' }).click();
    await expect(getToast(page, 'Rita Gone deleted')).toBeVisible();
    await expect(page).toHaveURL(/#\/users$/);
    expect((await otherWindow(panel).call('getUser', { id })).status).toBe(404);
  });
});

test.describe('adding users', () => {
  test('makes one, and opens its record with the link', async ({ page, visit }) => {
    await visit('users');
    await page.getByRole('button', { name: 'Add users' }).click();
    const form = page.getByRole('dialog', { name: 'Add users' });
    await form.getByRole('button', { name: 'Add', exact: true }).click();
    await expect(form.getByText('Fill this in')).toBeVisible();
    await form.getByLabel('Name').fill('Olga New');
    await form.getByLabel('Contact').fill('@olga');
    await form.getByRole('button', { name: 'Add', exact: true }).click();
    await expect(page.getByRole('dialog', { name: 'Olga New' })).toBeVisible();
    await expect(page.getByText('/sub/')).toBeVisible();
    await page.getByRole('button', { name: 'QR code' }).click();
    await expect(page.getByRole('img', { name: 'QR code of the link of Olga New' })).toBeVisible();
  });

  test('sends nothing before the plans have come', async ({ page, visit }) => {
    const calls = await interceptCalls(page);
    const plans = Promise.withResolvers<void>();
    calls.answerWith(async (route) => {
      if (route.request().url().endsWith('/listTariffs')) await plans.promise;
      await route.fallback();
    });
    await visit('users/new');
    const form = page.getByRole('dialog', { name: 'Add users' });
    await form.getByLabel('Name').fill('Rosa Early');
    await page.keyboard.press('Control+Enter');
    await expect(form.getByRole('button', { name: 'Add', exact: true })).toHaveAttribute('data-loading', 'true');
    await expect(form.getByText('At least 1')).toHaveCount(0);
    plans.resolve();
    await expect(form.getByLabel('Plan').locator('option:checked')).toHaveText('Standard');
    await page.keyboard.press('Control+Enter');
    await expect(page.getByRole('dialog', { name: 'Rosa Early' })).toBeVisible();
  });

  test('makes many of pasted names, and says which line is wrong', async ({ page, visit }) => {
    await visit('users/new');
    const form = page.getByRole('dialog', { name: 'Add users' });
    // The plan that most users have stands there, although plans come after the form.
    await expect(form.getByLabel('Plan').locator('option:checked')).toHaveText('Standard');
    await expect(form.getByText('1 month · 200 GB')).toBeVisible();
    await expectRing(form.getByLabel('Tags'));
    await form.getByText('Several').click();
    await form.getByLabel('Names').fill(`Many One\t@one\n\nMany Two\n${'x'.repeat(101)}`);
    await form.getByRole('button', { name: 'Add 3 users' }).click();
    await expect(form.getByText('Line 3: At most 100 characters')).toBeVisible();
    await form.getByLabel('Names').fill('Many One\t@one\n\nMany Two');
    await form.getByRole('button', { name: 'Add 2 users' }).click();
    await expect(form.getByText('2 users added')).toBeVisible();
    await expect(form.getByLabel('Names')).toHaveValue('');
    await expectAccessible(page, 'many added');
    await visit('users?q=many+');
    await expect(page.getByRole('row')).toHaveCount(3);
  });
});

test.describe('many at once', () => {
  test('says first what will happen, then does it, tells of each, and undoes it', async ({ page, panel, visit }) => {
    for (const name of ['Bulk A', 'Bulk B', 'Bulk C']) await makeUser(panel, name, { tags: ['bulked'] });
    await makeUser(panel, 'Bulk D', { tags: ['bulked'], enabled: false, expires_at: null });
    await visit('users?tag=bulked');
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page.getByRole('toolbar').getByRole('button', { name: 'Disable' }).click();
    const drawer = page.getByRole('dialog');
    await expect(drawer.getByText('3 will change')).toBeVisible();
    await expect(drawer.getByText('1 is disabled already')).toBeVisible();
    await expectAccessible(page, 'a dry run');
    await drawer.getByRole('button', { name: 'Disable 3 users' }).click();
    await prove(page);
    await expect(drawer.getByText('3 changed')).toBeVisible();
    await expect(drawer.getByRole('link', { name: 'Bulk A' })).toBeVisible();
    await expect(drawer.getByText('Disabled already')).toBeVisible();
    await drawer.getByRole('button', { name: 'Undo' }).click();
    await expect(drawer.getByText('3 users restored')).toBeVisible();
    await expectAccessible(page, 'the results');
    await drawer.getByText('Close', { exact: true }).click();
    await expect(page.getByRole('toolbar')).toHaveCount(0);
    await expect(page.getByRole('button', { name: 'Disabled 1' })).toBeVisible();

    await page.getByRole('checkbox', { name: 'Select Bulk D' }).check();
    await page.getByRole('button', { name: 'Select all 4 that match' }).click();
    await page.getByRole('toolbar').getByRole('button', { name: 'Extend' }).click();
    await expect(drawer.getByText('All matching users')).toBeVisible();
    await expect(drawer.getByText('1 has no end date: unchanged')).toBeVisible();
    await drawer.getByRole('button', { name: 'Extend 3 users' }).click();
    await expect(drawer.getByText('No end date: unchanged')).toBeVisible();
    await drawer.getByText('Close', { exact: true }).click();

    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click();
    const goes = drawer.getByRole('listitem').filter({ hasText: '4 will be deleted permanently' });
    await expect(goes).toHaveAttribute('data-tone', 'bad');
    await expect(goes.locator('.tabler-icon-check')).toHaveCount(0);
    const remove = drawer.getByRole('button', { name: 'Delete 4 users' });
    await expect(remove).toBeDisabled();
    await drawer.getByLabel('Type 4 to confirm').fill('4');
    await remove.click();
    await expect(drawer.getByText('4 deleted')).toBeVisible();
    await drawer.getByText('Close', { exact: true }).click();
    await expect(page.getByText('No matching users')).toBeVisible();
  });

  test('shows the difference for each user before, and the act in their history and the audit log after', async ({
    page,
    panel,
    visit,
  }) => {
    const ended = await makeUser(panel, 'Time Ended', { tags: ['time'], expires_at: '2020-01-31T10:00:00.000Z' });
    await makeUser(panel, 'Time Going', { tags: ['time'], expires_at: '2090-01-31T10:00:00.000Z' });
    await makeUser(panel, 'Time Endless', { tags: ['time'], expires_at: null });
    await visit('users?tag=time');
    await expect(page.getByRole('checkbox', { name: 'Select Time Ended' })).toBeVisible();
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page.getByRole('toolbar').getByRole('button', { name: 'Extend' }).click();
    const drawer = page.getByRole('dialog');
    await expect(drawer.getByText('2 will change')).toBeVisible();
    const rows = drawer.getByRole('region', { name: 'User by user' }).getByRole('listitem');
    await expect(rows.filter({ hasText: 'Time Going' })).toContainText('31 Jan 2090 → 28 Feb 2090');
    await expect(rows.filter({ hasText: 'Time Ended' })).toContainText('Expired → Active');
    await expect(rows.filter({ hasText: 'Time Endless' })).toContainText('No end date: unchanged');
    await expectAccessible(page, 'the preview of a bulk');
    await drawer.getByRole('button', { name: 'Extend 2 users' }).click();
    await expect(drawer.getByText('2 changed')).toBeVisible();
    await expect(drawer.getByText('No end date: unchanged')).toBeVisible();
    await drawer.getByText('Close', { exact: true }).click();
    await expect(drawer).toHaveCount(0);

    await visit(`users/${ended.id}`);
    await page.getByRole('link', { name: 'Extended by 1 month, with 1 other user' }).click();
    const entry = page.getByRole('dialog', { name: 'Changed many users' });
    const changed = entry.getByRole('list', { name: 'Changed users' });
    await expect(changed.getByRole('link')).toHaveText(['Time Ended', 'Time Going']);
    await expectAccessible(page, 'whom a bulk changed');

    await otherWindow(panel).call('updateUser', { id: ended.id, note: 'paid' });
    await page.reload();
    await entry.getByRole('button', { name: 'Undo' }).click();
    await expect(entry.getByText('1 user restored')).toBeVisible();
    await expect(entry.getByText('Changed since then')).toBeVisible();
    await expectAccessible(page, 'who stays when a bulk is undone');
    expect((await readUser(panel, ended.id)).state).toBe('active');
  });

  test('gives traffic, another plan, tags and connections, and takes a tag back', async ({ page, panel, visit }) => {
    const { call } = otherWindow(panel);
    const plan = (await call('createTariff', { name: 'Bulk plan', duration: { days: 10 } })).body;
    const crowd: number[] = [];
    for (const name of ['Crowd A', 'Crowd B', 'Crowd C']) {
      crowd.push((await makeUser(panel, name, { note: 'crowd', tags: name === 'Crowd C' ? ['paid'] : [] })).id);
    }
    const [first = 0, , third = 0] = crowd;
    const drawer = page.getByRole('dialog');
    await visit('users?q=crowd');
    await expect(page.getByRole('checkbox', { name: 'Select Crowd C' })).toBeVisible();
    const choose = async (name: string) => {
      await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
      await page.getByRole('toolbar').getByRole('button', { name: 'More' }).click();
      await page.getByRole('menuitem', { name }).click();
    };

    await choose('Add traffic');
    await expect(drawer.getByText('Fill in the fields above for a preview.')).toBeVisible();
    const give = drawer.getByRole('button', { name: 'Add traffic for 3 users' });
    await expect(give).toBeDisabled();
    await drawer.getByLabel('Amount').fill('10');
    await drawer.getByText('For days').click();
    await drawer.getByLabel('Days', { exact: true }).fill('9999');
    await expect(drawer.getByText('At most 3650')).toBeVisible();
    await expect(give).toBeDisabled();
    await drawer.getByLabel('Days', { exact: true }).fill('5');
    await drawer.getByLabel('Note').fill('Outage');
    await expect(drawer.getByText('3 will change')).toBeVisible();
    await expectAccessible(page, 'a grant for many');
    await give.click();
    await expect(getToast(page, 'Traffic added for 3 users')).toBeVisible();
    const grants = await call('listGrants', { id: first });
    expect(grants.body.items).toMatchObject([{ bytes: 10_000_000_000, lifetime: 'days', days: 5, note: 'Outage' }]);
    await drawer.getByText('Close', { exact: true }).click();

    await choose('Change the plan');
    await expect(drawer.getByText('resets the counter', { exact: false })).toBeVisible();
    await drawer.getByLabel('New plan').selectOption('Bulk plan');
    await expect(drawer.getByText('3 will change')).toBeVisible();
    await expectAccessible(page, 'a plan for many');
    await drawer.getByRole('button', { name: 'Change the plan of 3 users' }).click();
    await expect(getToast(page, 'Plan of 3 users changed')).toBeVisible();
    expect((await readUser(panel, third)).tariff_id).toBe(plan.id);
    await drawer.getByText('Close', { exact: true }).click();

    await choose('Add tags');
    await drawer.getByLabel('Tags').fill('paid');
    await page.keyboard.press('Enter');
    await expect(drawer.getByText('2 will change')).toBeVisible();
    await expect(drawer.getByText('1 has these tags already')).toBeVisible();
    await expectAccessible(page, 'tags for many');
    await drawer.getByRole('button', { name: 'Add tags to 2 users' }).click();
    await expect(getToast(page, 'Tags added to 2 users')).toBeVisible();
    expect((await readUser(panel, first)).tags).toEqual(['paid']);
    await drawer.getByRole('button', { name: 'Undo' }).click();
    await expect(drawer.getByText('2 users restored')).toBeVisible();
    expect((await readUser(panel, first)).tags).toEqual([]);
    expect((await readUser(panel, third)).tags).toEqual(['paid']);
    await drawer.getByText('Close', { exact: true }).click();

    await choose('Remove tags');
    await drawer.getByLabel('Tags').fill('paid');
    await page.keyboard.press('Enter');
    await expect(drawer.getByText('2 do not have these tags')).toBeVisible();
    await drawer.getByRole('button', { name: 'Remove tags from 1 user' }).click();
    await expect(getToast(page, 'Tags removed from 1 user')).toBeVisible();
    expect((await readUser(panel, third)).tags).toEqual([]);
    await drawer.getByText('Close', { exact: true }).click();

    await choose('Change the connections');
    await expect(drawer.getByText('3 have these connections already')).toBeVisible();
    await drawer.getByText('Selected', { exact: true }).click();
    await drawer.getByRole('checkbox', { name: 'Frankfurt, fast' }).uncheck();
    await expect(drawer.getByText('3 will change')).toBeVisible();
    await expect(drawer.getByText(/^All connections → Frankfurt, spare · /).first()).toBeVisible();
    await expectAccessible(page, 'connections for many');
    await drawer.getByRole('button', { name: 'Change the connections of 3 users' }).click();
    await expect(getToast(page, 'Connections of 3 users changed')).toBeVisible();
    expect((await readUser(panel, first)).inbounds).not.toContain(1);
    await drawer.getByText('Close', { exact: true }).click();

    await choose('Move to other connections');
    const from = drawer.getByRole('group', { name: 'Away from', exact: true });
    await from.getByRole('checkbox', { name: 'Frankfurt, spare' }).check();
    const to = drawer.getByRole('group', { name: 'To', exact: true });
    await to.getByRole('checkbox', { name: 'Frankfurt, fast' }).check();
    await expect(drawer.getByText('3 will change')).toBeVisible();
    await expectAccessible(page, 'a move to other connections');
    await drawer.getByRole('button', { name: 'Move 3 users to other connections' }).click();
    await expect(getToast(page, '3 users moved to other connections')).toBeVisible();
    const { inbounds } = await readUser(panel, first);
    expect([inbounds?.includes(1), inbounds?.includes(2)]).toEqual([true, false]);
  });
});
