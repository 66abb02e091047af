// The shared components in a browser, without a panel: lists by mouse and keyboard, a million rows, forms and questions.
import { test as base, expect, type Page } from '@playwright/test';
import { expectAccessible } from './support/axe.ts';
import { type ServedGallery, serveGallery } from './support/gallery.ts';
import { getToast } from './support/toast.ts';
import { watchPage } from './support/watch.ts';

const test = base.extend<{ readonly open: (page: string) => Promise<void> }, { readonly gallery: ServedGallery }>({
  gallery: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from the pattern.
    async ({}, use) => {
      const gallery = await serveGallery();
      await use(gallery);
      await gallery[Symbol.asyncDispose]();
    },
    { scope: 'worker' },
  ],
  open: async ({ page, gallery }, use) => {
    const watch = await watchPage(page, new URL(gallery.url).origin);
    await use(async (name) => {
      await page.goto(`${gallery.url}#/${name}`);
      await page.getByRole('main').waitFor();
    });
    expect(watch.complaints()).toEqual([]);
  },
});

const PAGES = ['small', 'table', 'states', 'form'] as const;

for (const name of PAGES) {
  test(`${name}: everybody can use it, in both themes and narrow`, async ({ page, open }) => {
    await open(name);
    for (const theme of ['light', 'dark']) {
      await page.getByRole('radiogroup', { name: 'Theme' }).getByText(theme, { exact: true }).click();
      await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', theme);
      await expectAccessible(page, `${name} ${theme}`);
    }
    await page.setViewportSize({ width: 360, height: 740 });
    await expectAccessible(page, `${name} 360 px`);
  });
}

/** The names of the rows on screen, from the top. */
const readNames = (page: Page) => page.locator('tr[data-index] a').allInnerTexts();
const row = (page: Page, index: number) => page.locator(`tr[data-index="${index}"]`);

