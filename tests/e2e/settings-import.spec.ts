// The import of another panel: files are chosen or pasted, what would be done is shown, then it is done, undone, and exported.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { writeThreeXui } from '../support/foreign-panels.ts';
import { expectAccessible } from './support/axe.ts';
import { expect, test } from './support/fixtures.ts';
import { card, prove } from './support/settings.ts';
import { getToast } from './support/toast.ts';
import { otherWindow } from './support/users.ts';

let folder: string;
test.beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-e2e-import-'));
});
test.afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function choose(page: Page, ...paths: readonly string[]): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose files' }).click();
  await (await chooser).setFiles([...paths]);
}

test('shows what would be done, imports, exports, and takes it back', async ({ page, own }) => {
  await otherWindow(own).call('createNode', { name: 'Main', kind: 'remote', address: 'nl.example.com' });
  const database = join(folder, 'x-ui.db');
  writeThreeXui(database);
  await own.visit('settings/import');
  await expectAccessible(page, 'an import without files');
  await choose(page, database);
  const files = card(page, 'Import from another panel');
  await expect(files.getByRole('listitem').filter({ hasText: /^x-ui\.db, \d/ })).toBeVisible();
  await files.getByRole('button', { name: 'Show what would be done' }).click();
  const report = card(page, 'What would be done');
  await expect(report.getByRole('row', { name: /^Users 9/ })).toBeVisible();
  await report.getByText('The panel cannot have such a connection').click();
  await expect(report.getByText('obfuscated')).toBeVisible();
  await expectAccessible(page, 'what an import would do');
  await report.getByRole('button', { name: 'Import', exact: true }).click();
  await prove(page);
  const done = card(page, 'Imported');
  await expect(done.getByText(/^The data of before are stored as /)).toBeVisible();
  await expectAccessible(page, 'an import that is done');

  const coming = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download the export' }).click();
  const file = await coming;
  expect(file.suggestedFilename()).toMatch(/^gatehouse-export-.*\.json$/);
  expect(JSON.parse(readFileSync(await file.path(), 'utf8')).users).toHaveLength(9);

  await page.getByRole('button', { name: 'Undo the import from 3x-ui' }).click();
  const question = page.getByRole('dialog', { name: 'Delete what was imported from 3x-ui?' });
  await expect(question.getByText(/: 9 of 9\./)).toBeVisible();
  await question.getByRole('button', { name: 'Delete' }).click();
  await expect(getToast(page, 'Deleted users: 9, connections: 3, plans: 0')).toBeVisible();
});

test('takes a pasted list, and refuses what is of no panel', async ({ page, own }) => {
  await own.visit('settings/import');
  const form = card(page, 'Import from another panel');
  await form.getByRole('button', { name: 'Paste a list' }).click();
  await form.getByLabel('Share links or CSV').fill('nothing of the kind');
  await form.getByRole('button', { name: 'Add the list' }).click();
  await form.getByRole('button', { name: 'Show what would be done' }).click();
  const report = card(page, 'What would be done');
  await expect(report.getByText('These are not the files of a panel that can be imported.')).toBeVisible();
  await report.getByRole('button', { name: 'Import other files' }).click();
  await form.getByRole('button', { name: 'Paste a list' }).click();
  const link = 'vless://cccccccc-0000-4000-8000-000000000001@nl.example.com:443?type=tcp#Ann';
  await form.getByLabel('Share links or CSV').fill(link);
  await form.getByRole('button', { name: 'Add the list' }).click();
  await form.getByRole('button', { name: 'Show what would be done' }).click();
  await expect(report.getByRole('row', { name: /^Users 1/ })).toBeVisible();
  await report.getByRole('button', { name: 'Import', exact: true }).click();
  await prove(page);
  await expect(card(page, 'Imported').getByText(/^The data of before/)).toBeVisible();
  await page.getByRole('link', { name: 'Users', exact: true }).click();
  await expect(page.getByRole('link', { name: 'Ann' })).toBeVisible();
});
