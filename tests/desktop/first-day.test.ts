// The first day with the desktop, end to end: the built application over a stand-in for Electron, with a real panel behind it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ask } from './api.ts';
import { type Desktop, describeDesktop, type Machine, openMachine } from './driver.ts';
import { ADMIN, baseUrlOf, keyOf, picture, quit, setUp, signIn, visit } from './people.ts';

let machine: Machine;
let desktop: Desktop;
let baseUrl: string;
let key: string;

beforeAll(async () => {
  machine = openMachine();
  desktop = await machine.start();
});
afterAll(() => machine[Symbol.asyncDispose]());

describeDesktop('the first day', () => {
  it('begins with the setup screen, without a link', async () => {
    const page = await desktop.page();
    await page.getByRole('heading', { name: 'Set up your panel' }).waitFor();
    await picture(page, 'setup');
    await setUp(page);
    await picture(page, 'overview');
    baseUrl = await baseUrlOf(page);
    key = await keyOf(page);
    expect(baseUrl).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/api\/v1$/);
  });

  it('makes a plan and a user in the window, and the API has them at once', async () => {
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
    const { status, body } = await ask(machine, `${baseUrl}/users`, { key });
    expect([status, JSON.parse(body).items.map(({ name }: { name: string }) => name)]).toEqual([200, ['Anna']]);
  });

  it('shows what a bot does without a reload', async () => {
    const page = await desktop.page();
    const made = await ask(machine, `${baseUrl}/users`, { key, body: { name: 'Boris', tariff_id: 1 } });
    expect(made.status).toBe(201);
    await visit(page, 'users');
    await page.getByText('Boris').first().waitFor();
    await picture(page, 'users');
  });

  it('saves the OpenAPI document where the person says', async () => {
    const page = await desktop.page();
    const path = join(machine.home, 'my-panel.json');
    await visit(page, 'settings/security/api/docs');
    await page.getByRole('button', { name: 'Download OpenAPI' }).click();
    const { shown } = await desktop.until((look) => look.shown.some(({ kind }) => kind === 'save'));
    expect(shown.at(-1)?.options).toEqual({ defaultPath: join(machine.home, 'Downloads', 'panel-openapi.json') });
    await desktop.control('answerSave', path);
    await expect
      .poll(() => readFileSync(path, { encoding: 'utf8', flag: 'a+' }), { timeout: 300_000 })
      .toContain('openapi');
    const { openapi, servers } = JSON.parse(readFileSync(path, 'utf8'));
    expect([openapi, servers[0].url]).toEqual(['3.1.1', baseUrl]);
  });

  it('has no door of the administrator on any socket', async () => {
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
        ask(machine, `${origin}/${secret}${path}`, { headers: { origin } }),
        ask(machine, `${origin}/${secret}${path}`, { headers: { origin }, body: ADMIN }),
        ask(machine, `${origin}/wrong${path}`, { headers: { origin } }),
      ]);
      expect(
        answers.map(({ status, body }) => [status, body]),
        path,
      ).toEqual(Array(3).fill([404, '']));
    }
  });

  it('closes to the tray, explains it once, and goes on serving', async () => {
    await desktop.control('closeWindow');
    const { windows, shown } = await desktop.until((look) => look.shown.some(({ kind }) => kind === 'message'));
    expect(windows[0]?.isShown).toBe(false);
    expect(shown.at(-1)?.options).toMatchObject({
      message: 'Gatehouse goes on serving',
      buttons: ['Quit Gatehouse', 'Keep serving'],
    });
    await desktop.control('answerMessage', 1);
    expect((await ask(machine, `${baseUrl}/stats/overview`, { key })).status).toBe(200);
    await desktop.control('pressTray', 'Open Gatehouse');
    await desktop.control('closeWindow');
    const after = await desktop.until((look) => look.windows[0]?.isShown === false);
    expect(after.shown.filter(({ kind }) => kind === 'message')).toHaveLength(1);
  });

  it('pauses the API from the tray while subscription links go on', async () => {
    const made = await ask(machine, `${baseUrl}/users`, { key, body: { name: 'Clara', tariff_id: 1 } });
    const { sub_url: link } = JSON.parse(made.body);
    await desktop.control('pressTray', 'Pause the API');
    const paused = await ask(machine, `${baseUrl}/users`, { key });
    expect([paused.status, JSON.parse(paused.body).detail, paused.headers['retry-after']]).toEqual([
      503,
      'unavailable',
      '60',
    ]);
    expect((await ask(machine, `${baseUrl}/users`, { key: 'pnl_wrong' })).status).toBe(401);
    expect((await ask(machine, link)).status).toBe(200);
    expect((await desktop.look()).toolTip).toBe('The API is paused; links go on');
    await desktop.control('pressTray', 'Pause the API');
    expect((await ask(machine, `${baseUrl}/users`, { key })).status).toBe(200);
  });

  it('copies base_url from the tray', async () => {
    await desktop.control('pressTray', 'Copy base_url');
    expect((await desktop.look()).clipboard).toBe(baseUrl);
  });

  it('comes back for a second start, which ends by itself', async () => {
    await expect(machine.startAndEnd()).resolves.toBe(0);
    const { windows } = await desktop.until((look) => look.windows[0]?.isShown === true);
    expect(windows).toHaveLength(1);
  });

  it('offers to look for newer versions only where it knows a place', async () => {
    const menu = JSON.stringify((await desktop.look()).menu);
    expect(menu).toContain('About Gatehouse');
    expect(menu).not.toContain('Check for updates');
  });

  it('asked no other address, refused every permission and said so to Electron', async () => {
    const { strayed, sessionHandlers, appCalls } = await desktop.look();
    expect(strayed).toEqual([]);
    expect(sessionHandlers).toEqual(['request', 'check', 'device', 'display', 'spell']);
    expect(appCalls).toContain('enableSandbox');
  });

  it('quits in good order: the lock is given back and the journal is in the database', async () => {
    await expect(quit(desktop)).resolves.toBe(0);
    const wal = readFileSync(join(machine.data, 'panel.db-wal'), { encoding: 'utf8', flag: 'a+' });
    expect(wal).toBe('');
    await expect(ask(machine, `${baseUrl}/users`, { key })).rejects.toThrow();
  });

  it('signs in the next day', async () => {
    desktop = await machine.start();
    const page = await desktop.page();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await picture(page, 'sign-in');
    await signIn(page);
    expect((await ask(machine, `${baseUrl}/users`, { key })).status).toBe(200);
  });
});
