// Rules of subscription links: made, ordered, switched, tried and deleted; and the headers for single apps.
import { expectAccessible } from './support/axe.ts';
import { expect, test } from './support/fixtures.ts';
import { card } from './support/settings.ts';
import { getToast } from './support/toast.ts';

const HOSTILE = '<img src=x onerror=alert(1)> بوت 🦦';

test('rules are made, ordered, tried and deleted', async ({ page, own }) => {
  const call = own.administrator?.call;
  if (!call) throw new Error('no administrator');
  const { id: tariff_id } = (await call('createTariff', { name: 'Plan' })).body;
  const { id } = (await call('createUser', { name: 'Anna', tariff_id })).body;
  await own.visit('settings/subscription');
  const rules = card(page, 'Rules for apps');
  await rules.getByRole('link', { name: 'Add rule' }).click();
  const form = page.getByRole('dialog', { name: 'Add rule' });
  await form.getByLabel('Name').fill(HOSTILE);
  await form.getByLabel('Apps').fill('Happ/*\nv2raytun/*');
  await form.getByLabel('Headers of the reply').fill('content-length: 1');
  await page.keyboard.press('Control+Enter');
  await expect(form.getByText('Headers of the connection cannot be set.')).toBeVisible();
  await expectAccessible(page, 'a refused rule');
  await form.getByLabel('Headers of the reply').fill('X-Own: a');
  await form.getByLabel('Format').selectOption('Xray JSON');
  await page.keyboard.press('Control+Enter');
  await expect(getToast(page, 'Settings saved')).toBeVisible();
  const row = rules.getByRole('listitem').filter({ hasText: HOSTILE });
  await expect(row).toContainText('Gets Xray JSON');
  await expect(row).toContainText('1 header');

  await rules.getByRole('link', { name: 'Add rule' }).click();
  await form.getByLabel('Name').fill('No robots');
  await form.getByLabel('Apps').fill('curl/*');
  await form.getByLabel('The app gets').selectOption('Nothing');
  await page.keyboard.press('Control+Enter');
  await rules.getByRole('button', { name: 'Move No robots up' }).click();
  await expect(rules.getByRole('listitem').first()).toContainText('No robots');
  await rules.getByRole('switch', { name: `Enable ${HOSTILE}` }).press(' ');
  await expect(row).toContainText('Disabled');
  await rules.getByRole('switch', { name: `Enable ${HOSTILE}` }).press(' ');
  await expect(row).not.toContainText('Disabled');
  expect((await call('getSubscriptionRules', {})).body.items).toMatchObject([
    { id: 2, apps: ['curl/*'], action: 'refuse' },
    { id: 1, apps: ['Happ/*', 'v2raytun/*'], format: 'xray', headers: [{ name: 'x-own', value: 'a' }], enabled: true },
  ]);

  const tries = card(page, 'Try a link');
  await tries.getByRole('combobox', { name: 'User', exact: true }).fill('Anna');
  await page.getByRole('option', { name: `Anna (${id})` }).click();
  await tries.getByLabel('User-Agent of the app').fill('Happ/3.21.1');
  await page.keyboard.press('Escape');
  await tries.getByRole('button', { name: 'Show reply' }).click();
  await expect(tries.getByText(`The rule “${HOSTILE}” applies.`)).toBeVisible();
  await expect(tries.getByText('x-own')).toBeVisible();
  await expect(tries.getByText(/"outbounds"/)).toBeVisible();
  await expectAccessible(page, 'a reply of a link');
  await tries.getByLabel('User-Agent of the app').fill('curl/8');
  await page.keyboard.press('Escape');
  await tries.getByRole('button', { name: 'Show reply' }).click();
  await expect(tries.getByText(/Refused by the rule “No robots”/)).toBeVisible();

  await rules.getByRole('link', { name: 'No robots' }).click();
  await page.getByRole('dialog', { name: 'No robots' }).getByRole('button', { name: 'Delete' }).click();
  await page
    .getByRole('dialog', { name: 'Delete the rule No robots?' })
    .getByRole('button', { name: 'Delete' })
    .click();
  await expect(getToast(page, 'Rule deleted')).toBeVisible();
  await expect(rules.getByRole('listitem')).toHaveCount(1);
});

test('headers for apps are checked, and a Provider ID says what it does', async ({ page, own }) => {
  await own.visit('settings/subscription');
  const headers = card(page, 'Headers for apps');
  await headers.getByLabel('Routing for Happ').fill('incy://routing/add/e30=');
  await expect(headers.getByText(/reports to its vendor/)).toHaveCount(0);
  await headers.getByLabel('Provider ID of Happ').fill('abcd1234');
  await expect(headers.getByText(/reports to its vendor each day/)).toBeVisible();
  await headers.getByLabel('Hide the settings of servers').check();
  await headers.getByLabel('Send the first packets in fragments').check();
  await headers.getByRole('button', { name: 'Save' }).click();
  await expect(headers.getByText('A routing profile of this app, up to 6,000 characters.')).toBeVisible();
  await expectAccessible(page, 'a refused routing profile');
  await headers.getByLabel('Routing for Happ').fill('happ://routing/off');
  await headers.getByRole('button', { name: 'Save' }).click();
  await expect(getToast(page, 'Settings saved')).toBeVisible();
  expect((await own.administrator?.call('getSubscriptionHeaders', {}))?.body).toMatchObject({
    happ_routing: 'happ://routing/off',
    happ_provider_id: 'abcd1234',
    happ_hide_settings: true,
    happ_fragment: { packets: 'tlshello', length: '50-100', interval: '5' },
    happ_noise: null,
  });
});

