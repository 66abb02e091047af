// Connections: the form shows what the shape needs, makes the keys, and previews the link; what is named by a plan is not deleted.
import { expectAccessible } from './support/axe.ts';
import { chooseByKeyboard } from './support/choose.ts';
import { expect, test } from './support/fixtures.ts';
import { prove } from './support/settings.ts';
import { getToast } from './support/toast.ts';

test('are made with REALITY keys and the link as it will be', { tag: '@smoke' }, async ({ page, panel, visit }) => {
  await visit('connections');
  await page.getByRole('button', { name: /^Helsinki/ }).click();
  await page.keyboard.press('n');
  const form = page.getByRole('dialog', { name: 'Add a connection' });
  await expect(form.getByLabel('Public key')).toHaveValue(/^[\w-]{43}$/);
  await expect(form.getByLabel('Short ID', { exact: true })).toHaveValue(/^[0-9a-f]{16}$/);
  await expect(form.getByText('A private key was generated.')).toBeVisible();
  await form.getByLabel('Name', { exact: true }).fill('Helsinki, new');
  await form.getByRole('button', { name: 'Add connection' }).click();
  await expect(form.getByText('Fill this in')).toBeVisible();
  await form.getByLabel('Server name (SNI)').fill('www.example.org');
  const key = await form.getByLabel('Public key').inputValue();
  await expect(form.locator('code')).toContainText(`pbk=${key}`);
  await expect(form.locator('code')).toContainText('sni=www.example.org');
  await expect(form.locator('code')).toContainText('#Helsinki%2C%20new');
  await expectAccessible(page, 'the form of a connection');
  await form.getByRole('button', { name: 'Add connection' }).click();
  await expect(getToast(page, 'Connection Helsinki, new added')).toBeVisible();

  const list = await panel.administrator?.call('listInbounds', { limit: 500 });
  const made = list?.body.items.find(({ name }) => name === 'Helsinki, new');
  // The node's other connections have the first two of the usual ports.
  expect(made).toMatchObject({ has_private_key: true, public_key: key, tag: 'vless-reality-2', port: 2053 });

  await page.getByRole('link', { name: 'Helsinki, new' }).click();
  const record = page.getByRole('dialog', { name: 'Helsinki, new' });
  await expect(record.getByText('A private key is stored. It is never shown again.')).toBeVisible();
  await record.getByRole('button', { name: 'Generate new keys' }).click();
  await expect(record.getByText('After a change the apps of all users')).toBeVisible();
  await expect(record.getByLabel('Public key')).not.toHaveValue(key);
});

test('are told apart by their whole names, on a screen of 1024 px too', async ({ page, visit }) => {
  for (const width of [1024, 1280, 1440]) {
    await page.setViewportSize({ width, height: 768 });
    await visit('connections');
    const names = page.locator('tr[data-index] td:first-child a');
    await expect(
      names
        .filter({ hasText: 'Amsterdam, mobile' })
        .or(names.filter({ hasText: 'New York, spare' }))
        .first(),
    ).toBeVisible();
    const cut = await names.evaluateAll((links) =>
      links.filter((a) => a.scrollWidth > a.clientWidth).map((a) => a.textContent),
    );
    expect(cut, `${width} px`).toEqual([]);
    const acts = page.locator('tr[data-index="0"] td').last();
    expect(await acts.evaluate((cell) => cell.scrollWidth <= cell.clientWidth)).toBe(true);
  }
});

test('show only what their protocol, security and network need', async ({ page, visit }) => {
  await visit('connections/new');
  const form = page.getByRole('dialog');
  await expect(form.getByLabel('Public key')).toBeVisible();
  await form.getByText('Shadowsocks', { exact: true }).click();
  await expect(form.getByLabel('Cipher')).toBeVisible();
  for (const gone of ['Public key', 'Server name (SNI)', 'Path']) await expect(form.getByLabel(gone)).toHaveCount(0);
  await expect(form.getByText('Needs: Xray 1.4.0 or later')).toBeVisible();
  await form.getByText('Trojan', { exact: true }).click();
  await form.getByText('WebSocket', { exact: true }).click();
  await expect(form.getByLabel('Path')).toBeVisible();
  await expect(form.getByText('Needs: any Xray or v2ray')).toBeVisible();
  await expect(form.getByText('None', { exact: true })).toHaveCount(0);
  await form.getByText('REALITY', { exact: true }).click();
  await expect(form.getByText('WebSocket', { exact: true })).toHaveCount(0);
  await expect(form.getByLabel('Path')).toHaveCount(0);
  await form.getByLabel('Target', { exact: true }).fill('www.example.org');
  await form.getByLabel('Minimum client version').fill('1.8');
  await form.getByRole('button', { name: 'Add connection' }).click();
  await expect(form.getByText('Wrong format')).toHaveCount(2);
  await expectAccessible(page, 'a connection of trojan with reality');
});

