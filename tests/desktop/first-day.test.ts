// The first day with the desktop, end to end: the built application, with a real panel behind it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { request } from './api.ts';
import { type Desktop, describeDesktop, type Machine, openMachine, type Snapshot } from './driver.ts';
import { ADMIN, call, createApiKey, listViolations, picture, quit, readBaseUrl, setUp, visit } from './steps.ts';

let machine: Machine;
let desktop: Desktop;
let baseUrl: string;
let key: string;

beforeAll(async () => {
  machine = openMachine();
  desktop = await machine.start();
});
afterAll(() => machine[Symbol.asyncDispose]());

/** Drops a file onto the page, of which the content is base64. */
async function drop(page: Page, name: string, content: string): Promise<void> {
  await page.evaluate(`
    const dataTransfer = new DataTransfer();
    const bytes = Uint8Array.from(atob('${content}'), (character) => character.charCodeAt(0));
    dataTransfer.items.add(new File([bytes], '${name}'));
    dispatchEvent(new DragEvent('drop', { dataTransfer, cancelable: true }));
  `);
}

describeDesktop('the first start on a Russian machine', () => {
  it('is in Russian, pages, tray and menu, and so is the panel that is set up there', async () => {
    await using russian = openMachine({ language: 'ru' });
    const shown = await russian.start();
    const page = await shown.page();
    await page.getByRole('heading', { name: 'Настройка панели' }).waitFor();
    const { tray, menu } = await shown.snapshot();
    expect(JSON.stringify(tray)).toContain('Открыть Gatehouse');
    expect(JSON.stringify(menu)).toContain('Правка');
    await picture(page, 'setup-ru');
    await page.getByLabel('Ваше имя').fill(ADMIN.name);
    await page.getByLabel('Пароль', { exact: true }).fill(ADMIN.password);
    await page.getByLabel('Пароль ещё раз').fill(ADMIN.password);
    await page.getByRole('button', { name: 'Создать администратора' }).click();
    await page.getByRole('heading', { name: 'Вы — администратор' }).waitFor();
    expect(await call(page, 'panelState', {})).toMatchObject({ set_up: true, language: 'ru' });

    await page.getByRole('button', { name: 'Позже' }).click();
    await page.getByRole('heading', { name: 'На этом компьютере' }).waitFor();
    await page.getByRole('switch', { name: 'Продолжать работу, когда окно закрыто', checked: true }).waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.locator(`:root[data-mantine-color-scheme="${colorScheme}"]`).waitFor();
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 820 });
        expect(await listViolations(page), `${colorScheme}, ${width} px`).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
        await picture(page, `setup-computer-ru-${colorScheme}-${width}`);
      }
    }
  });
});

