// What goes wrong between a form and the panel: each failure is explained in words, and nothing that was typed is lost.
import { expectAccessible } from './support/axe.ts';
import { expect, test } from './support/fixtures.ts';
import { type InterceptedCalls, interceptCalls } from './support/intercept.ts';
import { getToast } from './support/toast.ts';
import { otherWindow } from './support/users.ts';

/** Replies to one operation as the panel does when it refuses. */
function refuse(calls: InterceptedCalls, id: string, status: number, detail: string, headers = {}): void {
  calls.answerWith((route) => {
    if (!route.request().url().endsWith(`/panel/${id}`)) return route.fallback();
    return route.fulfill({
      status,
      headers: { 'content-type': 'application/problem+json', ...headers },
      body: JSON.stringify({ type: 'about:blank', title: detail, status, detail, instance: 'urn:panel:request:test' }),
    });
  });
}

test('a 429 says when to come again, and the same form then goes through', async ({ page, visit }) => {
  const calls = await interceptCalls(page);
  await visit('plans/new');
  const form = page.getByRole('dialog', { name: 'Add a plan' });
  await form.getByLabel('Name').fill('Too soon');
  refuse(calls, 'createTariff', 429, 'rate_limited', { 'retry-after': '7' });
  await form.getByRole('button', { name: 'Add plan' }).click();
  await expect(form.getByRole('alert')).toContainText('7 seconds');
  await expect(form.getByLabel('Name')).toHaveValue('Too soon');
  await expectAccessible(page, 'a 429');
  calls.restore();
  await form.getByRole('button', { name: 'Add plan' }).click();
  await expect(getToast(page, 'Plan Too soon added')).toBeVisible();
});

test('a 409 names what stands in the way', async ({ page, panel, visit }) => {
  const { body: node } = await otherWindow(panel).call('createNode', { name: 'Taken', address: 'taken.example.net' });
  const connection = { node_id: node.id, tag: 'taken-tag', name: 'First', protocol: 'vless', port: 4430 } as const;
  await otherWindow(panel).call('createInbound', connection);
  const calls = await interceptCalls(page);
  await visit('plans');
  const { body: plan } = await otherWindow(panel).call('createTariff', { name: 'Left behind' });
  await visit(`plans/${plan.id}`);
  const record = page.getByRole('dialog', { name: 'Left behind' });
  await record.getByLabel('Name').fill('Mine now');
  refuse(calls, 'updateTariff', 409, 'conflict');
  await record.getByRole('button', { name: 'Save' }).click();
  await expect(record.getByRole('alert')).toBeVisible();
  await expect(record.getByLabel('Name')).toHaveValue('Mine now');
  await expectAccessible(page, 'a 409');
  calls.restore();
  await record.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('link', { name: 'Mine now' })).toBeVisible();
});

test('a 412 offers the present values or saving over them', async ({ page, panel, visit }) => {
  const { body: plan } = await otherWindow(panel).call('createTariff', { name: 'Both change it' });
  await visit(`plans/${plan.id}`);
  const record = page.getByRole('dialog');
  await record.getByLabel('Name').fill('Mine');
  await otherWindow(panel).call('updateTariff', { id: plan.id, name: 'Theirs' });
  await record.getByRole('button', { name: 'Save' }).click();
  await expect(record.getByText('Someone else has changed this')).toBeVisible();
  await expect(record.getByLabel('Name')).toHaveValue('Mine');
  await expectAccessible(page, 'a 412');
  await record.getByRole('button', { name: /over|anyway/i }).click();
  await expect(page.getByRole('link', { name: 'Mine', exact: true })).toBeVisible();
});

test('a defect of the panel shows its request id', async ({ page, visit, watch }) => {
  watch.allow(/status of 500/);
  const calls = await interceptCalls(page);
  refuse(calls, 'listTariffs', 500, 'internal');
  await visit('plans');
  await expect(page.getByText('test', { exact: false }).first()).toBeVisible();
  await expect(page.getByRole('button', { name: 'Retry' })).toBeVisible();
  await expectAccessible(page, 'a list that could not be read');
  calls.restore();
  await page.getByRole('button', { name: 'Retry' }).click();
  await expect(page.getByRole('row').nth(1)).toBeVisible();
});

test('a lost connection in the middle of a form loses nothing', async ({ page, visit, watch }) => {
  watch.allow(/ERR_FAILED|ERR_CONNECTION|ERR_INTERNET/);
  const calls = await interceptCalls(page);
  await visit('users/new');
  const form = page.getByRole('dialog');
  await form.getByLabel('Name').first().fill('Typed before the line broke');
  calls.answerWith((route) => route.abort());
  await page.keyboard.press('Control+Enter');
  await expect(page.getByRole('alert').filter({ hasText: 'No connection to the panel.' })).toBeVisible();
  await expect(form.getByLabel('Name').first()).toHaveValue('Typed before the line broke');
  calls.restore();
  await expect(page.getByText('No connection to the panel.')).toBeHidden();
  await expect(form.getByLabel('Name').first()).toHaveValue('Typed before the line broke');
  await page.keyboard.press('Control+Enter');
  await expect(page.getByRole('dialog', { name: 'Typed before the line broke' })).toBeVisible();
});
