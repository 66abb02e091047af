// The list of users: found, narrowed, walked by keyboard, exported, and usable by everybody in both languages.
import { readFileSync } from 'node:fs';
import type { Locator, Page } from '@playwright/test';
import { expectAccessible } from './support/axe.ts';
import { expect, LOOKS, test } from './support/fixtures.ts';
import type { BrowserPanel } from './support/panels.ts';
import { expectWhole } from './support/sight.ts';
import { getToast } from './support/toast.ts';
import { makeUser, otherWindow } from './support/users.ts';

function findRow(page: Page, name: string): Locator {
  return page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
}

test.describe('finding users', () => {
  test('answers while one types, keeps it in the address, and says which filter to drop', { tag: '@smoke' }, async ({
    page,
    panel,
    visit,
  }) => {
    for (const name of ['Quillon Search', 'Quillon Other']) await makeUser(panel, name, { tags: ['quill'] });
    await visit('users');
    const search = page.getByRole('searchbox', { name: 'Search' });
    await page.keyboard.press('/');
    await expect(search).toBeFocused();
    await search.pressSequentially('quillon');
    await expect(page.getByRole('row')).toHaveCount(3);
    await expect(page).toHaveURL(/#\/users\?q=quillon$/);
    await expect(page.getByRole('button', { name: 'All 2' })).toBeVisible();

    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByRole('combobox', { name: 'Tag' }).fill('quill');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/tag=quill/);
    await expect(page.getByText('Tag: quill')).toBeVisible();
    await page.getByRole('button', { name: /^Disabled/ }).click();
    await expect(page.getByText('No matching users')).toBeVisible();
    await expectAccessible(page, 'nobody matches');
    // What would lead to as empty a list is not offered.
    await expect(page.getByRole('button', { name: /^Remove “.*” 0 users$/ })).toHaveCount(0);
    await page.getByRole('button', { name: /^Remove “State: Disabled”/ }).click();
    await expect(page.getByRole('row')).toHaveCount(3);
    await page.goBack();
    await expect(page.getByText('No matching users')).toBeVisible();
    await page.getByRole('button', { name: 'Remove all filters' }).click();
    await expect(search).toHaveValue('');
    await expect(page).toHaveURL(/#\/users$/);
  });

  test('has its keys begin at the top of another list', async ({ page, visit }) => {
    await visit('users');
    const table = page.getByRole('table', { name: 'Users' });
    const row = (index: number) => table.locator(`tr[data-index="${index}"]`);
    const others = table.getByText(/^(Expired|Disabled|Limited|On hold)$/);
    await expect(others.first()).toBeVisible();
    for (let presses = 0; presses < 3; presses++) await page.keyboard.press('j');
    await expect(row(2)).toBeFocused();
    await page.getByRole('button', { name: /^Active/ }).click();
    await expect(others).toHaveCount(0);
    await page.keyboard.press('j');
    await expect(row(0)).toBeFocused();
  });

  test('has its keys act on the row that has the focus, also where others come before it', async ({ page, own }) => {
    await otherWindow(own).call('createTariff', { name: 'Monthly', duration: { months: 1 } });
    await makeUser(own, 'First');
    await own.visit('users');
    const box = (name: string) => page.getByRole('checkbox', { name: `Select ${name}` });
    const row = (name: string) => page.locator('tr[data-index]').filter({ has: box(name) });
    await expect(box('First')).toBeVisible();
    await page.keyboard.press('j');
    await expect(row('First')).toBeFocused();
    await makeUser(own, 'Second');
    await expect(row('Second')).toHaveAttribute('data-index', '0');
    await expect(row('First')).toBeFocused();
    await page.keyboard.press('x');
    await expect(box('First')).toBeChecked();
    await expect(box('Second')).not.toBeChecked();
  });

  test('sorts by what the panel knows and remembers the columns', async ({ page, visit }) => {
    await visit('users');
    await page.getByRole('button', { name: 'Traffic', exact: true }).click();
    await expect(page).toHaveURL(/sort=-used/);
    await expect(page.getByRole('columnheader', { name: 'Traffic' })).toHaveAttribute('aria-sort', 'descending');
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'Tags', exact: true }).uncheck();
    await page.getByRole('checkbox', { name: 'ID', exact: true }).check();
    await page.reload();
    await expect(page.getByRole('button', { name: 'ID', exact: true })).toBeVisible();
    await expect(page.getByRole('columnheader', { name: /^Tags/ })).toHaveCount(0);
    await expect(page.getByRole('columnheader', { name: 'Traffic' })).toHaveAttribute('aria-sort', 'descending');
  });

  test('saves a view, opens it again by keyboard and from the palette, renames and deletes it', async ({
    page,
    visit,
  }) => {
    await visit('users?state=active&sort=-used');
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'Tags', exact: true }).uncheck();
    await page.keyboard.press('Escape');
    const views = page.getByRole('button', { name: 'Views' });
    const menu = page.getByRole('menu');
    await views.click();
    await expectAccessible(page, 'the menu of views');
    await menu.getByRole('menuitem', { name: 'Save as a view' }).click();
    const name = page.getByRole('textbox', { name: 'Name' });
    await expect(name).toBeFocused();
    await page.keyboard.type('Heavy users');
    await expectAccessible(page, 'the name of a view');
    await page.keyboard.press('Enter');
    await expect(getToast(page, 'View “Heavy users” saved')).toBeVisible();
    await expect(page).toHaveURL(/#\/users\?state=active&sort=-used&view=\d+$/);

    // Another order is a change; the stored one comes back by the keyboard alone.
    const opened = page.getByRole('button', { name: 'Heavy users' });
    await page.getByRole('button', { name: 'Expires', exact: true }).click();
    await expect(opened).toHaveText('Heavy usersChanged');
    await opened.focus();
    await page.keyboard.press('Enter');
    await expect(menu.locator(':focus')).toHaveCount(1);
    await page.keyboard.press('h');
    await page.keyboard.press('Enter');
    await expect(opened).toHaveText('Heavy users');
    await expect(page).toHaveURL(/sort=-used/);
    await opened.click();
    await menu.getByRole('menuitem', { name: 'Rename' }).click();
    await expect(name).toHaveValue('Heavy users');
    await name.fill('Most traffic');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('button', { name: 'Most traffic' })).toBeVisible();

    // A list without a view has its own columns.
    await visit('users');
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'Tags', exact: true }).check();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('columnheader', { name: /^Tags/ })).toBeVisible();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('most traffic');
    await page.getByRole('option', { name: /Most traffic/ }).click();
    await expect(page).toHaveURL(/#\/users\?sort=-used&state=active&view=\d+$/);
    await expect(page.getByRole('columnheader', { name: /^Tags/ })).toHaveCount(0);

    await page.getByRole('button', { name: 'Most traffic' }).click();
    await menu.getByRole('menuitem', { name: 'Delete' }).click();
    await expect(page).toHaveURL(/#\/users\?sort=-used&state=active$/);
    await getToast(page, 'View “Most traffic” deleted').locator('..').getByRole('button', { name: 'Undo' }).click();
    await views.click();
    await expect(menu.getByRole('menuitem', { name: 'Most traffic' })).toBeVisible();
  });

  test('walks the list by keyboard alone', async ({ page, visit }) => {
    await visit('users');
    await expect(page.getByRole('row').nth(3)).toBeVisible();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    const second = page.locator('tr[data-index="1"]');
    await expect(second).toBeFocused();
    await page.keyboard.press('x');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('j');
    await page.keyboard.press('Shift+X');
    await expect(page.getByText('3 selected')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByText('3 selected')).toHaveCount(0);

    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await expect(dialog).toBeVisible();
    await expect(page).toHaveURL(/#\/users\/\d+$/);
    // With a tooltip open, one press is enough.
    await dialog.getByRole('button', { name: 'Copy the link' }).hover();
    await expect(page.getByRole('tooltip')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
    await expect(page.getByRole('tooltip')).toHaveCount(0);
    await expect(page).toHaveURL(/#\/users$/);
    await page.keyboard.press('?');
    await expect(
      page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Extend', { exact: true }),
    ).toBeVisible();
    await page.keyboard.press('Escape');
    await page.keyboard.press('n');
    await expect(page.getByRole('dialog', { name: 'Add users' })).toBeVisible();
  });

  test('walks from record to record, by key and by button, and the list follows', async ({ page, visit }) => {
    await visit('users?sort=id');
    const names = page.locator('tr[data-index] td a');
    await expect(names.nth(3)).toBeVisible();
    const [first = '', second = '', third = ''] = await names.allInnerTexts();
    await names.first().click();
    await expect(page.getByRole('dialog', { name: first })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Previous user' })).toHaveAttribute('aria-disabled', 'true');
    await page.keyboard.press('j');
    await expect(page.getByRole('dialog', { name: second })).toBeVisible();
    await page.getByRole('button', { name: 'Next user' }).click();
    await expect(page.getByRole('dialog', { name: third })).toBeVisible();
    await expect(page.locator('tr[data-open]')).toHaveAttribute('data-index', '2');
    await page.keyboard.press('k');
    await expect(page.getByRole('dialog', { name: second })).toBeVisible();
    await expectAccessible(page, 'a record with its neighbours');
    await page.keyboard.press('Escape');
    await expect(page).toHaveURL(/#\/users\?sort=id$/);
  });

  test('stands beside its list where there is room, and both are used at once', async ({ page, visit }) => {
    await visit('users?sort=id');
    const row = (index: number) => page.locator(`tr[data-index="${index}"]`);
    const record = page.getByRole('dialog');
    await expect(row(5)).toBeVisible();
    const names = await page.locator('tr[data-index] td a').allInnerTexts();
    const expectOpen = async (index: number) => {
      await expect(page.getByRole('dialog', { name: names[index] ?? '' })).toBeVisible();
      await expect(page.locator('tr[data-open]')).toHaveAttribute('data-index', String(index));
      await expect(record).toHaveCount(1);
    };
    // By mouse, with the focus left in the list, which goes on by its keys.
    await row(0).locator('td').nth(2).click();
    await expectOpen(0);
    await row(2).locator('td').nth(2).click();
    await expectOpen(2);
    await expect(record).not.toHaveAttribute('aria-modal');
    await page.keyboard.press('ArrowDown');
    await expect(row(3)).toBeFocused();
    await expectOpen(3);
    await page.keyboard.press('k');
    await expectOpen(2);
    await expect(row(2)).toBeFocused();
    // What is selected stays selected, and its keys are for it: the record is not extended.
    await page.keyboard.press('x');
    await row(4).locator('input').click();
    await expect(page.getByText('2 selected')).toBeVisible();
    await expectOpen(2);
    await expectWhole(page.getByRole('toolbar', { name: 'Actions for the selection' }).getByRole('button'));
    await expectWhole(page.getByRole('group', { name: 'State' }).getByRole('button'));
    await row(4).focus();
    await page.keyboard.press('e');
    await expect(page.getByRole('dialog', { name: 'Extend 2 users' })).toBeVisible();
    await expect(page.locator('[data-beside] form')).toHaveCount(0);
    await page.keyboard.press('Escape');
    await expectOpen(2);
    await row(4).focus();
    await page.keyboard.press('Escape');
    await expect(page.getByText('2 selected')).toHaveCount(0);
    await expectOpen(2);
    // Enter goes on in the record, whose steps the list follows, and Escape goes back to its row.
    await row(2).focus();
    await page.keyboard.press('Enter');
    await expect(record).toBeFocused();
    await page.keyboard.press('j');
    await expectOpen(3);
    await page.keyboard.press('e');
    await expect(record.locator('form')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(record.locator('form')).toHaveCount(0);
    await expectAccessible(page, 'a record beside its list');
    await page.keyboard.press('Escape');
    await expect(record).toHaveCount(0);
    await expect(row(3)).toBeFocused();
    // Clicks are gone back over one by one.
    await page.goBack();
    await expectOpen(0);
    await page.goBack();
    await expect(record).toHaveCount(0);
    await expect(page).toHaveURL(/#\/users\?sort=id$/);
  });

  test('beside a record the list is filtered, and nothing typed into the record is lost', async ({ page, visit }) => {
    await visit('users?sort=id');
    const rows = page.locator('tr[data-index]');
    const record = page.getByRole('dialog');
    await expect(rows.nth(5)).toBeVisible();
    const [first = '', second = ''] = await page.locator('tr[data-index] td a').allInnerTexts();
    await rows.nth(0).locator('td').nth(2).click();
    await page.getByRole('searchbox').fill(second);
    await expect(rows.first()).toContainText(second);
    await expect(page.getByRole('dialog', { name: first })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog', { name: first })).toBeVisible();
    await page.getByRole('searchbox').fill('');
    await expect(rows.first()).toContainText(first);

    await record.getByRole('button', { name: 'Change: Note' }).click();
    await record.getByRole('textbox', { name: 'Note' }).fill('Half a sentence');
    // The keys of the list leave it alone, a click asks, and a narrower window keeps it.
    await rows.nth(0).focus();
    await page.keyboard.press('ArrowDown');
    await expect(rows.nth(1)).toBeFocused();
    await page.setViewportSize({ width: 1400, height: 900 });
    await rows.nth(1).locator('td').nth(2).click();
    const question = page.getByRole('dialog', { name: 'Discard what you typed?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await expect(record.getByRole('textbox', { name: 'Note' })).toHaveValue('Half a sentence');
    await rows.nth(1).locator('td').nth(2).click();
    await question.getByRole('button', { name: 'Discard' }).click();
    await expect(page.getByRole('dialog', { name: second })).toHaveAttribute('aria-modal', 'true');
  });

  test('lists users in any of several states', async ({ page, visit }) => {
    await visit('users');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByRole('checkbox', { name: 'Limited', exact: true }).check();
    await page.getByRole('checkbox', { name: 'Expired', exact: true }).check();
    await expect(page).toHaveURL(/state=limited%2Cexpired$/);
    await expectAccessible(page, 'the filter by states');
    await page.keyboard.press('Escape');
    await expect(page.getByText('State: Limited, Expired')).toBeVisible();
    const states = page.locator('tr[data-index] td:nth-child(3)');
    await expect(states.filter({ hasText: 'Expired' }).first()).toBeVisible();
    await expect(states.filter({ hasText: /Active|On hold|Disabled/ })).toHaveCount(0);
    await page.getByRole('button', { name: 'Remove the filter State: Limited, Expired' }).click();
    await expect(page).toHaveURL(/#\/users$/);
  });

  test('goes on to the last user and back after an empty answer', async ({ page, visit }) => {
    await visit('users?q=nobody-has-this-name');
    await expect(page.getByText('No matching users')).toBeVisible();
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    await expect(page.getByRole('row').nth(10)).toBeVisible();
    await page.locator('tr[data-index="0"]').focus();
    await page.keyboard.press('End');
    await expect(page.getByRole('link', { name: /./ }).first()).toBeVisible();
    await expect(page.locator('tr[aria-rowindex]').last()).toHaveAttribute('data-index', /^(?:199|2\d\d)$/);
  });
});

test('finds who never connected over a node, and sorts by when they were last online', async ({
  page,
  panel,
  visit,
}) => {
  // The nodes of a demonstration connect each user who may connect.
  await makeUser(panel, 'Nina Never', { tags: ['never'], enabled: false });
  await visit('users?tag=never');
  await expect(findRow(page, 'Nina Never')).toBeVisible();
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByRole('checkbox', { name: 'Never connected' }).check();
  await page.getByLabel('Node', { exact: true }).selectOption('Frankfurt');
  await expect(page).toHaveURL(/connected=false/);
  await expect(page).toHaveURL(/node_id=\d/);
  await expectAccessible(page, 'the filter by connection and node');
  await page.keyboard.press('Escape');
  await page.getByRole('columnheader', { name: 'Online' }).getByRole('button').first().click();
  await expect(page).toHaveURL(/sort=-online_at/);
  await expect(findRow(page, 'Nina Never')).toBeVisible();
  await page.getByRole('button', { name: 'Remove the filter Never connected' }).click();
  await page.getByRole('button', { name: 'Remove the filter Node: Frankfurt' }).click();
  await expect(page).toHaveURL(/#\/users\?tag=never&sort=-online_at$/);
});

test('exports what the filter leaves, safe to open', async ({ page, panel, visit }) => {
  for (const name of ['=HYPERLINK("x")', 'Export, "B"']) await makeUser(panel, name, { tags: ['exported'] });
  await visit('users?tag=exported');
  await expect(page.getByRole('row')).toHaveCount(3);
  const started = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export CSV' }).click();
  const download = await started;
  expect(download.suggestedFilename()).toMatch(/^users-\d{4}-\d\d-\d\d\.csv$/);
  const text = readFileSync(await download.path(), 'utf8');
  const lines = text.trimEnd().split('\r\n');
  // The separator, the names of the columns, and the users.
  expect(lines).toHaveLength(4);
  expect(text).toContain('"\'=HYPERLINK(""x"")"');
  expect(text).toContain('"Export, ""B"""');
  expect(text).not.toContain('/sub/');
  await expect(getToast(page, /^2 users exported to users-/)).toBeVisible();
});

test('shows a change made by another hand without a reload', async ({ page, panel, visit }) => {
  const { id } = await makeUser(panel, 'Liva Before');
  await visit('users?q=liva');
  await expect(findRow(page, 'Liva Before')).toBeVisible();
  await otherWindow(panel).call('updateUser', { id, enabled: false });
  await expect(findRow(page, 'Liva Before').getByText('Disabled')).toBeVisible();
});

test('survives hostile names, notes and tags', async ({ page, panel, visit }) => {
  const name = '<img src=x onerror=alert(1)>"\'😀مرحبا'.padEnd(100, 'Ш');
  const { id } = await makeUser(panel, name, {
    contact: 'שלום'.padEnd(100, 'w'),
    note: `<script>alert(1)</script>\n${'n'.repeat(1900)}`,
    tags: ['hostile', '<b>t</b>', 'ذ'.repeat(32)],
  });
  await visit('users?tag=hostile');
  await expect(findRow(page, name)).toBeVisible();
  await visit(`users/${id}?tag=hostile`);
  await expect(page.getByRole('dialog', { name })).toBeVisible();
  await expectAccessible(page, 'a hostile user');
  for (const width of [1440, 360]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  }
});

test('says that a user is gone', async ({ page, visit }) => {
  await visit('users/99999999');
  await expect(page.getByRole('dialog', { name: 'User not found' })).toBeVisible();
  await page.getByRole('button', { name: 'Back to the list' }).click();
  await expect(page).toHaveURL(/#\/users$/);
  await visit('users/nonsense');
  await expect(page.getByRole('dialog', { name: 'User not found' })).toBeVisible();
});

test('says from where a user is connected, without an address', async ({ page, panel, visit }) => {
  const addresses = async (id: number) => (await otherWindow(panel).call('getUserAddresses', { id })).body;
  const section = page.getByRole('region', { name: 'Addresses', exact: true });
  // The users of a demonstration come and go: another one where this one has gone before the page was there.
  await expect(async () => {
    const id = await findConnected(panel);
    await visit(`users/${id}`);
    await expect(section.getByText(/Connected from \d+ address(es)? now/)).toBeVisible({ timeout: 10_000 });
    expect(JSON.stringify(await addresses(id))).not.toContain('203.0.113');
  }).toPass();
  await expect(section.getByText('203.0.*.*').first()).toBeVisible();
  await section.scrollIntoViewIfNeeded();
  await expectAccessible(page, 'addresses');
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
});

/** A user of the demonstration whom an engine has named. */
async function findConnected(panel: BrowserPanel): Promise<number> {
  const { body } = await otherWindow(panel).call('listUsers', { online: true, limit: 500 });
  for (const { id } of body.items) {
    const { addresses } = (await otherWindow(panel).call('getUserAddresses', { id })).body;
    if (addresses.length > 0) return id;
  }
  throw new Error('no engine has named a user');
}

for (const { locale, theme } of LOOKS) {
  test.describe(`${locale}, ${theme}`, () => {
    test.use({ view: { locale, theme } });

    test('holds its words: states and dates, and on a phone what is left', async ({ page, panel, visit }) => {
      // The longest words that a term has.
      const inMonths = new Date(Date.now() + 350 * 86_400_000).toISOString();
      await makeUser(panel, `Far ${locale}`, { expires_at: inMonths });
      await visit('users');
      const cells = page.locator('tr[data-index] td');
      await expect(page.locator('tr[data-index="3"]')).toBeVisible();
      for (const state of ['active', 'limited', 'expired', 'disabled']) {
        await visit(`users?state=${state}`);
        await expect(page.locator('tr[data-index="0"]')).toBeVisible();
        await expect(page.locator('[data-stale]')).toHaveCount(0);
        const cut = await cells.evaluateAll((all) =>
          all
            .filter((cell) =>
              cell.matches('td:nth-child(3), td:nth-child(5), td:nth-child(6), td:nth-child(7), td:nth-child(9)'),
            )
            .filter((cell) => cell.scrollWidth > cell.clientWidth)
            .map((cell) => cell.textContent),
        );
        expect(cut).toEqual([]);
      }
      await page.setViewportSize({ width: 390, height: 800 });
      await visit('users?state=active&sort=expires_at');
      await expect(
        cells.filter({ hasText: locale === 'ru' ? /Активен · .*через/ : /Active · .*in \d/ }).first(),
      ).toBeVisible();
    });

    test('can be used by everybody: the list, wide and narrow', async ({ page, visit }) => {
      await visit('users');
      await expect(page.locator('tr[data-index="3"]')).toBeVisible();
      await page.locator('tr[data-index="2"] input').click();
      await expectAccessible(page, 'the list');
      await page.setViewportSize({ width: 360, height: 740 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      await expectAccessible(page, 'the list at 360 px');
    });

    test('can be used by everybody: the record and the form', async ({ page, visit }) => {
      for (const width of [1440, 1280]) {
        await page.setViewportSize({ width, height: 900 });
        await visit('users/3?do=extend');
        await expect(page.getByRole('dialog').locator('form')).toBeVisible();
        await expectAccessible(page, `the record at ${width} px`);
        if (width < 1440) continue;
        for (const row of [0, 1]) await page.locator(`tr[data-index="${row}"] input`).click();
        await expectWhole(page.getByRole('toolbar').getByRole('button'));
        await expectWhole(page.locator('main fieldset').first().getByRole('button'));
      }
      await visit('users/new');
      await expect(page.getByRole('dialog').locator('form')).toBeVisible();
      await expectAccessible(page, 'the form');
    });
  });
}
