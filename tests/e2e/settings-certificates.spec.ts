// Certificates: what is served is what the page says, another is imported or renewed, and the authority can be taken away.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { expectAccessible } from './support/axe.ts';
import { expect, test } from './support/fixtures.ts';
import { card, prove } from './support/settings.ts';
import { getToast } from './support/toast.ts';

/** The SHA-256 fingerprint of what is served at an address now. */
function servedAt(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().fingerprint256);
      socket.end();
    });
    socket.once('error', reject);
  });
}

test('what is served is shown, and renewed without a dropped page', async ({ page, own }) => {
  await own.visit('settings/certificates');
  const served = card(page, 'The panel’s certificate');
  const before = await servedAt(own.url);
  await expect(served).toContainText(before);
  await expect(served).toContainText('Created by this panel');
  // It goes on in the next line behind a byte.
  const lines = await served.getByText(before).evaluate((code) =>
    [...code.childNodes]
      .filter(({ nodeType }) => nodeType === Node.TEXT_NODE)
      .map((byte) => {
        const range = document.createRange();
        range.selectNode(byte);
        return range.getClientRects().length;
      }),
  );
  expect(lines).toEqual(new Array(32).fill(1));
  await expect(served.getByText(/^\s*\d+ days left$/)).toBeVisible();

  await served.getByRole('button', { name: 'Renew' }).click();
  const question = page.getByRole('dialog', { name: 'Create a new certificate?' });
  await expectAccessible(page, 'the question before a new certificate');
  await question.getByRole('button', { name: 'Renew' }).click();
  await prove(page);
  await expect(getToast(page, /^New certificate in use, valid until/)).toBeVisible();
  const after = await servedAt(own.url);
  expect(after).not.toBe(before);
  await expect(served).toContainText(after);
});

test('a certificate is imported from its files; one that cannot be served says why', async ({
  page,
  own,
  freshPanel,
}) => {
  // Another panel's certificate is as foreign here as any.
  const read = (panel: typeof freshPanel, name: string) => readFileSync(join(panel.folder, 'tls', name), 'utf8');
  const chain = `${read(freshPanel, 'server.pem')}\n${read(freshPanel, 'ca.pem')}`;
  const key = read(freshPanel, 'server-key.pem');

  await own.visit('settings/certificates');
  await page.getByRole('link', { name: 'Import a certificate' }).click();
  const form = page.getByRole('dialog', { name: 'Import a certificate' });
  await form.getByRole('button', { name: 'Import', exact: true }).click();
  await expect(form.getByText('It contains no certificate in PEM')).toBeVisible();

  await form.getByLabel('Certificate and chain').fill('-----BEGIN NONSENSE-----\n<script>alert(1)</script>');
  await form.getByLabel('Private key', { exact: true }).fill(read(own, 'server-key.pem'));
  await form.getByRole('button', { name: 'Import', exact: true }).click();
  await prove(page);
  await expect(form.getByText('It contains no certificate in PEM')).toBeVisible();
  await form.getByLabel('Certificate and chain').fill(chain);
  await form.getByRole('button', { name: 'Import', exact: true }).click();
  await expect(form.getByText('This key does not match the certificate')).toBeVisible();
  await expectAccessible(page, 'a refused certificate');

  const chooser = page.waitForEvent('filechooser');
  await form.getByRole('button', { name: 'From a file : Private key' }).click();
  await (await chooser).setFiles({ name: 'privkey.pem', mimeType: 'text/plain', buffer: Buffer.from(key) });
  await expect(form.getByLabel('Private key', { exact: true })).toHaveValue(key);
  await form.getByRole('button', { name: 'Import', exact: true }).click();
  await expect(getToast(page, /^Certificate imported, valid until/)).toBeVisible();
  await expect(form).toBeHidden();

  const served = card(page, 'The panel’s certificate');
  await expect(served).toContainText('Imported');
  await expect(served).toContainText(await servedAt(own.url));
  await expectAccessible(page, 'an imported certificate');
});