test.describe('a list of a million rows', () => {
  test('shows its beginning, its end and what is between', async ({ page, open }) => {
    await open('table');
    await expect(row(page, 0)).toContainText('1000000');
    const scroller = page.locator('table').locator('..');
    await scroller.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await expect(row(page, 999_999)).toBeVisible();
    await expect(row(page, 999_999).getByRole('link')).toHaveText(/ 1$/);

    await scroller.evaluate((element) => element.scrollTo(0, element.scrollHeight / 2));
    await expect(async () => {
      const [first = ''] = await readNames(page);
      const number = Number(/(\d+)$/.exec(first)?.[1]);
      expect(Math.abs(number - 500_000)).toBeLessThan(200);
    }).toPass();
    const rows = await page.locator('tr[data-index], tr[data-waiting]').count();
    expect(rows).toBeLessThan(80);
  });

  test('takes no scrolling back that it is told of late', async ({ page, open }) => {
    await open('table');
    await expect(row(page, 0)).toBeVisible();
    await page
      .locator('table')
      .locator('..')
      .evaluate(async (element) => {
        // What sets the scrollbar when the list has rested for 140 ms runs between a scrolling and its event.
        const original = window.setTimeout;
        let settle = () => {};
        window.setTimeout = ((work: () => void, ms: number) => {
          if (ms === 140) settle = work;
          return original(work, ms);
        }) as typeof setTimeout;
        const scrolled = new Promise((resolve) => element.addEventListener('scroll', resolve, { once: true }));
        element.scrollTo(0, element.scrollHeight);
        await scrolled;
        window.setTimeout = original;
        element.scrollTo(0, (element.scrollHeight - element.clientHeight) / 2);
        settle();
      });
    await expect(row(page, 500_000)).toBeVisible();
  });

  test('moves pixel by pixel under the wheel and never goes blank', async ({ page, open }) => {
    await open('table');
    await row(page, 3).hover();
    for (let step = 0; step < 12; step++) await page.mouse.wheel(0, 300);
    // 3,600 px of rows of 36 px.
    await expect(async () => {
      const top = await page.evaluate(() => {
        const box = document.querySelector('table')?.parentElement?.getBoundingClientRect();
        const hit = document.elementFromPoint((box?.left ?? 0) + 200, (box?.top ?? 0) + 60);
        return Number(hit?.closest('tr')?.dataset.index);
      });
      expect(top).toBeGreaterThan(95);
      expect(top).toBeLessThan(106);
    }).toPass();
    await expect(page.locator('tr[data-waiting]')).toHaveCount(0);
  });

  test('is walked, selected and opened by keyboard', async ({ page, open }) => {
    await open('table');
    await expect(row(page, 0)).toBeVisible();
    await page.keyboard.press('j');
    await expect(row(page, 0)).toBeFocused();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await expect(row(page, 1)).toBeFocused();
    await page.keyboard.press('x');
    for (let step = 0; step < 4; step++) await page.keyboard.press('j');
    await page.keyboard.press('Shift+x');
    await expect(page.getByText('5 selected')).toBeVisible();
    await page.keyboard.press('End');
    await expect(row(page, 999_999)).toBeFocused();
    await page.keyboard.press('Home');
    await expect(row(page, 0)).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/#\/table\/1000000$/);
    await expect(page.getByText('5 selected')).toBeVisible();
  });

  test('is selected by mouse: one, a range, all that match', async ({ page, open }) => {
    await open('table');
    await row(page, 2).getByRole('checkbox').click();
    await row(page, 6)
      .getByRole('checkbox')
      .click({ modifiers: ['Shift'] });
    await expect(page.getByText('5 selected')).toBeVisible();
    await row(page, 4).getByRole('checkbox').click();
    await expect(page.getByText('4 selected')).toBeVisible();
    await page.getByRole('button', { name: 'Select all 1,000,000 that match' }).click();
    await expect(page.getByText('1,000,000 selected')).toBeVisible();
    await expect(row(page, 0).getByRole('checkbox')).toBeChecked();
    await page.getByRole('button', { name: 'Clear selection' }).click();
    await expect(page.getByRole('toolbar')).toBeHidden();
  });

  test('remembers which columns it shows, and how wide', async ({ page, open }) => {
    await open('table');
    await expect(page.getByRole('columnheader', { name: 'Id', exact: true })).toHaveCount(0);
    await page.getByRole('button', { name: 'Columns' }).click();
    await expect(page.getByRole('tooltip')).toHaveCount(0);
    await page.getByLabel('Id', { exact: true }).check();
    await page.getByRole('button', { name: 'Move Id up' }).click();
    await expectAccessible(page, 'the menu of columns');
    const menu = page.getByRole('dialog', { name: 'Columns' });
    const headWidth = () => page.getByRole('columnheader', { name: /State/ }).evaluate((head) => head.clientWidth);
    const usual = await headWidth();
    await menu.getByLabel('State', { exact: true }).press('Shift+ArrowRight');
    await expect.poll(headWidth).toBe(usual + 16);
    await page.keyboard.press('Escape');
    // Edges are for the pointer: they are no stops of Tab.
    await expect(page.locator('thead [aria-label^="Width of the column"]:not([tabindex="-1"])')).toHaveCount(0);
    await expect(page.locator('thead [aria-label^="Width of the column"]')).toHaveCount(4);
    const edge = page.getByRole('button', { name: 'Width of the column State' });
    const width = () => page.getByRole('columnheader', { name: /State/ }).evaluate((head) => head.clientWidth);
    const before = await width();
    // The menu that closes gives the focus back to its button at some moment, which then takes the key: pressed until it was wide enough.
    await expect(async () => {
      await edge.press('ArrowRight');
      expect(await width()).toBeGreaterThan(before + 20);
    }).toPass();
    const head = page.getByRole('columnheader', { name: 'User', exact: true });
    const userWidth = () => head.evaluate((element) => element.clientWidth);
    const wider = await userWidth();
    await head.getByRole('button', { name: 'User', exact: true }).press('Shift+ArrowLeft');
    await expect.poll(userWidth).toBeLessThan(wider);
    await page.reload();
    await expect(page.getByRole('columnheader')).toHaveText(['', /User/, /State/, /Id/, /Traffic/]);
    expect(await width()).toBeGreaterThan(before + 20);
  });
});

test('a short list sorts what is here', async ({ page, open }) => {
  await open('states');
  // The list that loads shows its rows after a while, and moves what is below it.
  await expect(page.getByRole('table', { name: 'Loading' }).locator('tbody tr')).toHaveCount(12);
  const table = page.getByRole('table', { name: 'Ready' });
  const names = () => table.locator('tbody tr').allInnerTexts();
  const head = table.getByRole('columnheader', { name: 'User' });
  await head.getByRole('button').click();
  await expect(head).toHaveAttribute('aria-sort', 'ascending');
  const up = await names();
  await head.getByRole('button').click();
  await expect(head).toHaveAttribute('aria-sort', 'descending');
  expect(await names()).toEqual(up.reverse());
});