test('behind a proxy have the name of its header', async ({ page, panel, visit }) => {
  await visit('connections/new?node=2');
  const form = page.getByRole('dialog');
  await form.getByText('VMess', { exact: true }).click();
  const header = form.getByLabel('Header of the proxy');
  await expect(header).toHaveCount(0);
  await form.getByText('WebSocket', { exact: true }).click();
  await form.getByLabel('Name', { exact: true }).fill('Behind a CDN');
  await header.fill('CF-Connecting-IP:');
  await form.getByRole('button', { name: 'Add connection' }).click();
  await expect(form.getByText('The name of one HTTP header, without a colon')).toBeVisible();
  await header.fill('CF-Connecting-IP');
  await expectAccessible(page, 'a connection behind a proxy');
  await form.getByRole('button', { name: 'Add connection' }).click();
  await expect(getToast(page, 'Connection Behind a CDN added')).toBeVisible();
  const find = async () => {
    const list = await panel.administrator?.call('listInbounds', { limit: 500 });
    return list?.body.items.find(({ name }) => name === 'Behind a CDN');
  };
  expect(await find()).toMatchObject({ network: 'ws', proxy_header: 'CF-Connecting-IP' });

  await visit(`connections/${(await find())?.id}`);
  await expect(header).toHaveValue('CF-Connecting-IP');
  await header.clear();
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(getToast(page, 'Connection Behind a CDN saved')).toBeVisible();
  expect(await find()).toMatchObject({ proxy_header: null });
});

test('share the port of another, which has a site for visitors', async ({ page, panel, visit }) => {
  await visit('connections/new?node=2');
  const form = page.getByRole('dialog');
  await form.getByText('TLS', { exact: true }).click();
  await form.getByLabel('Name', { exact: true }).fill('Owner');
  await form.getByLabel('Server name (SNI)').fill('de1.example.com');
  const port = await form.getByLabel('Port', { exact: true }).inputValue();
  const site = form.getByLabel('Fallback site');
  await site.fill('127.0.0.1');
  await form.getByLabel('Fragment').fill('tlshello,1');
  await form.getByRole('button', { name: 'Add connection' }).click();
  await expect(form.getByText('A host name or an address with a port')).toBeVisible();
  await expect(form.getByText(/^Packets, bytes, milliseconds/)).toBeVisible();
  await site.fill('127.0.0.1:8080');
  await form.getByLabel('Fragment').fill('tlshello, 100-200, 10-20');
  await chooseByKeyboard(form.getByRole('combobox', { name: 'PROXY protocol' }), '1');
  await expectAccessible(page, 'a connection with a fallback');
  await form.getByRole('button', { name: 'Add connection' }).click();
  await expect(getToast(page, 'Connection Owner added')).toBeVisible();
  const find = async (wanted: string) => {
    const list = await panel.administrator?.call('listInbounds', { limit: 500 });
    return list?.body.items.find(({ name }) => name === wanted);
  };
  const owner = await find('Owner');
  expect(owner).toMatchObject({
    fallback: '127.0.0.1:8080',
    fallback_proxy_protocol: 1,
    fragment: 'tlshello,100-200,10-20',
  });

  await visit('connections/new?node=2');
  await form.getByText('TLS', { exact: true }).click();
  await form.getByText('WebSocket', { exact: true }).click();
  await form.getByLabel('Name', { exact: true }).fill('Sharer');
  await form.getByLabel('Path').fill('/ws');
  await chooseByKeyboard(form.getByRole('combobox', { name: 'Shares the port of' }), `Owner · ${port}`);
  await expect(form.getByLabel('Port', { exact: true })).toHaveValue(port);
  await expect(form.getByLabel('Port', { exact: true })).toBeDisabled();
  await expect(form.getByLabel('ALPN')).toHaveCount(0);
  await expect(form.locator('code')).toContainText('sni=de1.example.com');
  await expectAccessible(page, 'a connection that shares a port');
  await form.getByRole('button', { name: 'Add connection' }).click();
  await expect(getToast(page, 'Connection Sharer added')).toBeVisible();
  expect(await find('Sharer')).toMatchObject({ port: Number(port), security: 'tls', shares_port_of: owner?.id });
});

