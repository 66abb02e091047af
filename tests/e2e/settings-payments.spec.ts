// Payment providers: added with keys that were tried, changed without showing them, tried again, disabled, deleted.
import { openBotApi } from '../support/bot-api.ts';
import { openStars } from '../support/providers/stars.ts';
import { openStripe } from '../support/providers/stripe.ts';
import { expectAccessible } from './support/axe.ts';
import { expect, test } from './support/fixtures.ts';
import { ADMIN } from './support/panels.ts';
import { card, prove } from './support/settings.ts';
import { otherWindow } from './support/users.ts';

test('a payment provider and the bot are added, changed, tried, disabled and deleted', async ({ page, own }) => {
  await using fake = await openStars();
  const token = fake.fields.bot_token ?? '';
  await own.visit('settings/payments');
  const list = card(page, 'Payment providers');
  await expect(list.getByText('No payment providers yet')).toBeVisible();
  await list.getByRole('link', { name: 'Add a provider' }).click();

  const form = page.getByRole('dialog', { name: 'Add a payment provider' });
  await form.getByLabel('Provider', { exact: true }).selectOption('yookassa');
  await expect(form.getByLabel('shopId')).toBeVisible();
  await form.getByLabel('Provider', { exact: true }).selectOption('stars');
  await form.getByLabel('Name').fill('Bot');
  await form.getByLabel('Token of the bot').fill('not a token');
  await page.keyboard.press('Control+Enter');
  await expect(form.getByText('This has the wrong format. Copy all of it.')).toBeVisible();
  await expectAccessible(page, 'the form of a payment provider');
  await form.getByLabel('Token of the bot').fill('7654321:AAunknown-to-the-api');
  await form.getByLabel('Address of the API (optional)').fill(fake.root);
  await form.getByLabel('Allow a private address').check();
  await page.keyboard.press('Control+Enter');
  await prove(page);
  await expect(form.getByText(/does not accept these keys/)).toBeVisible();
  await form.getByLabel('Token of the bot').fill(token);
  await page.keyboard.press('Control+Enter');
  await expect(form).toBeHidden();

  const row = list.getByRole('listitem').filter({ hasText: 'Bot' });
  await expect(row).toContainText('@shop_bot');
  await expect(row).toContainText('Enabled');
  await expectAccessible(page, 'payment providers');
  await row.getByRole('link', { name: 'Bot' }).click();
  const record = page.getByRole('dialog', { name: 'Change Bot' });
  await expect(record.getByLabel('Token of the bot')).toHaveValue('');
  await record.getByLabel('Name').fill('Stars');
  await page.keyboard.press('Control+Enter');
  await expect(record).toBeHidden();
  await expect(list.getByRole('link', { name: 'Stars' })).toBeVisible();
  expect(await page.content()).not.toContain(token);

  fake.fail('getMe', 'down');
  await list.getByRole('link', { name: 'Stars' }).click();
  const changed = page.getByRole('dialog', { name: 'Change Stars' });
  await changed.getByRole('button', { name: 'Test keys' }).click();
  await expect(
    page.getByText(/The provider did not confirm the keys\. The provider has an error of its own\./),
  ).toBeVisible();
  await changed.getByRole('button', { name: 'Test keys' }).click();
  await expect(page.getByText('The keys are valid')).toBeVisible();
  await changed.getByRole('button', { name: 'Disable' }).click();
  await expect(changed.getByRole('button', { name: 'Enable' })).toBeVisible();
  await changed.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog', { name: 'Delete this provider' }).getByRole('button', { name: 'Delete' }).click();
  await expect(list.getByText('No payment providers yet')).toBeVisible();

  await using cards = await openStripe();
  const { body: stripe } = await otherWindow(own).call('createProvider', {
    kind: cards.kind,
    name: 'Cards',
    fields: cards.fields,
    api_root: cards.root,
    allow_private: true,
    password: ADMIN.password,
  });
  await page.reload();
  await list.getByRole('link', { name: 'Cards' }).click();
  const shop = page.getByRole('dialog', { name: 'Change Cards' });
  await shop.getByRole('switch', { name: /Receive webhooks/ }).press('Space');
  await expect(shop.getByText(/\/hook\/[\w-]{32}$/)).toBeVisible();
  await expectAccessible(page, 'the webhook of a provider');
  await shop.getByRole('switch', { name: /Receive webhooks/ }).press('Space');
  await expect(shop.getByText(/\/hook\//)).toBeHidden();
  await page.keyboard.press('Escape');
  await expect(shop).toBeHidden();
  expect(stripe.hook_url).toBeNull();

  await using restricted = await openStripe(['checkout_session_write']);
  await list.getByRole('link', { name: 'Add a provider' }).click();
  await form.getByLabel('Provider', { exact: true }).selectOption('stripe');
  await form.getByLabel('Name').fill('Restricted');
  await expect(form.getByText(/these permissions: Checkout Sessions: Write, .*Events: Read/)).toBeVisible();
  await form.getByLabel('Secret key', { exact: true }).fill(restricted.fields.secret_key ?? '');
  await form.getByLabel('Address of the API (optional)').fill(restricted.root);
  await form.getByLabel('Allow a private address').check();
  await page.keyboard.press('Control+Enter');
  await expect(form.getByText(/lacks permissions\. .*: Charges and Refunds: Write, Events: Read\./)).toBeVisible();
  await expectAccessible(page, 'permissions that a key lacks');
  restricted.granted.add('charge_write').add('event_read');
  await page.keyboard.press('Control+Enter');
  await expect(form).toBeHidden();
  restricted.granted.delete('event_read');
  await list.getByRole('link', { name: 'Restricted' }).click();
  const lacking = page.getByRole('dialog', { name: 'Change Restricted' });
  await lacking.getByRole('button', { name: 'Test keys' }).click();
  await expect(page.getByText('did not confirm the keys. The keys lack permissions: Events: Read.')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(list.getByRole('listitem').filter({ hasText: 'Restricted' })).toContainText('Events: Read');
  await own.visit('overview');
  const matter = page.getByRole('listitem').filter({ hasText: 'The payment provider Restricted refuses requests' });
  await matter.getByRole('link', { name: 'Open provider' }).click();
  await expect(lacking).toBeVisible();
  await page.keyboard.press('Escape');

  await using telegram = await openBotApi();
  await own.visit('settings/bot');
  const bot = card(page, 'Telegram bot');
  await bot.getByLabel('Token').fill('not a token');
  await bot.getByRole('button', { name: 'Test and save' }).click();
  await expect(bot.getByText('This has the wrong format. Copy all of it.')).toBeVisible();
  await expectAccessible(page, 'the form of the bot');
  await bot.getByLabel('Token').fill('7654321:AAunknown-to-telegram');
  await bot.getByLabel('Address of the Bot API (optional)').fill(telegram.root);
  await bot.getByLabel('Allow a private address').check();
  await bot.getByRole('button', { name: 'Test and save' }).click();
  await expect(bot.getByText('Telegram does not accept this token.')).toBeVisible();
  await bot.getByLabel('Token').fill(telegram.token);
  await bot.getByRole('button', { name: 'Test and save' }).click();
  await expect(bot.getByText('@anna_vpn_bot')).toBeVisible();
  await expect(bot.getByText('Running')).toBeVisible();
  expect(await page.content()).not.toContain(telegram.token);
  await expectAccessible(page, 'the bot');
  await bot.getByRole('button', { name: 'Test' }).click();
  await expect(page.getByText(/Telegram answered in \d+ ms/)).toBeVisible();

  const accounts = card(page, 'Your Telegram accounts');
  await expect(accounts.getByText('No paired accounts.')).toBeVisible();
  await accounts.getByRole('button', { name: 'Pair an account' }).click();
  const command = accounts.getByText(/^\/start admin_/);
  await expect(command).toBeVisible();
  await expectAccessible(page, 'the link that pairs a Telegram account');
  telegram.write(1001, (await command.textContent()) ?? '', { first_name: 'Anna <b>' });
  await expect(accounts.getByText('Anna <b>', { exact: true })).toBeVisible();
  const ownNotices = card(page, 'Notifications');
  await ownNotices.getByRole('switch', { name: 'A new version is available' }).uncheck();
  await ownNotices.getByRole('switch', { name: 'Quiet hours' }).check();
  await ownNotices.getByRole('button', { name: 'Save' }).click();
  const pairing = async () => (await own.administrator?.call('getBotAdmins', {}))?.body;
  await expect
    .poll(pairing)
    .toMatchObject({ quiet: { from: 22, until: 8 }, on: expect.not.arrayContaining(['update']) });
  await expectAccessible(page, 'the accounts of the administrator');
  await accounts.getByRole('button', { name: 'Remove Anna <b>' }).click();
  await page.getByRole('dialog', { name: 'Remove this account' }).getByRole('button', { name: 'Remove' }).click();
  await expect.poll(async () => (await pairing())?.items).toEqual([]);

  const notices = card(page, 'Notices to users');
  await notices.getByRole('switch', { name: 'A day after the end' }).uncheck();
  const text = notices.getByLabel('Text: 3 days before the end', { exact: true });
  await text.fill('{{name}}: {{nothing}}');
  await notices.getByRole('button', { name: 'Save' }).click();
  await expect(notices.getByText('There is no placeholder {{nothing}}.')).toBeVisible();
  await text.fill('{{name}}, {{days}} left');
  await expect(notices.getByText('Anna, 3 days left')).toBeVisible();
  await expectAccessible(page, 'notices to users');
  await notices.getByRole('button', { name: 'Save' }).click();
  const saved = async () => (await own.administrator?.call('getBotNotices', {}))?.body;
  await expect.poll(saved).toMatchObject({ on: expect.not.arrayContaining(['after']) });
  expect(await saved()).toMatchObject({
    texts: expect.arrayContaining([expect.objectContaining({ kind: 'days_3', text: '{{name}}, {{days}} left' })]),
  });

  await own.administrator?.call('createTariff', { name: 'Month', duration: { months: 1 } });
  await own.administrator?.call('createUser', { name: 'Anna', tariff_id: 1 });
  await own.visit('users/1');
  await page.getByRole('button', { name: 'Link a Telegram account' }).click();
  const botLink = page.getByText(/^https:\/\/t\.me\/anna_vpn_bot\?start=link_/);
  await expect(botLink).toBeVisible();
  await expectAccessible(page, 'the link that links a Telegram account');
  telegram.write(6006, `/start ${(await botLink.textContent())?.split('start=')[1]}`);
  const anna = async () => (await own.administrator?.call('getUser', { id: 1 }))?.body;
  await expect.poll(anna).toMatchObject({ telegram_id: 6006 });
  await own.visit('users');
  await own.visit('users/1');
  await page.getByRole('button', { name: 'Send the link into the chat' }).click();
  await expect(page.getByText('The link is being sent to Anna in Telegram')).toBeVisible();
  await expect.poll(() => telegram.findLastMessage(6006)?.text).toContain((await anna())?.sub_url);
  await own.visit('settings/bot');

  await bot.getByRole('button', { name: 'Stop' }).click();
  await expect(bot.getByText('Off', { exact: true })).toBeVisible();
  await bot.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog', { name: 'Delete the token' }).getByRole('button', { name: 'Delete' }).click();
  await expect(card(page, 'Telegram bot').getByLabel('Token')).toHaveValue('');
});

test('the form of a provider leads to its guide, and guides to one another', async ({ page, own }) => {
  await own.visit('settings/payments/new');
  await page.getByLabel('Provider', { exact: true }).selectOption('stripe');
  const opened = page.waitForEvent('popup');
  await page.getByRole('link', { name: 'Sell with Stripe' }).click();
  // What was typed stays in the form.
  const guide = await opened;
  await expect(page.getByRole('dialog', { name: 'Add a payment provider' })).toBeVisible();
  await expect(guide.getByRole('heading', { name: 'Sell with Stripe', level: 1 })).toBeVisible();
  await expect(guide.getByRole('heading', { name: 'Test purchase' })).toBeVisible();
  await expectAccessible(guide, 'the guide to Stripe');
  const guides = guide.getByRole('navigation', { name: 'Guides' });
  await guides.getByRole('link', { name: 'YooKassa' }).click();
  await expect(guide.getByRole('cell', { name: '22/122' })).toBeVisible();
  await guides.getByRole('link', { name: 'Webhooks' }).click();
  await expect(guide.getByRole('heading', { name: 'If nothing arrives' })).toBeVisible();
  await guide.getByRole('link', { name: 'Payment providers' }).click();
  await expect(card(guide, 'Payment providers').getByText('No payment providers yet')).toBeVisible();
});
