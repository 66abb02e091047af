// Why a user cannot connect: a pasted link leads to the diagnosis, whose buttons mend what it names.
import { expectAccessible } from './support/axe.ts';
import { expect, LOOKS, test } from './support/fixtures.ts';
import { makeUser, readUser } from './support/users.ts';

const OVER = '2024-01-31T10:00:00.000Z';

test('a pasted link opens the diagnosis of its user, and a button mends what it says', async ({
  page,
  panel,
  visit,
}) => {
  const { id } = await makeUser(panel, 'Ida Locked', { enabled: false, inbounds: [] });
  const link = String((await readUser(panel, id)).sub_url);
  await visit('nodes');
  await page.keyboard.press('ControlOrMeta+k');
  const search = page.getByRole('combobox');
  await search.fill(`happ://add/${link}`);
  await expect(page.getByRole('option', { name: /Why can't Ida Locked connect\?/ })).toBeVisible();
  await search.press('Enter');

  const section = page.getByRole('region', { name: "Why can't Ida Locked connect?" });
  await expect(section.getByText('This user cannot connect now.')).toBeVisible();
  await expect(section.getByText('Disabled by the administrator.')).toBeVisible();
  await expectAccessible(page, 'a diagnosis');
  await section.getByRole('button', { name: 'Enable now' }).click();
  await expect(section.getByText('Disabled by the administrator.')).toBeHidden();
  await section.getByRole('button', { name: 'Allow all connections' }).click();
  await expect(section.getByText('None of the enabled connections')).toBeHidden();
  const user = await readUser(panel, id);
  expect([user.enabled, user.inbounds]).toEqual([true, null]);
});

test('is asked in the record, and leads to the form that extends', async ({ page, panel, visit }) => {
  const { id } = await makeUser(panel, 'Ida Over', { expires_at: OVER });
  await visit(`users/${id}`);
  await page.getByRole('button', { name: "Why can't they connect?" }).click();
  const section = page.getByRole('region', { name: "Why can't Ida Over connect?" });
  await expect(section.getByText(/^Blocks the user: The term ended 31 Jan 2024/)).toBeVisible();
  await section.getByRole('button', { name: 'Extend the term' }).click();
  await expect(page.getByRole('form', { name: 'Extend' })).toBeVisible();
  await section.getByRole('button', { name: 'Close' }).click();
  await expect(section).toBeHidden();
});

test('a link that was replaced is said to be one', async ({ page, visit }) => {
  await visit('users');
  await page.keyboard.press('ControlOrMeta+k');
  await page.getByRole('combobox').fill('https://panel.example/sub/aaaaaaaaaaaaaaaaaaaaaa');
  await expect(page.getByRole('option', { name: /An unknown subscription link/ })).toBeVisible();
});

for (const { locale, theme } of LOOKS) {
  test.describe(`in ${locale}, ${theme}`, () => {
    test.use({ view: { locale, theme }, viewport: { width: 390, height: 800 } });
    test('fits a phone', async ({ page, panel, visit }) => {
      const { id } = await makeUser(panel, 'Ida Phone', { expires_at: OVER });
      await visit(`users/${id}?do=diagnose`);
      const section = page.getByRole('region', { name: /Ida Phone/ });
      await expect(section.getByRole('listitem').first()).toBeVisible();
      const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      expect(isWide).toBe(false);
      await expectAccessible(page, `a diagnosis in ${locale}, ${theme}`);
    });
  });
}