test('of Hysteria2 ask for nothing but a name and an obfuscation, on a port of UDP', async ({ page, panel, visit }) => {
  await visit('connections/new?node=3');
  const form = page.getByRole('dialog', { name: 'Add a connection' });
  // The node has 443 and 8443 of TCP; Hysteria2 takes that of UDP.
  await expect(form.getByLabel('Port', { exact: true })).toHaveValue('2053');
  await form.getByText('Hysteria2', { exact: true }).click();
  await expect(form.getByLabel('Port', { exact: true })).toHaveValue('443');
  for (const gone of ['Public key', 'Fingerprint', 'ALPN', 'Path']) await expect(form.getByLabel(gone)).toHaveCount(0);
  await expect(form.getByText('Needs: Xray 26.3.23 or later')).toBeVisible();
  await form.getByLabel('Name', { exact: true }).fill('Mobile');
  await form.getByRole('button', { name: 'Generate a password' }).click();
  const password = await form.getByLabel('Obfuscation password').inputValue();
  expect(password).toMatch(/^[0-9a-f]{32}$/);
  await expect(form.locator('code')).toContainText(`obfs=salamander&obfs-password=${password}`);
  await expectAccessible(page, 'a connection of hysteria2');
  await form.getByRole('button', { name: 'Add connection' }).click();
  await expect(getToast(page, 'Connection Mobile added')).toBeVisible();
  const list = await panel.administrator?.call('listInbounds', { limit: 500 });
  expect(list?.body.items.find(({ name }) => name === 'Mobile')).toMatchObject({
    tag: 'hysteria2',
    network: 'quic',
    security: 'tls',
    port: 443,
    obfs_password: password,
  });
});

test('of VLESS have encryption, ML-DSA-65 and the settings of XHTTP, generated', async ({ page, panel, visit }) => {
  await visit('connections/new?node=3');
  const form = page.getByRole('dialog', { name: 'Add a connection' });
  await form.getByLabel('Name', { exact: true }).fill('Post-quantum');
  await form.getByLabel('Server name (SNI)').fill('www.example.org');
  await form.getByText('XHTTP', { exact: true }).click();
  await form.getByRole('combobox', { name: 'Mode' }).click();
  await page.getByRole('option', { name: 'packet-up' }).click();
  const extra = form.getByLabel('Extra settings (JSON)');
  await extra.fill('{"xPadding": 1}');
  await form.getByRole('button', { name: 'Add connection' }).click();
  await expect(form.getByText('Xray would not accept this: xPadding')).toBeVisible();
  await form.getByRole('button', { name: 'Generate obfuscation' }).click();
  await expect(extra).toHaveValue(/"xPaddingObfsMode": true/);
  await form.getByRole('button', { name: 'Generate a key' }).click();
  await expect(form.getByLabel('Key of apps')).toHaveValue(/^[\w-]{2603}$/);
  await form.getByRole('combobox', { name: 'Authentication' }).click();
  await page.getByRole('option', { name: 'ML-KEM-768' }).click();
  await form.getByRole('button', { name: 'Generate', exact: true }).click();
  await expect(form.getByLabel('Half of apps')).toHaveValue(/^mlkem768x25519plus\.native\.0rtt\.[\w-]{1579}$/);
  await expect(form.getByText('Needs: Xray 26.1.31 or later')).toBeVisible();
  await expect(form.locator('code')).toContainText('mode=packet-up&extra=%7B');
  await expectAccessible(page, 'a connection with every part of VLESS');
  const encryption = await form.getByLabel('Half of apps').inputValue();
  await form.getByRole('button', { name: 'Add connection' }).click();
  await expect(getToast(page, 'Connection Post-quantum added')).toBeVisible();
  const find = async () =>
    (await panel.administrator?.call('listInbounds', { limit: 500 }))?.body.items.find(
      ({ name }) => name === 'Post-quantum',
    );
  const made = await find();
  expect(made).toMatchObject({ encryption, xhttp_mode: 'packet-up', xhttp_extra: { sessionIDPlacement: 'cookie' } });

  await visit(`connections/${made?.id}`);
  const record = page.getByRole('dialog', { name: 'Post-quantum' });
  await expect(record.getByText('The half of the node is stored. It is never shown again.')).toBeVisible();
  await record.getByRole('group', { name: 'VLESS encryption' }).getByRole('button', { name: 'Remove' }).click();
  await record.getByRole('group', { name: 'ML-DSA-65 key' }).getByRole('button', { name: 'Remove' }).click();
  await record.getByLabel('Extra settings (JSON)').clear();
  await record.getByRole('button', { name: 'Save' }).click();
  await expect(getToast(page, 'Connection Post-quantum saved')).toBeVisible();
  expect(await find()).toMatchObject({ encryption: null, mldsa65_verify: null, xhttp_extra: null });
});