test('the authority for bots is downloaded and is the one that signed', async ({ page, own }) => {
  await own.visit('settings/certificates');
  const coming = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download gatehouse-ca.pem' }).click();
  const file = await coming;
  expect(file.suggestedFilename()).toBe('gatehouse-ca.pem');
  expect(readFileSync(await file.path(), 'utf8').trim()).toBe(readFileSync(own.caPath, 'utf8').trim());
});

test('one is ordered by ACME: what is missing is said, a failed order says why, and it is turned off', async ({
  page,
  own,
}) => {
  await own.visit('settings/certificates');
  const acme = card(page, 'A certificate from a public authority (ACME)');
  await acme.getByRole('link', { name: 'Order a certificate' }).click();
  const form = page.getByRole('dialog', { name: 'Order a certificate by ACME' });
  await expect(form.getByRole('combobox', { name: 'Names' })).toBeFocused();
  await form.getByRole('button', { name: 'Order' }).click();
  await expect(form.getByText('At least one name is needed')).toBeVisible();
  await expect(form.getByText('Required by the authority')).toBeVisible();
  await expectAccessible(page, 'an order with something missing');

  const names = form.getByRole('combobox', { name: 'Names' });
  await names.fill('panel.example.com');
  await names.press('Enter');
  await form.getByRole('combobox', { name: 'Authority' }).click();
  await page.getByRole('option', { name: 'Other' }).click();
  // Nothing listens there.
  await form.getByLabel('Address of its directory').fill('https://127.0.0.1:9/directory');
  await form.getByLabel(/^I have read the authority’s terms/).check();
  await form.getByRole('button', { name: 'Order' }).click();
  await prove(page);
  await expect(form).toBeHidden();

  await expect(acme.getByText('The authority cannot be reached.')).toBeVisible({ timeout: 60_000 });
  await expect(acme.getByText(/^Check that this machine reaches the internet/)).toBeVisible();
  await expect(acme.getByText('panel.example.com')).toBeVisible();
  await expect(acme.getByText('The last order failed')).toBeVisible();
  await expectAccessible(page, 'a failed order');

  await acme.getByRole('button', { name: 'Turn off' }).click();
  const question = page.getByRole('dialog', { name: 'Turn certificates by ACME off?' });
  await expectAccessible(page, 'the question before ACME is turned off');
  await question.getByRole('button', { name: 'Turn off' }).click();
  await expect(acme.getByRole('link', { name: 'Order a certificate' })).toBeVisible();
});

test.describe('in Russian on a phone', () => {
  test.use({ view: { locale: 'ru', theme: 'dark' }, viewport: { width: 360, height: 740 } });

  test('the order of a certificate fits', async ({ page, own }) => {
    await own.visit('settings/certificates/acme');
    await expect(page.getByRole('dialog', { name: 'Заказ сертификата по ACME' })).toBeVisible();
    await expectAccessible(page, 'the order of a certificate, ru, dark, 360 px');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  });
});

test('a new authority is made, and the panel says that clients need its file until that is confirmed', async ({
  page,
  own,
}) => {
  const caFile = join(own.folder, 'tls', 'ca.pem');
  const before = readFileSync(caFile, 'utf8');
  await own.visit('settings/certificates');
  const authority = card(page, 'The panel’s own authority');
  await authority.getByRole('button', { name: 'New authority' }).click();
  const question = page.getByRole('dialog', { name: 'Create a new authority?' });
  await expectAccessible(page, 'the question before a new authority');
  await question.getByRole('button', { name: 'New authority' }).click();
  await prove(page);
  await expect(authority.getByText(/^It replaced another one on/)).toBeVisible();
  expect(readFileSync(caFile, 'utf8')).not.toBe(before);
  await expectAccessible(page, 'an authority that was replaced');

  await own.visit('overview');
  await page.getByText(/^The panel’s own authority was replaced/).waitFor();
  await own.visit('settings/certificates');
  await authority.getByRole('button', { name: 'All clients have it' }).click();
  await expect(authority.getByText(/^It replaced another one on/)).toBeHidden();
});
