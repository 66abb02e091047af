// Backup storage outside of the machine: added by keyboard, tested, used and deleted; and how it looks in every state.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backups as english } from '../../src/i18n/en/pages/settings/backups.ts';
import { backups as russian } from '../../src/i18n/ru/pages/settings/backups.ts';
import { openSftpServer, SSHD } from '../backup/place-servers.ts';
import { expectAccessible } from './support/axe.ts';
import { expect, LOOKS, test } from './support/fixtures.ts';
import { ADMIN } from './support/panels.ts';
import { card, prove } from './support/settings.ts';
import { getToast } from './support/toast.ts';
import { otherWindow } from './support/users.ts';

const PASSPHRASE = 'a passphrase for backups';

let folder = '';
test.beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-e2e-places-'));
});
test.afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a folder is added, used, changed and deleted by keyboard', async ({ page, own }) => {
  await own.visit('overview');
  const steps = page.getByRole('region', { name: 'Your first customer' });
  await steps.getByRole('link', { name: 'Add storage' }).focus();
  await page.keyboard.press('Enter');
  const form = page.getByRole('dialog', { name: 'Add storage' });
  const kind = form.getByLabel('Kind');
  await expect(kind).toBeFocused();
  await kind.selectOption('folder');
  await page.keyboard.press('Tab');
  await page.keyboard.type('Disk');
  await page.keyboard.press('Tab');
  await page.keyboard.type('relative/path');
  await form.getByLabel('Passphrase', { exact: true }).fill('short');
  await page.keyboard.press('Enter');
  const path = form.getByLabel('Folder');
  await expect(path).toBeFocused();
  await expect(path).toHaveAttribute('aria-invalid', 'true');
  await expectAccessible(page, 'a refused place');
  const missing = join(folder, 'missing');
  await path.fill(missing);
  await form.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE);
  await page.keyboard.press('Enter');
  await prove(page);
  await expect(form.getByText(/The folder or bucket is not there/)).toBeVisible();
  await expectAccessible(page, 'a place that failed its test');
  mkdirSync(missing);
  await page.keyboard.press('ControlOrMeta+Enter');
  await expect(getToast(page, 'Storage added')).toBeVisible();

  const places = card(page, 'Backup storage');
  const row = places.getByRole('listitem');
  await expect(row).toContainText('Not used yet');
  await row.getByRole('button', { name: 'Back up now: Disk' }).focus();
  await page.keyboard.press('Enter');
  await expect(getToast(page, 'The backup to Disk has started')).toBeVisible();
  await expect(row).toContainText('Working');
  await expect(row).toContainText('Last stored');
  const [file = ''] = readdirSync(missing);

  await row.getByRole('link', { name: 'Disk' }).focus();
  await page.keyboard.press('Enter');
  const record = page.getByRole('dialog', { name: 'Edit Disk' });
  await expect(record.getByText(file)).toBeVisible();
  await expect(record.getByText('npx panel restore latest --from "Disk"')).toBeVisible();
  await record.getByRole('button', { name: 'Test', exact: true }).click();
  await expect(getToast(page, /^Disk works/)).toBeVisible();
  expect(readdirSync(missing)).toEqual([file]);
  await record.getByLabel('How many to keep there').fill('3');
  await record.getByRole('button', { name: 'Save' }).click();
  await expect(getToast(page, 'Storage saved')).toBeVisible();
  await row.getByRole('link', { name: 'Disk' }).click();
  await expect(record.getByLabel('How many to keep there')).toHaveValue('3');
  await record.getByRole('button', { name: 'Delete', exact: true }).click();
  const question = page.getByRole('dialog', { name: 'Delete this storage?' });
  await question.getByRole('button', { name: 'Delete' }).click();
  await expect(places.getByText('No backup leaves this machine')).toBeVisible();
  expect(readdirSync(missing)).toEqual([file]);
});