test('of WireGuard have keys, and addresses that need not be named', async ({ page, panel, visit }) => {
  await visit('connections/new?node=4');
  const form = page.getByRole('dialog', { name: 'Add a connection' });
  await form.getByText('WireGuard', { exact: true }).click();
  await expect(form.getByLabel('Port', { exact: true })).toHaveValue('443');
  for (const gone of ['Server name (SNI)', 'Short ID', 'Fingerprint'])
    await expect(form.getByLabel(gone)).toHaveCount(0);
  await expect(form.getByText('Needs: Xray 26.6.27 or later')).toBeVisible();
  await expect(form.getByLabel('Public key')).toHaveValue(/^[\w-]{43}$/);
  await form.getByLabel('Name', { exact: true }).fill('Tunnel');
  await form.getByLabel('MTU').fill('1280');
  await expect(form.locator('code')).toContainText('&address=10.64.0.2%2F32&mtu=1280#Tunnel');
  await expectAccessible(page, 'a connection of wireguard');
  await form.getByRole('button', { name: 'Add connection' }).click();
  await expect(getToast(page, 'Connection Tunnel added')).toBeVisible();
  const list = await panel.administrator?.call('listInbounds', { limit: 500 });
  expect(list?.body.items.find(({ name }) => name === 'Tunnel')).toMatchObject({
    tag: 'wireguard',
    network: 'udp',
    security: 'none',
    address_pool: '10.64.0.0/10',
    mtu: 1280,
    has_private_key: true,
  });
});

test('are on several nodes by one definition, chosen by keyboard', async ({ page, panel, visit }) => {
  await visit('connections/new?node=2');
  const form = page.getByRole('dialog', { name: 'Add a connection' });
  await form.getByText('WireGuard', { exact: true }).click();
  await form.getByLabel('Name', { exact: true }).fill('Everywhere');
  await form.getByLabel('Port', { exact: true }).fill('51999');
  const alsoOn = form.getByRole('combobox', { name: 'Also on' });
  await alsoOn.focus();
  await page.keyboard.type('Frank');
  const frankfurt = page.getByRole('option', { name: 'Frank' });
  await chooseByKeyboard(alsoOn, 'Frank', () =>
    expect(frankfurt).toHaveAttribute('aria-selected', 'true', { timeout: 1000 }),
  );
  await expectAccessible(page, 'a connection on two nodes');
  await page.keyboard.press('Control+Enter');
  await expect(getToast(page, 'Connection Everywhere added')).toBeVisible();
  const listGroup = async () => {
    const list = await panel.administrator?.call('listInbounds', { limit: 500 });
    return list?.body.items.filter(({ name }) => name.startsWith('Everywhere')) ?? [];
  };
  expect((await listGroup()).map(({ name, port }) => [name, port])).toEqual([
    ['Everywhere', 51_999],
    ['Everywhere · Frankfurt', 51_999],
  ]);

  await page.getByRole('link', { name: 'Everywhere', exact: true }).click();
  const record = page.getByRole('dialog', { name: 'Everywhere' });
  const others = record.getByRole('region', { name: 'On other nodes' });
  await expect(others.getByRole('link', { name: 'Everywhere · Frankfurt' })).toBeVisible();
  await record.getByLabel('Port', { exact: true }).fill('51998');
  await expectAccessible(page, 'a connection of a group');
  await record.getByRole('button', { name: 'Save' }).click();
  await expect(getToast(page, 'Connection Everywhere saved')).toBeVisible();
  await expect.poll(async () => (await listGroup()).map(({ port }) => port)).toEqual([51_998, 51_998]);

  await page.getByRole('link', { name: 'Everywhere', exact: true }).click();
  await record.getByRole('button', { name: 'More actions for Everywhere' }).click();
  await page.getByRole('menuitem', { name: 'Choose nodes' }).click();
  const question = page.getByRole('dialog', { name: 'Nodes of Everywhere' });
  await question.getByLabel('Frankfurt').focus();
  await page.keyboard.press('Space');
  await expect(question.getByText(/^It is deleted on 1 node/)).toBeVisible();
  await expectAccessible(page, 'the nodes of a connection');
  await page.keyboard.press('Enter');
  await expect(getToast(page, 'Everywhere is on 1 node')).toBeVisible();
  expect((await listGroup()).map(({ name }) => name)).toEqual(['Everywhere']);
});