test('a template is copied, refused with the place of the error, saved and chosen', async ({ page, own }) => {
  await own.visit('settings/subscription');
  const templates = card(page, 'Templates');
  await templates.getByRole('link', { name: 'Copy Russia direct' }).click();
  const form = page.getByRole('dialog', { name: 'Add template' });
  await expect(form.getByLabel('Name')).toHaveValue('Copy of Russia direct');
  await form.getByLabel('Name').fill(HOSTILE);
  await form.getByRole('tab', { name: 'sing-box' }).click();
  await form.getByLabel('Document for sing-box').fill('{"outbounds": [');
  await form.getByRole('tab', { name: 'mihomo' }).click();
  await page.keyboard.press('Control+Enter');
  await expect(form.getByText(/Cannot be read\. .*line 1/)).toBeVisible();
  await expectAccessible(page, 'a refused template');
  await form.getByLabel('Document for sing-box').fill('');
  await page.keyboard.press('Control+Enter');
  await expect(getToast(page, 'Settings saved')).toBeVisible();
  await templates.getByLabel('Template for all users').selectOption(HOSTILE);
  await expect
    .poll(async () => (await own.administrator?.call('getSubscriptionTemplates', {}))?.body.default)
    .toBe('own-1');

  const choices = card(page, 'For plans and tags');
  await choices.getByRole('link', { name: 'Add choice' }).click();
  const choice = page.getByRole('dialog', { name: 'Add choice' });
  await choice.getByLabel('Template').selectOption('Iran direct');
  await page.keyboard.press('Control+Enter');
  await expect(choice.getByText('Choose a plan or a tag.')).toBeVisible();
  await expectAccessible(page, 'a refused choice');
  await choice.getByLabel('Tags of users', { exact: true }).fill('vip');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Control+Enter');
  await expect(choices.getByRole('listitem')).toHaveText(/Iran direct.*Tags: vip/);
  const saved = (await own.administrator?.call('getSubscriptionTemplates', {}))?.body;
  expect(saved).toMatchObject({ default: 'own-1', choices: [{ template: 'iran', tariffs: [], tags: ['vip'] }] });

  await templates.getByRole('link', { name: HOSTILE, exact: true }).click();
  await page.getByRole('dialog', { name: HOSTILE }).getByRole('button', { name: 'Delete' }).click();
  await page
    .getByRole('dialog', { name: `Delete the template ${HOSTILE}?` })
    .getByRole('button', { name: 'Delete' })
    .click();
  await expect(getToast(page, 'Template deleted')).toBeVisible();
  await expect(templates.getByLabel('Template for all users')).toHaveValue('');
});

test('apps are added, checked, offered on the page, and the default list comes back', async ({ page, own }) => {
  await own.visit('settings/subscription');
  const apps = card(page, 'Apps on the page');
  await expect(apps.getByRole('listitem').first()).toContainText('Happ');
  await apps.getByRole('link', { name: 'Add app' }).click();
  const form = page.getByRole('dialog', { name: 'Add app' });
  await form.getByLabel('Name').fill(HOSTILE);
  await form.getByLabel('Import link').fill('javascript:alert("{url}")');
  await form.getByLabel('Install on iPhone, iPad').fill('https://own.example/app');
  await page.keyboard.press('Control+Enter');
  await expect(form.getByText('A link of the app such as happ://add/{url}.')).toBeVisible();
  await expectAccessible(page, 'a refused app');
  await form.getByLabel('Import link').fill('own://add/{url}');
  await page.keyboard.press('Control+Enter');
  await expect(getToast(page, 'Settings saved')).toBeVisible();
  await expect(apps.getByRole('listitem').last()).toContainText(HOSTILE);
  await apps.getByRole('button', { name: `Move ${HOSTILE} up` }).click();
  await expect(apps.getByRole('listitem').last()).not.toContainText(HOSTILE);
  const saved = async () => (await own.administrator?.call('getSubscriptionApps', {}))?.body;
  expect((await saved())?.items.at(-2)).toMatchObject({ link: 'own://add/{url}', stores: [{ system: 'ios' }] });
  await apps.getByRole('button', { name: 'Use the default list' }).click();
  await expect.poll(async () => (await saved())?.is_default).toBe(true);
  await expect(apps.getByText(HOSTILE)).toHaveCount(0);
});