describeDesktop('the first day', () => {
  it('starts with the setup screen, without a link', async () => {
    const page = await desktop.page();
    await page.getByRole('heading', { name: 'Set up your panel' }).waitFor();
    await picture(page, 'setup');
    await setUp(page);
    await picture(page, 'overview');
    baseUrl = await readBaseUrl(page);
    key = await createApiKey(page);
    expect(baseUrl).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/api\/v1$/);
  });

  it('creates a plan and a user in the window, and the API has them at once', async () => {
    const page = await desktop.page();
    await visit(page, 'plans/new');
    const plan = page.getByRole('dialog', { name: 'Add a plan' });
    await plan.getByLabel('Name').fill('Monthly');
    await plan.getByRole('button', { name: 'Add plan' }).click();
    await page.getByRole('link', { name: 'Monthly' }).waitFor();
    await visit(page, 'users/new');
    const user = page.getByRole('dialog', { name: 'Add users' });
    await user.getByLabel('Name').fill('Anna');
    await user.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('dialog', { name: 'Anna' }).waitFor();
    const { status, body } = await request(machine, `${baseUrl}/users`, { key });
    expect([status, JSON.parse(body).items.map(({ name }: { name: string }) => name)]).toEqual([200, ['Anna']]);
  });

  it('has the commands of the palette in its menus and its tray', async () => {
    const page = await desktop.page();
    await visit(page, 'plans');
    await page.getByRole('heading', { level: 1, name: 'Plans' }).waitFor();
    await desktop.until(({ menu }) => JSON.stringify(menu).includes('Go to Nodes'));
    await desktop.control('pressMenu', 'Go to Nodes');
    await page.getByRole('heading', { level: 1, name: 'Nodes' }).waitFor();
    await desktop.control('pressMenu', 'Search…');
    await page.getByRole('dialog', { name: 'Command palette' }).waitFor();
    await page.keyboard.press('Escape');
    await desktop.until(({ tray }) => JSON.stringify(tray).includes('Add a plan'));
    await desktop.control('pressTray', 'Add a plan');
    await page.getByRole('dialog', { name: 'Add a plan' }).waitFor();
    await visit(page, 'users');
  });

  it('shows what a bot does without a reload', async () => {
    const page = await desktop.page();
    const made = await request(machine, `${baseUrl}/users`, { key, body: { name: 'Boris', tariff_id: 1 } });
    expect(made.status).toBe(201);
    await visit(page, 'users');
    await page.getByText('Boris').first().waitFor();
    await picture(page, 'users');
  });

  it('saves the OpenAPI document where the dialog says', async () => {
    const page = await desktop.page();
    const path = join(machine.home, 'my-panel.json');
    await visit(page, 'settings/security/api/docs');
    await page.getByRole('button', { name: 'Download OpenAPI' }).click();
    const { dialogs } = await desktop.until((snapshot) => snapshot.dialogs.some(({ kind }) => kind === 'save'));
    expect(dialogs.at(-1)).toMatchObject({
      options: { defaultPath: join(machine.home, 'Downloads', 'panel-openapi.json') },
      parent: expect.stringContaining('#/settings/security/api/docs'),
    });
    await desktop.control('answerSave', path);
    await expect
      .poll(() => readFileSync(path, { encoding: 'utf8', flag: 'a+' }), { timeout: 300_000 })
      .toContain('openapi');
    const { openapi, servers } = JSON.parse(readFileSync(path, 'utf8'));
    expect([openapi, servers[0].url]).toEqual(['3.1.1', baseUrl]);
  });

  it('saves a list as PDF where the dialog says, in front of the page as it is on the screen', async () => {
    const page = await desktop.page();
    const path = join(machine.home, 'users.pdf');
    await page.emulateMedia({ colorScheme: 'dark' });
    await visit(page, 'users');
    await page.getByText('Boris').first().waitFor();
    const before = (await desktop.snapshot()).dialogs.length;
    await desktop.until(({ menu }) => JSON.stringify(menu).includes('Save this page as PDF'));
    await desktop.control('pressMenu', 'Save this page as PDF');
    const { dialogs } = await desktop.until((snapshot) => snapshot.dialogs.length > before);
    expect(dialogs.at(-1)?.options).toEqual({ defaultPath: join(machine.home, 'Downloads', 'gatehouse.pdf') });
    // The page is light while the file is made.
    await page.locator(':root[data-mantine-color-scheme="dark"]').waitFor();
    await page.emulateMedia({ colorScheme: null, media: 'print' });
    await page.getByRole('navigation', { name: 'Sections' }).waitFor({ state: 'hidden' });
    await page.emulateMedia({ media: null });
    await desktop.control('answerSave', path);
    await expect
      .poll(() => readFileSync(path, { flag: 'a+' }).toString('latin1', 0, 5), { timeout: 300_000 })
      .toBe('%PDF-');
  });

  it('has no panel door on any socket', async () => {
    const secret = new URL(baseUrl).pathname.split('/')[1];
    const { origin } = new URL(baseUrl);
    for (const path of [
      '',
      '/',
      '/panel/panelState',
      '/panel/signIn',
      '/panel/events',
      '/setup/x',
      '/assets/index.js',
    ]) {
      const answers = await Promise.all([
        request(machine, `${origin}/${secret}${path}`, { headers: { origin } }),
        request(machine, `${origin}/${secret}${path}`, { headers: { origin }, body: ADMIN }),
        request(machine, `${origin}/wrong${path}`, { headers: { origin } }),
      ]);
      expect(
        answers.map(({ status, body }) => [status, body]),
        path,
      ).toEqual(Array(3).fill([404, '']));
    }
  });

  it('closes to the tray, explains it once, and keeps serving', async () => {
    await desktop.control('closeWindow');
    const { windows, dialogs } = await desktop.until((snapshot) =>
      snapshot.dialogs.some(({ kind }) => kind === 'message'),
    );
    // The dialog belongs to the window, which is hidden behind it.
    expect(windows[0]?.isShown).toBe(true);
    expect(dialogs.at(-1)).toMatchObject({
      options: { message: 'Gatehouse keeps serving', buttons: ['Quit Gatehouse', 'Keep serving'], defaultId: 1 },
      parent: windows[0]?.url,
    });
    await desktop.control('answerMessage', 1);
    await desktop.until((snapshot) => snapshot.windows[0]?.isShown === false);
    expect((await request(machine, `${baseUrl}/stats/overview`, { key })).status).toBe(200);
    await desktop.control('pressTray', 'Open Gatehouse');
    await desktop.control('closeWindow');
    const after = await desktop.until((snapshot) => snapshot.windows[0]?.isShown === false);
    expect(after.dialogs.filter(({ kind }) => kind === 'message')).toHaveLength(1);
  });

  it('pauses the API from the tray while subscription links still work', async () => {
    const made = await request(machine, `${baseUrl}/users`, { key, body: { name: 'Clara', tariff_id: 1 } });
    const { sub_url: link } = JSON.parse(made.body);
    await desktop.control('pressTray', 'Pause the API');
    const paused = await request(machine, `${baseUrl}/users`, { key });
    expect([paused.status, JSON.parse(paused.body).detail, paused.headers['retry-after']]).toEqual([
      503,
      'unavailable',
      '60',
    ]);
    expect((await request(machine, `${baseUrl}/users`, { key: 'pnl_wrong' })).status).toBe(401);
    expect((await request(machine, link)).status).toBe(200);
    expect((await desktop.snapshot()).toolTip).toBe('The API is paused; links keep working');
    await desktop.control('pressTray', 'Pause the API');
    expect((await request(machine, `${baseUrl}/users`, { key })).status).toBe(200);
  });

  it('names its versions in a dialog of the window, and copies them', async () => {
    await desktop.control('pressTray', 'Open Gatehouse');
    await desktop.until((snapshot) => snapshot.windows[0]?.isShown === true);
    await desktop.control('pressMenu', 'About Gatehouse');
    const { dialogs, windows } = await desktop.until((snapshot) =>
      snapshot.dialogs.some(({ options }) => options.message === 'Gatehouse'),
    );
    const detail = expect.stringMatching(/^Version \d+\.\d+\.\d+\nElectron .+\n© \d{4} Gatehouse$/);
    expect(dialogs.at(-1)).toMatchObject({
      options: { title: 'Gatehouse', detail, defaultId: 1 },
      parent: windows[0]?.url,
    });
    await desktop.control('answerMessage', 0);
    await desktop.until(({ clipboard }) => clipboard.startsWith('Version '));
  });

  it('has nothing in the tray that belongs to the page on screen', async () => {
    const page = await desktop.page();
    const listMenu = ({ menu }: Snapshot) => JSON.stringify(menu);
    await visit(page, 'users');
    await desktop.until((snapshot) => listMenu(snapshot).includes('Save as a view'));
    expect(JSON.stringify((await desktop.snapshot()).tray)).not.toContain('Save as a view');
    await visit(page, 'overview');
    await desktop.until((snapshot) => !listMenu(snapshot).includes('Save as a view'));
  });

  it('copies base_url from the tray', async () => {
    await desktop.control('pressTray', 'Copy base_url');
    expect((await desktop.snapshot()).clipboard).toBe(baseUrl);
  });

  it('shows its window at a second start, which exits', async () => {
    await expect(machine.startAndEnd()).resolves.toBe(0);
    const { windows } = await desktop.until((snapshot) => snapshot.windows[0]?.isShown === true);
    expect(windows).toHaveLength(1);
  });

  it('shows the record of a link that starts it a second time, and nothing of any other link', async () => {
    const page = await desktop.page();
    await expect(machine.startAndEnd('gatehouse://user/1')).resolves.toBe(0);
    await page.getByRole('dialog', { name: 'Anna' }).waitFor();
    await expect(machine.startAndEnd('gatehouse://settings/backups')).resolves.toBe(0);
    expect(new URL(page.url()).hash).toBe('#/users/1');
    expect((await desktop.snapshot()).appCalls).not.toContain('setAsDefaultProtocolClient gatehouse');
  });

  it('shows a record in a window of its own, one for each user, and other pages in the main window', async () => {
    const page = await desktop.page();
    await visit(page, 'users/1');
    await page.getByRole('dialog', { name: 'Anna' }).getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Open in its own window' }).click();
    const record = await desktop.page('/?record#/users/1');
    await record.getByRole('dialog', { name: 'Anna' }).getByRole('button', { name: 'More actions' }).waitFor();
    expect(await record.title()).toBe('Anna · Gatehouse');
    expect(await record.getByRole('navigation').count()).toBe(0);
    expect(await listViolations(record)).toEqual([]);
    await picture(record, 'record');

    await visit(page, 'plans');
    await expect(machine.startAndEnd('gatehouse://user/1?window')).resolves.toBe(0);
    // A second link of a user brings the same window to the front.
    await expect(machine.startAndEnd('gatehouse://user/2?window')).resolves.toBe(0);
    const { windows } = await desktop.until((snapshot) => snapshot.windows.length > 2);
    expect(windows.map(({ url }) => url.replace(/.*\/(?=[?#])/, ''))).toEqual([
      '#/plans',
      '?record#/users/1',
      '?record#/users/2',
    ]);
    // What a bot changes is seen in it.
    const renamed = { method: 'PATCH', key, body: { name: 'Anna Smirnova' } };
    expect((await request(machine, `${baseUrl}/users/1`, renamed)).status).toBe(200);
    await record.getByRole('dialog', { name: 'Anna Smirnova' }).waitFor();
    await request(machine, `${baseUrl}/users/1`, { ...renamed, body: { name: 'Anna' } });
    await record.getByRole('dialog', { name: 'Anna', exact: true }).waitFor();

    await record.evaluate("location.hash = '#/nodes'");
    await page.getByRole('heading', { level: 1, name: 'Nodes' }).waitFor();
    await record.waitForURL(/\?record#\/users\/1$/);
    await desktop.control('closeWindow', '?record#/users/1');
    await desktop.control('closeWindow', '?record#/users/2');
    await desktop.until((snapshot) => snapshot.windows.length === 1);
    expect((await desktop.snapshot()).windows[0]?.isShown).toBe(true);
  });

  it('shows its search by a key of the whole system once that is turned on', async () => {
    const page = await desktop.page();
    await expect(desktop.control('pressShortcut', 'CommandOrControl+Shift+G')).rejects.toThrow('no key');
    await visit(page, 'settings/desktop');
    await page.getByRole('switch', { name: 'Search from any program', checked: false }).click();
    await page.getByRole('switch', { name: 'Search from any program', checked: true }).waitFor();
    await picture(page, 'this-computer');
    await desktop.control('closeWindow');
    await desktop.until(({ windows }) => windows[0]?.isShown === false);
    await desktop.control('pressShortcut', 'CommandOrControl+Shift+G');
    await desktop.until(({ windows }) => windows[0]?.isShown === true);
    await page.getByRole('dialog', { name: 'Command palette' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Command palette' }).waitFor({ state: 'detached' });
  });

  it('checks a backup that is dropped onto its window, and no other file', async () => {
    const page = await desktop.page();
    const { name } = (await call(page, 'createBackup', { password: ADMIN.password })) as { name: string };
    const content = readFileSync(join(machine.data, 'backups', name)).toString('base64');
    await visit(page, 'plans');
    await page.getByRole('heading', { level: 1, name: 'Plans' }).waitFor();
    await drop(page, 'marzban-users.json', 'e30=');
    await page.getByRole('alert').filter({ hasText: '“marzban-users.json” is not a Gatehouse backup' }).waitFor();
    await drop(page, 'from-another-machine.gatehouse-backup', content);
    await page.getByRole('dialog', { name: 'Restore a backup' }).getByText('Valid and restorable').waitFor();
    await picture(page, 'dropped-backup');
  });

  it('offers to check for updates only if it has a feed', async () => {
    const menu = JSON.stringify((await desktop.snapshot()).menu);
    expect(menu).toContain('About Gatehouse');
    expect(menu).not.toContain('Check for updates');
  });

  it('requested no external address and refuses every permission', async () => {
    const { blockedRequests, sessionHandlers, appCalls } = await desktop.snapshot();
    expect(blockedRequests).toEqual([]);
    expect(sessionHandlers).toEqual(['request', 'check', 'device', 'display', 'spell']);
    expect(appCalls).toContain('enableSandbox');
  });

  it('releases the lock and checkpoints the journal when it quits', async () => {
    await expect(quit(desktop)).resolves.toBe(0);
    const wal = readFileSync(join(machine.data, 'panel.db-wal'), { encoding: 'utf8', flag: 'a+' });
    expect(wal).toBe('');
    await expect(request(machine, `${baseUrl}/users`, { key })).rejects.toThrow();
  });

  it('signs in the next day, and shows the record of the link that started it', async () => {
    desktop = await machine.start('gatehouse://user/1');
    const page = await desktop.page();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await picture(page, 'sign-in');
    await page.getByLabel('Name').fill(ADMIN.name);
    await page.getByLabel('Password', { exact: true }).fill(ADMIN.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('dialog', { name: 'Anna' }).waitFor();
    expect((await request(machine, `${baseUrl}/users`, { key })).status).toBe(200);
  });

  it('closes the windows of records when the session ends', async () => {
    const page = await desktop.page();
    await expect(machine.startAndEnd('gatehouse://user/1?window')).resolves.toBe(0);
    const record = await desktop.page('/?record#/users/1');
    await record.getByRole('dialog', { name: 'Anna' }).waitFor();
    await call(page, 'signOut', {});
    const { windows } = await desktop.until((snapshot) => snapshot.windows.length === 1);
    expect(windows[0]?.url).not.toContain('?record');
  });
});