test('with tls get a certificate of the panel, or an own one whose faults stand at its fields', async ({
  page,
  panel,
  visit,
}) => {
  await visit('connections/new?node=1');
  const form = page.getByRole('dialog', { name: 'Add a connection' });
  await form.getByText('TLS', { exact: true }).click();
  await expect(form.getByText('The panel creates a certificate for the server name')).toBeVisible();
  await form.getByLabel('Name', { exact: true }).fill('With TLS');
  await form.getByRole('button', { name: 'Use your own certificate' }).click();
  await form.getByLabel('Certificate and chain', { exact: true }).fill('hello');
  await form.getByLabel('Key of the certificate', { exact: true }).fill('hello');
  await expectAccessible(page, 'a connection with an own certificate');
  await form.getByRole('button', { name: 'Add connection' }).click();
  await expect(form.getByText('It contains no certificate in PEM')).toBeVisible();
  await expect(form.getByText('This cannot be read')).toBeVisible();
  await form.getByRole('button', { name: 'Let the panel create one' }).click();
  await form.getByRole('button', { name: 'Add connection' }).click();
  await expect(getToast(page, 'Connection With TLS added')).toBeVisible();
  const list = await panel.administrator?.call('listInbounds', { limit: 500 });
  const made = list?.body.items.find(({ name }) => name === 'With TLS');
  expect(made).toMatchObject({ security: 'tls', certificate: null, certificate_self_signed: true });
  await page.getByRole('link', { name: 'With TLS' }).click();
  await expect(page.getByRole('dialog').getByText('The current one is valid until')).toBeVisible();
});

test('warn of what may keep users from connecting, in the list and as the form stands', async ({
  page,
  panel,
  visit,
}) => {
  await panel.administrator?.call('createInbound', {
    node_id: 1,
    tag: 'warned',
    name: 'Warned',
    protocol: 'vless',
    host: 'public.example',
    port: 8447,
  });
  await visit('connections');
  await expect(page.getByRole('row', { name: /^Warned/ })).toContainText('1 warning');
  await page.getByRole('link', { name: 'Warned' }).click();
  const form = page.getByRole('dialog', { name: 'Warned' });
  const warnings = form.getByRole('region', { name: 'Possible connection problems' });
  await expect(warnings).toContainText('VLESS without TLS to a public address');
  await expect(warnings).toContainText('Choose TLS or REALITY, or generate VLESS encryption.');
  await expectAccessible(page, 'a connection with a warning');
  await form.getByText('REALITY', { exact: true }).click();
  await expect(warnings).toContainText('Apps on sing-box cannot connect');
  await expect(warnings.getByRole('listitem')).toHaveCount(1);
  await form.getByLabel('Target', { exact: true }).fill('www.apple.com:8443');
  await expect(warnings.getByRole('listitem')).toHaveCount(3);
  await form.getByText('None', { exact: true }).click();
  await form.getByLabel('Address', { exact: true }).fill('10.0.0.7');
  await expect(warnings).toHaveCount(0);
  await form.getByRole('button', { name: 'Save' }).click();
  await prove(page);
  await expect(getToast(page, 'Connection Warned saved')).toBeVisible();
  await expect(page.getByRole('row', { name: /^Warned/ })).not.toContainText('warning');
});

