// The overview: figures that lead to their lists, traffic over time, what needs attention, and changes that appear by themselves.
import { expectAccessible } from './support/axe.ts';
import { expect, LOOKS, test } from './support/fixtures.ts';
import { prove } from './support/settings.ts';

test('shows how the service is, and each figure leads to its list', async ({ page, visit }) => {
  await visit('overview');
  await expect(page).toHaveTitle('Overview · Gatehouse');
  const figures = page.getByRole('region', { name: 'Figures' });
  await expect(figures.getByText(/^of 2\d\d$/)).toBeVisible();
  await figures.getByRole('link', { name: /Active users/ }).click();
  await expect(page).toHaveURL(/#\/users\?state=active$/);
  await page.goBack();
  await expect(page).toHaveURL(/#\/overview$/);
  await figures.getByRole('link', { name: /Expiring/ }).click();
  await expect(page).toHaveURL(/#\/users\?.*expires_before=/);
});

test('draws traffic by range and by node, and tells each step to pointer and keyboard', async ({ page, visit }) => {
  await visit('overview');
  const card = page.getByRole('region', { name: 'Traffic', exact: true });
  const chart = card.getByRole('slider');
  await expect(card.locator('canvas')).toBeVisible();
  await expect(chart).toHaveAttribute('aria-valuemax', '23');

  await card.getByText('7 days').click();
  await expect(page).toHaveURL(/range=7d/);
  await expect(chart).toHaveAttribute('aria-valuemax', '167');
  await card.getByText('30 days').click();
  await expect(chart).toHaveAttribute('aria-valuemax', '29');

  await card.getByText('By node').click();
  await expect(page).toHaveURL(/by=node/);
  const frankfurt = card.getByRole('button', { name: /Frankfurt/ });
  await expect(frankfurt).toHaveAttribute('aria-pressed', 'true');
  await frankfurt.click();
  await expect(frankfurt).toHaveAttribute('aria-pressed', 'false');

  await chart.focus();
  await page.keyboard.press('Home');
  await expect(chart).toHaveAttribute('aria-valuenow', '0');
  await page.keyboard.press('ArrowRight');
  await expect(chart).toHaveAttribute('aria-valuenow', '1');
  await expect(chart).toHaveAttribute('aria-valuetext', /2026|20\d\d.*: .*(GB|MB|kB)/);
  await chart.hover({ position: { x: 400, y: 100 } });
  await expect(card.getByText('Total', { exact: true }).last()).toBeVisible();

  await page.reload();
  await expect(chart).toHaveAttribute('aria-valuemax', '29');
});

test('counts users by plan, each of which leads to its users', async ({ page, visit }) => {
  await visit('overview');
  const card = page.getByRole('region', { name: 'Users by plan' });
  await expect(card.getByText(/^In 30 days: \d+ new, \d+ expired$/)).toBeVisible();
  await card.getByRole('link', { name: /^Unlimited \d+ active of \d+$/ }).click();
  await expect(page).toHaveURL(/#\/users\?tariff_id=5$/);
});

test('names what needs attention, with the way to mend it', async ({ page, visit }) => {
  await visit('overview');
  const card = page.getByRole('region', { name: 'Needs attention' });
  await expect(card.getByText('New York is down')).toBeVisible();
  await card.getByRole('link', { name: 'Open node' }).click();
  await expect(page).toHaveURL(/#\/nodes\/\d+$/);
  await page.goBack();
  await card.getByRole('button', { name: 'Back up now' }).click();
  await prove(page);
  await expect(page.getByRole('status').filter({ hasText: 'Backup made' })).toBeVisible();
  await expect(card.getByText('There is no backup yet')).toBeHidden();
});

test('a change by a bot appears without a reload', async ({ page, panel, visit }) => {
  await visit('overview');
  const active = page.getByRole('link', { name: /Active users/ });
  await expect(page.getByRole('status', { name: /Panel status/ })).toHaveAttribute('data-tone', /ok|warn/);
  // Other tests have made users of their own here.
  const before = Number(/of (\d+)/.exec(await active.innerText())?.[1]);
  expect(before).toBeGreaterThan(0);
  const { body } = (await panel.administrator?.call('listTariffs', {})) ?? {};
  await panel.administrator?.call('createUser', { name: 'Made by a bot', tariff_id: body?.items[0]?.id ?? 0 });
  await expect(active).toContainText(`of ${before + 1}`);
});

for (const { locale, theme } of LOOKS) {
  test.describe(`${locale} ${theme}`, () => {
    test.use({ view: { locale, theme } });
    test('can be used by everybody, wide and narrow', async ({ page, visit }) => {
      await visit('overview');
      await expect(page.locator('html')).toHaveAttribute('lang', locale);
      await expect(page.locator('canvas')).toBeVisible();
      await expectAccessible(page, `overview ${locale} ${theme}`);
      await page.setViewportSize({ width: 360, height: 740 });
      await expectAccessible(page, `overview ${locale} ${theme} 360 px`);
      const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      expect(isWide).toBe(false);
    });
  });
}