// Under CI it must be there: the test fails without it.
const withSshd = existsSync(SSHD) || process.env.CI === 'true' ? test : test.fixme;
withSshd('an SFTP server shows its key, which is confirmed once', async ({ page, own }) => {
  await using server = await openSftpServer([]);
  await server.start();
  const { host = '', port = '', user = '', path = '', private_key = '' } = server.input.fields;
  await own.visit('settings/backups/places/new');
  const form = page.getByRole('dialog', { name: 'Add storage' });
  await form.getByLabel('Kind').selectOption('sftp');
  await form.getByLabel('Name', { exact: true }).fill('NAS');
  await form.getByLabel('Host', { exact: true }).fill(host);
  await form.getByLabel('Port (optional)').fill(port);
  await form.getByLabel('User').fill(user);
  await form.getByLabel('Folder (optional)').fill(path);
  await form.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE);
  await form.getByLabel('Allow a private address').check();
  await page.keyboard.press('ControlOrMeta+Enter');
  await expect(form.getByText('Enter a password or a private key')).toBeVisible();
  await form.getByLabel('Private key').fill(private_key);
  await expect(form.getByText('Enter a password or a private key')).toHaveCount(0);
  await page.keyboard.press('ControlOrMeta+Enter');
  await prove(page);
  await expect(form.getByText(server.hostKey, { exact: true })).toBeVisible();
  await expectAccessible(page, 'a host key to be confirmed');
  await form.getByRole('button', { name: 'Use this key' }).click();
  await expect(form.getByLabel('Host key (optional)')).toHaveValue(server.hostKey);
  await page.keyboard.press('ControlOrMeta+Enter');
  await expect(getToast(page, 'Storage added')).toBeVisible();
  await card(page, 'Backup storage').getByRole('link', { name: 'NAS' }).click();
  const record = page.getByRole('dialog', { name: 'Edit NAS' });
  // The key never comes back.
  await expect(record.getByLabel('Private key')).toHaveValue('');
  await expect(record.getByText('No backup is there yet.')).toBeVisible();
});

for (const { locale, theme } of LOOKS) {
  const texts = locale === 'ru' ? russian : english;
  test.describe(`in ${locale}, ${theme}`, () => {
    test.use({ view: { locale, theme } });
    test('are accessible in every state, wide and narrow', async ({ page, own }) => {
      const bot = otherWindow(own);
      const rest = { passphrase: PASSPHRASE, every_hours: null, password: ADMIN.password };
      const add = async (name: string, more: object = {}) => {
        const path = join(folder, name);
        mkdirSync(path);
        const { body } = await bot.call('createBackupPlace', {
          kind: 'folder',
          name,
          fields: { path },
          ...rest,
          ...more,
        });
        return body.id;
      };
      const stored = await add('Disk', { every_hours: 24 });
      const failing = await add('Share');
      await add('Clear', { passphrase: null });
      rmSync(join(folder, 'Share'), { recursive: true });
      for (const id of [stored, failing]) await bot.call('backUpToPlace', { id });
      const outcomes = async () =>
        (await bot.call('listBackupPlaces', {})).body.items.map(({ running, error }) => [running, error]);
      await expect.poll(outcomes).toEqual([
        [false, null],
        [false, 'place_not_found'],
        [false, null],
      ]);
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 900 });
        await own.visit('settings/backups');
        const places = card(page, texts.places.title);
        await expect(places.getByText(texts.places.state.failing, { exact: true })).toBeVisible();
        await expect(places.getByText(texts.places.clear, { exact: true })).toBeVisible();
        await expectAccessible(page, `places at ${width} px`);
        await own.visit(`settings/backups/places/${stored}`);
        await expect(page.getByRole('dialog').getByText(/\.gatehouse-backup$/)).toBeVisible();
        await expectAccessible(page, `a place at ${width} px`);
        await own.visit('settings/backups/places/new');
        await expect(page.getByRole('dialog')).toBeVisible();
        await expectAccessible(page, `a new place at ${width} px`);
        expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
      }
    });
  });
}