test('that a plan names are disabled instead of deleted', async ({ page, panel, visit }) => {
  const { administrator } = panel;
  const made = await administrator?.call('createInbound', {
    node_id: 1,
    tag: 'named',
    name: 'Named',
    protocol: 'vless',
    port: 8444,
  });
  const id = made?.body.id ?? 0;
  await administrator?.call('createTariff', { name: 'Names it', inbounds: [id] });
  await visit('connections');
  const row = page.getByRole('row', { name: /^Named/ });
  await row.getByRole('button', { name: /More actions/ }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const question = page.getByRole('dialog', { name: 'Named cannot be deleted' });
  await expect(question.getByRole('link', { name: 'Names it' })).toBeVisible();
  await expectAccessible(page, 'a connection in use');
  await question.getByRole('button', { name: 'Disable' }).click();
  await expect(row).toContainText('Disabled');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(row).not.toContainText('Disabled');
  await administrator?.call('updateInbound', { id, name: 'Renamed by a bot' });
  await expect(page.getByRole('link', { name: 'Renamed by a bot' })).toBeVisible();
});

test.describe('in Russian, dark and on a phone', () => {
  test.use({ view: { locale: 'ru', theme: 'dark' }, viewport: { width: 360, height: 740 } });

  test('can be used by everybody', async ({ page, visit }) => {
    await visit('connections/1');
    await expect(page.getByRole('dialog')).toBeVisible();
    await page.getByLabel('Цель (target)', { exact: true }).fill('www.apple.com:8443');
    await expect(
      page.getByRole('region', { name: 'Возможные проблемы с подключением' }).getByRole('listitem'),
    ).toHaveCount(3);
    await expectAccessible(page, 'a connection');
    await page.getByLabel('Цель (target)', { exact: true }).fill('');
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await expectAccessible(page, 'connections');
    const tag = page.getByRole('row').getByText('vless-reality', { exact: true }).first();
    expect(await tag.evaluate((cell) => cell.scrollWidth > cell.clientWidth || cell.clientWidth === 0)).toBe(false);
    expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
  });
});

test('have hosts in an order that is dragged or moved by keyboard, as apps get them', async ({
  page,
  panel,
  visit,
}) => {
  const { administrator } = panel;
  const values = {
    protocol: 'vless',
    network: 'ws',
    security: 'none',
    host: '10.0.0.8',
    port: 2087,
    path: '/ws',
  } as const;
  const { body } = (await administrator?.call('createInbound', {
    node_id: 1,
    tag: 'hosted',
    name: 'Hosted',
    ...values,
    hosts: [{ name: 'Relay', address: '203.0.113.7' }],
  })) ?? { body: undefined };
  await visit('connections');
  await page.getByRole('link', { name: 'Hosted', exact: true }).click();
  const record = page.getByRole('dialog', { name: 'Hosted' });
  const hosts = record.getByRole('region', { name: 'Hosts' });
  const preview = record.getByRole('region', { name: 'In the app' });
  await expect(preview.locator('code')).toHaveCount(1);
  await expect(preview).toContainText('@203.0.113.7:2087');

  await hosts.getByRole('button', { name: 'Add a host' }).click();
  await hosts.getByLabel('Name in the app').fill('CDN | {{DAYS_LEFT}} d');
  await hosts.getByLabel('Address', { exact: true }).fill('cdn.example.com');
  await hosts.getByLabel('Port', { exact: true }).fill('443');
  await chooseByKeyboard(hosts.getByLabel('Protection at this address'), 'TLS of a CDN or proxy');
  await hosts.getByLabel('Host header').fill('front.example.com');
  await expect(preview).toContainText('CDN | 12 d');
  await expect(preview.locator('code').nth(1)).toContainText('@cdn.example.com:443?');
  await expect(preview.locator('code').nth(1)).toContainText('host=front.example.com');
  await expectAccessible(page, 'the hosts of a connection');

  await hosts.getByRole('button', { name: 'Move CDN | {{DAYS_LEFT}} d', exact: true }).press('ArrowUp');
  await expect(hosts.getByRole('button', { name: 'Move CDN | {{DAYS_LEFT}} d', exact: true })).toBeFocused();
  await expect(hosts.getByRole('status')).toContainText('is now 1 of 2');
  await expect(preview.locator('code').first()).toContainText('@cdn.example.com:443?');
  await hosts.getByRole('button', { name: /^CDN/ }).click();
  const grip = hosts.getByRole('button', { name: 'Move Relay', exact: true });
  const [from, to] = [await grip.boundingBox(), await hosts.getByRole('listitem').first().boundingBox()];
  await page.mouse.move((from?.x ?? 0) + 8, (from?.y ?? 0) + 8);
  await page.mouse.down();
  await page.mouse.move((from?.x ?? 0) + 8, (to?.y ?? 0) + 10, { steps: 5 });
  await page.mouse.up();
  await expect(preview.locator('code').first()).toContainText('@203.0.113.7:2087');

  await record.getByRole('button', { name: 'Save' }).click();
  await prove(page);
  await expect(getToast(page, 'Connection Hosted saved')).toBeVisible();
  const saved = (await administrator?.call('getInbound', { id: body?.id ?? 0 }))?.body;
  expect(saved?.hosts?.map(({ address, port, security }) => [address, port, security])).toEqual([
    ['203.0.113.7', null, null],
    ['cdn.example.com', 443, 'tls'],
  ]);
});
