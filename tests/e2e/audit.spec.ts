// The audit log: who did what on what, found by filter and by text, and taken along as a file.
import { readFileSync } from 'node:fs';
import { expectAccessible } from './support/axe.ts';
import { expect, test } from './support/fixtures.ts';

test('tells what another hand did as it happens, and leads to the record', async ({ page, panel, visit }) => {
  await visit('audit');
  const { body: user } = (await panel.administrator?.call('createUser', { name: 'Watched', tariff_id: 1 })) ?? {};
  await panel.administrator?.call('extendUser', { id: user?.id ?? 0, months: 2 });
  const row = page.getByRole('row', { name: /Extended a user/ }).first();
  await expect(row).toContainText('2 months');
  await expect(row).toContainText('Watched');
  await expect(row).toContainText('admin');
  await expectAccessible(page, 'the audit log');

  await row.getByRole('link', { name: 'Extended a user' }).click();
  const record = page.getByRole('dialog', { name: 'Extended a user' });
  await expect(record.getByText('extendUser')).toBeVisible();
  await expectAccessible(page, 'an entry of the audit log');
  await page.reload();
  await expect(record.getByText('extendUser')).toBeVisible();
  await record.getByRole('link', { name: 'All actions on this record' }).click();
  await expect(page.getByText('Target: Watched')).toBeVisible();
  await expect(page.getByRole('row')).toHaveCount(3);
  await page
    .getByRole('row', { name: /Added a user/ })
    .getByRole('link', { name: /Watched/ })
    .click();
  await expect(page).toHaveURL(new RegExp(`#/users/${user?.id}$`));
});

test('names the administrator who signed in, and who only tried', async ({ page, visit }) => {
  await visit('audit?action=signIn');
  const done = page.getByRole('row', { name: /Signed in/ }).first();
  await expect(done).toContainText('admin');
  await expect(page.getByRole('row', { name: /Signed in.*Not signed in/ })).toHaveCount(0);
});

test('is filtered, searched and exported', { tag: '@smoke' }, async ({ page, panel, visit }) => {
  await panel.administrator?.call('createTariff', { name: '=HYPERLINK("evil")' });
  await panel.administrator?.call('createNode', { name: 'Audited node', address: 'a.example.net' });
  await visit('audit');
  await page.getByRole('button', { name: 'Filter' }).click();
  await page
    .getByRole('dialog', { name: 'Filter' })
    .getByLabel('What', { exact: true })
    .selectOption({ label: 'Added a plan' });
  await expectAccessible(page, 'the filter of the audit log');
  await page.keyboard.press('Escape');
  await expect(page.getByText('What: Added a plan')).toBeVisible();
  await expect(page.getByRole('row', { name: /Added a node/ })).toHaveCount(0);

  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export CSV' }).click();
  const path = await (await download).path();
  const file = readFileSync(path, 'utf8');
  expect(file).toContain('createTariff,Added a plan,done,tariff:');
  expect(file.split('\r\n').filter((line) => /(^|,)=/.test(line))).toEqual([]);

  await page.getByRole('button', { name: 'Remove the filter What: Added a plan' }).click();
  await page.keyboard.press('/');
  await page.keyboard.type('audited node');
  await expect(page.getByText(/1 found in all [\d,]+ entries/)).toBeVisible();
  await expect(page.getByRole('row')).toHaveCount(2);
  await page.getByLabel('Search', { exact: true }).fill('nothing has this');
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(page.getByRole('row', { name: /Added a node/ }).first()).toBeVisible();
});

test.describe('in Russian, dark and on a phone', () => {
  test.use({ view: { locale: 'ru', theme: 'dark' }, viewport: { width: 360, height: 740 } });

  test('can be used by everybody', async ({ page, visit }) => {
    await visit('audit');
    await expect(page.getByRole('row', { name: /Вход в панель|Настроена панель/ }).first()).toBeVisible();
    await expectAccessible(page, 'the audit log');
    await page
      .getByRole('link', { name: /Вход в панель|Настроена панель/ })
      .first()
      .click();
    await expect(page.getByRole('dialog')).toBeVisible();
    await expectAccessible(page, 'an entry');
    expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
  });
});