test.describe('a form', () => {
  test('is checked before it is sent and keeps what was refused', async ({ page, open }) => {
    await open('form');
    await page.getByRole('button', { name: 'Form' }).click();
    const form = page.getByRole('dialog', { name: 'Add a node' });
    const add = form.getByRole('button', { name: 'Add', exact: true });
    await add.click();
    await expect(form.getByText('Fill this in')).toHaveCount(2);
    await expect(form.getByLabel('Name')).toBeFocused();
    await expectAccessible(page, 'a form with errors');

    await form.getByLabel('Address').fill('de1.example.com');
    await form.getByLabel('Name').fill('taken');
    await add.click();
    await expect(form.getByText('This is not valid')).toBeVisible();
    await expect(form.getByLabel('Address')).toHaveValue('de1.example.com');

    await form.getByLabel('Name').fill('changed');
    await add.click();
    await expect(form.getByText('Someone else has changed this')).toBeVisible();
    await expect(form.getByRole('button', { name: 'Save mine anyway' })).toBeVisible();

    await form.getByLabel('Name').fill('busy');
    await add.click();
    await expect(form.getByText('Too many requests. Try again in 5 seconds.')).toBeVisible();
    await expectAccessible(page, 'a form that was refused');

    await form.getByLabel('Name').fill('Frankfurt');
    await page.keyboard.press('Control+Enter');
    await expect(page.getByText('Frankfurt added')).toBeVisible();
    await expect(form).toBeHidden();
  });

  test('asks before it throws input away', async ({ page, open }) => {
    await open('form');
    await page.getByRole('button', { name: 'Form' }).click();
    const form = page.getByRole('dialog', { name: 'Add a node' });
    await form.getByLabel('Name').fill('half');
    await page.keyboard.press('Escape');
    const question = page.getByRole('dialog', { name: 'Discard what you typed?' });
    await expect(question).toBeVisible();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await expect(form.getByLabel('Name')).toHaveValue('half');
    await form.getByRole('button', { name: 'Cancel' }).click();
    await question.getByRole('button', { name: 'Discard' }).click();
    await expect(form).toBeHidden();
  });

  test('turns amounts and terms into what the panel counts in', async ({ page, open }) => {
    await open('form');
    const traffic = page.getByLabel('Traffic', { exact: true });
    await traffic.fill('1.5');
    await expect(page.getByTestId('bytes')).toHaveText('1500000000');
    await page.getByLabel('Unit').first().selectOption('TB');
    await expect(page.getByTestId('bytes')).toHaveText('1500000000000');
    await expect(traffic).toHaveValue('1.5');
    await traffic.fill('');
    await expect(page.getByTestId('bytes')).toHaveText('null');
    await page.getByLabel('Unit').last().selectOption('Days');
    await expect(page.getByTestId('term')).toHaveText('{"days":1}');
  });
});

test('what cannot be undone asks for the name', async ({ page, open }) => {
  await open('form');
  await page.getByRole('button', { name: 'By name' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete Anna Smirnova' });
  const button = dialog.getByRole('button', { name: 'Delete' });
  await expect(button).toBeDisabled();
  await dialog.getByRole('textbox').fill('Anna X');
  await expect(dialog.getByText('This is not the name')).toBeVisible();
  await dialog.getByRole('textbox').fill('Anna Smirnova');
  await expectAccessible(page, 'a question by name');
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
});

test('a record is a dialog of its own, and its toasts can be undone', async ({ page, open }) => {
  await open('form');
  await page.getByRole('button', { name: 'Record' }).click();
  const record = page.getByRole('dialog', { name: 'Anna Smirnova' });
  await expect(record.getByRole('heading', { name: 'Anna Smirnova' })).toBeVisible();
  await expect(page).toHaveTitle('Anna Smirnova · Gatehouse');
  await expectAccessible(page, 'a record');
  await page.keyboard.press('Escape');
  await expect(record).toBeHidden();

  await open('small');
  await page.getByRole('button', { name: 'With undo' }).click();
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect(getToast(page, 'Undone')).toBeVisible();
  await page.getByRole('button', { name: 'Failure' }).click();
  const alert = page.getByRole('alert').filter({ hasText: 'The panel failed.' }).last();
  await expect(alert).toContainText('Request 0b6f7d0e5c2b4f5e9a3d1c8e7f60a1b2');
  await expectAccessible(page, 'toasts');
});
