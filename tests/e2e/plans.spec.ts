// Plans: made, copied, changed with a way back, archived while someone has them, deleted by name where no user has them.
import { expectAccessible } from './support/axe.ts';
import { expect, test } from './support/fixtures.ts';
import { getToast } from './support/toast.ts';

test('are made, copied and deleted by name', { tag: '@smoke' }, async ({ page, visit }) => {
  await visit('plans');
  await page.keyboard.press('n');
  const form = page.getByRole('dialog', { name: 'Add a plan' });
  await expect(form.getByLabel('Name')).toBeFocused();
  await form.getByRole('button', { name: 'Add plan' }).click();
  await expect(form.getByText('Fill this in')).toBeVisible();
  await expectAccessible(page, 'the form of a plan');

  await form.getByLabel('Name').fill('Weekend <b>20</b>');
  await form.getByLabel('Traffic limit').fill('20');
  await form.getByLabel('Price').fill('1.5');
  await page.keyboard.press('Control+Enter');
  await expect(getToast(page, 'Plan Weekend <b>20</b> added')).toBeVisible();
  const row = page.getByRole('row', { name: /Weekend <b>20/ });
  await expect(row).toContainText('20 GB');
  await expect(row).toContainText('€1.50');

  await row.getByRole('button', { name: /More actions/ }).click();
  await page.getByRole('menuitem', { name: 'Duplicate' }).click();
  const copy = page.getByRole('dialog', { name: 'Copy of Weekend <b>20</b>' });
  await expect(copy.getByLabel('Traffic limit')).toHaveValue('20');
  await copy.getByLabel('Name').fill('Weekend 40');
  await copy.getByRole('button', { name: 'Add plan' }).click();
  await expect(page.getByRole('link', { name: 'Weekend 40' })).toBeVisible();
  await expect(page).toHaveURL(/#\/plans$/);

  await row.getByRole('button', { name: /More actions/ }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const question = page.getByRole('dialog', { name: 'Delete Weekend <b>20</b>' });
  await expect(question.getByRole('button', { name: 'Delete' })).toBeDisabled();
  await question.getByRole('textbox').fill('Weekend <b>20</b>');
  await expectAccessible(page, 'the question before a deletion');
  await question.getByRole('button', { name: 'Delete' }).click();
  await expect(row).toHaveCount(0);
});

test('in use are archived, and can be offered again', async ({ page, panel, visit }) => {
  const made = await panel.administrator?.call('createTariff', { name: 'Has a user' });
  await panel.administrator?.call('createUser', { name: 'Only one', tariff_id: made?.body.id ?? 0 });
  await visit(`plans/${made?.body.id}`);
  const record = page.getByRole('dialog', { name: 'Has a user' });
  await expect(record.getByText('Changes apply to new users.')).toBeVisible();
  await record.getByRole('button', { name: /More actions/ }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const question = page.getByRole('dialog', { name: 'Has a user cannot be deleted' });
  await expect(question.getByText('1 user has this plan.')).toBeVisible();
  await question.getByRole('button', { name: 'Archive' }).click();
  await expect(page.getByText('Plan Has a user archived')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Has a user' })).toHaveCount(0);

  await page.getByRole('button', { name: /^Archived/ }).click();
  await expect(page.getByRole('link', { name: 'Has a user' })).toBeVisible();
  await expectAccessible(page, 'archived plans');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(getToast(page, 'Undone')).toBeVisible();
  await page.getByRole('button', { name: /^Offered/ }).click();
  await expect(page.getByRole('link', { name: 'Has a user' })).toBeVisible();
});

test('that another changes meanwhile appear, and nothing typed is lost', async ({ page, panel, visit }) => {
  const made = await panel.administrator?.call('createTariff', { name: 'Before' });
  const id = made?.body.id ?? 0;
  await visit(`plans/${id}`);
  const record = page.getByRole('dialog');
  await record.getByLabel('Name').fill('Mine');
  await panel.administrator?.call('updateTariff', { id, name: 'A bot was here' });
  await expect(page.locator('table').getByText('A bot was here')).toBeVisible();
  await record.getByRole('button', { name: 'Save' }).click();
  await expect(record.getByText('Someone else has changed this')).toBeVisible();
  await expect(record.getByLabel('Name')).toHaveValue('Mine');
  await record.getByRole('button', { name: 'Load the current values' }).click();
  await expect(record.getByLabel('Name')).toHaveValue('A bot was here');
});

test('that are half typed are not discarded by Back without a question, and saving asks nothing', async ({
  page,
  visit,
}) => {
  await visit('plans');
  const form = page.getByRole('dialog', { name: 'Add a plan' });
  const question = page.getByRole('dialog', { name: 'Discard what you typed?' });
  const add = page.getByRole('button', { name: 'Add a plan' });
  await add.click();
  await form.getByLabel('Name').fill('Half a plan');
  await page.goBack();
  await expectAccessible(page, 'the question over a form');
  await question.getByRole('button', { name: 'Discard' }).click();
  await expect(form).toBeHidden();
  await expect(page).toHaveURL(/#\/plans$/);

  await add.click();
  await expect(form.getByLabel('Name')).toHaveValue('');
  await form.getByLabel('Name').fill('A whole plan');
  await page.goBack();
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(question).toHaveCount(0);
  await expect(page).toHaveURL(/#\/plans\/new$/);
  await expect(form.getByLabel('Name')).toHaveValue('A whole plan');
  await form.getByRole('button', { name: 'Add plan' }).click();
  await expect(getToast(page, 'Plan A whole plan added')).toBeVisible();
  await expect(form).toBeHidden();
  await expect(page).toHaveURL(/#\/plans$/);
  await expect(question).toHaveCount(0);
});

test.describe('in Russian, dark and on a phone', () => {
  test.use({ view: { locale: 'ru', theme: 'dark' }, viewport: { width: 360, height: 740 } });

  test('can be used by everybody', async ({ page, visit }) => {
    await visit('plans/new');
    await expect(page.getByRole('dialog', { name: 'Добавить тариф' })).toBeVisible();
    await expectAccessible(page, 'the form of a plan');
    await page.keyboard.press('Escape');
    await expect(page.getByRole('heading', { name: 'Тарифы', level: 1 })).toBeVisible();
    await expectAccessible(page, 'plans');
    expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
  });
});
