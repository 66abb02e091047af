// Backups: made with and without a passphrase, scheduled, taken away and brought back, checked before anything is replaced.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expectAccessible } from './support/axe.ts';
import { expect, test } from './support/fixtures.ts';
import { ADMIN } from './support/panels.ts';
import { card, prove } from './support/settings.ts';
import { getToast } from './support/toast.ts';
import { makeUser, otherWindow } from './support/users.ts';

const PASSPHRASE = 'a passphrase for backups';

async function make(page: Page, passphrase = ''): Promise<void> {
  const form = card(page, 'Create a backup');
  await form.getByLabel('Passphrase').fill(passphrase);
  await form.getByRole('button', { name: 'Create a backup now' }).click();
  await prove(page);
  await expect(getToast(page, /^Backup created, /)).toBeVisible();
}

test('are made, checked, restored, and what was there before is kept', async ({ page, own }) => {
  await otherWindow(own).call('createTariff', { name: 'Monthly' });
  const before = await makeUser(own, 'In the backup');
  await own.visit('settings/backups');
  const list = card(page, 'Backups on this machine');
  await expect(list.getByText('No backups yet')).toBeVisible();
  await expectAccessible(page, 'no backups');
  await make(page, PASSPHRASE);
  await expect(list.getByRole('listitem')).toHaveCount(1);
  await expect(list.getByText('Encrypted', { exact: true })).toBeVisible();
  await makeUser(own, 'Made after it');

  await list.getByRole('link', { name: /^Check and restore/ }).click();
  const drawer = page.getByRole('dialog', { name: 'Restore a backup' });
  await drawer.getByLabel('Passphrase of the backup').fill('not this one');
  await drawer.getByRole('button', { name: 'Check' }).click();
  await expect(drawer.getByText('It cannot be decrypted with this passphrase.')).toBeVisible();
  await expect(drawer.getByRole('button', { name: 'Restore this backup' })).toHaveCount(0);
  await drawer.getByLabel('Passphrase of the backup').fill(PASSPHRASE);
  await drawer.getByRole('button', { name: 'Check' }).click();
  await expect(drawer.getByText('Valid and restorable')).toBeVisible();
  await expectAccessible(page, 'a checked backup');
  await drawer.getByRole('button', { name: 'Restore this backup' }).click();
  await expect(drawer.getByText('The panel has 1 user again.')).toBeVisible();
  await expectAccessible(page, 'a restored backup');
  await drawer.getByRole('button', { name: 'To the backups' }).click();
  await expect(list.getByText('Before a restore')).toBeVisible();

  await page.getByRole('link', { name: 'Users', exact: true }).click();
  await expect(page.getByRole('link', { name: before.name })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Made after it' })).toHaveCount(0);
});

test('are downloaded, uploaded again, refused where damaged, and deleted', async ({ page, own }) => {
  await own.visit('settings/backups');
  await make(page);
  const list = card(page, 'Backups on this machine');
  const coming = page.waitForEvent('download');
  await list.getByRole('button', { name: /^Download / }).click();
  const file = await coming;
  expect(file.suggestedFilename()).toMatch(/\.gatehouse-backup$/);
  const content = readFileSync(await file.path());

  await list.getByRole('button', { name: /^Delete / }).click();
  const question = page.getByRole('dialog', { name: 'Delete this backup?' });
  await expect(question.getByText(file.suggestedFilename())).toBeVisible();
  await question.getByRole('button', { name: 'Delete' }).click();
  await expect(list.getByText('No backups yet')).toBeVisible();

  const upload = async (buffer: Buffer) => {
    const chooser = page.waitForEvent('filechooser');
    await list.getByRole('button', { name: 'Upload a backup' }).click();
    await (await chooser).setFiles({ name: 'mine.gatehouse-backup', mimeType: 'application/octet-stream', buffer });
  };
  await upload(content);
  await expect(getToast(page, /^Backup uploaded, /)).toBeVisible();
  await list.getByRole('link', { name: /^Check and restore/ }).click();
  const drawer = page.getByRole('dialog', { name: 'Restore a backup' });
  await expect(drawer.getByText('Valid and restorable')).toBeVisible();
  await expect(drawer.getByText('Unchanged since this panel created it.')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(drawer).toBeHidden();
  await list.getByRole('button', { name: /^Delete / }).click();
  await question.getByRole('button', { name: 'Delete' }).click();
  await expect(list.getByText('No backups yet')).toBeVisible();

  const damaged = Buffer.from(content);
  damaged[Math.floor(damaged.length / 2)] = ~(damaged[Math.floor(damaged.length / 2)] ?? 0) & 0xff;
  await upload(damaged);
  await list.getByRole('link', { name: /^Check and restore/ }).click();
  await expect(drawer.getByText('The file was changed or damaged. Use another one.')).toBeVisible();
  await expect(drawer.getByRole('button', { name: 'Restore this backup' })).toHaveCount(0);
  await expectAccessible(page, 'a damaged backup');
});

test('of another panel are compared with this one, and their keys come back revoked', async ({ page, own, panel }) => {
  const other = otherWindow(panel);
  await makeUser(panel, 'Of the other');
  await other.call('createKey', { name: 'of the other', access: 'full', password: ADMIN.password });
  const { body: made } = await other.call('createBackup', {});
  const folder = join(panel.folder, 'backups');
  await own.visit('settings/backups');
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Upload a backup' }).click();
  await (await chooser).setFiles(join(folder, made.name));
  await page.getByRole('link', { name: /^Check and restore/ }).click();
  const drawer = page.getByRole('dialog', { name: 'Restore a backup' });
  await expect(drawer.getByText('It may have been changed')).toBeVisible();
  await expect(drawer.getByRole('listitem').filter({ hasText: 'of the other' })).toContainText('Full access');
  await expectAccessible(page, 'a backup of another panel');
  // What it would move is read and confirmed by keyboard.
  const restoring = drawer.getByRole('button', { name: 'Restore this backup' });
  await expect(restoring).toBeDisabled();
  const links = drawer.getByText(/^Subscription links of users: [1-9]/);
  await links.focus();
  await page.keyboard.press('Enter');
  await expect(
    drawer
      .getByRole('listitem')
      .filter({ hasText: /none → .{4}…$/ })
      .first(),
  ).toBeVisible();
  await expectAccessible(page, 'what a backup of another panel would change');
  await drawer.getByLabel('I have checked what this backup would add or change').focus();
  await page.keyboard.press('Space');
  await restoring.focus();
  await page.keyboard.press('Enter');
  await prove(page);
  await expect(drawer.getByText(/The panel has \d+ users again\./)).toBeVisible();
  await own.visit('settings/security/api');
  const keys = card(page, 'Keys');
  const waiting = keys.getByRole('listitem').filter({ hasText: 'of the other' });
  await expect(waiting).toContainText('Not confirmed');
  await expectAccessible(page, 'a key that waits to be confirmed');
  await waiting.getByRole('button', { name: 'Confirm of the other' }).click();
  await page.getByRole('dialog', { name: 'Confirm of the other' }).getByRole('button', { name: 'Confirm' }).click();
  await expect(waiting).toContainText('Active');
});

test('are scheduled by keyboard, with a passphrase that is asked for', async ({ page, own }) => {
  await own.visit('settings/backups');
  const schedule = card(page, 'Schedule');
  await schedule.getByRole('combobox', { name: 'How often' }).focus();
  await page.keyboard.press('ArrowDown');
  await page.getByRole('option', { name: 'Every day' }).waitFor();
  await page.getByRole('option', { name: 'Every day' }).click();
  await schedule.getByLabel('How many to keep').fill('5');
  await schedule.getByLabel('Included, encrypted with this passphrase').check();
  await schedule.getByLabel('Passphrase', { exact: true }).fill('short');
  await schedule.getByRole('button', { name: 'Save' }).click();
  await expect(schedule.getByLabel('Passphrase', { exact: true })).toHaveAttribute('data-invalid', 'true');
  await expectAccessible(page, 'a refused schedule');
  await schedule.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE);
  await page.keyboard.press('Enter');
  await prove(page);
  await expect(getToast(page, 'Schedule saved')).toBeVisible();
  await expect(schedule.getByLabel('Unchanged: encrypted with the present passphrase')).toBeChecked();
  const { body } = await otherWindow(own).call('listBackups', {});
  expect(body.schedule).toMatchObject({ every_hours: 24, keep: 5, encrypted: true });
});
