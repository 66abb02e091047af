// System notifications and the badge end to end: shown while the window is not focused, and a click opens the record.
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { request } from './api.ts';
import { type Desktop, describeDesktop, type Machine, openMachine, type Snapshot } from './driver.ts';
import { ADMIN, call, closeToTray, createApiKey, picture, quit, readBaseUrl, setUp, signIn } from './steps.ts';

let machine: Machine;

/** Writes to the database beside the panel what a node or its traffic would. */
function inDatabase(sql: string, ...values: unknown[]): void {
  const database = new Database(join(machine.data, 'panel.db'));
  database.prepare(sql).run(...values);
  database.close();
}

const getId = (made: unknown): number => (made as { id: number }).id;

describeDesktop('a notification', () => {
  let desktop: Desktop;
  let page: Page;
  let api: { readonly baseUrl: string; readonly key: string };
  /** How many there were when the test began. */
  let seen = 0;
  // One desktop for all: each test has users of its own, and the last turns notifications off.
  beforeAll(async () => {
    machine = openMachine();
    desktop = await machine.start();
    page = await desktop.page();
    await setUp(page);
    await call(page, 'createTariff', { name: 'Monthly', duration: { months: 1 } });
    api = { baseUrl: await readBaseUrl(page), key: await createApiKey(page) };
  });
  beforeEach(async () => {
    seen = (await desktop.snapshot()).notifications.length;
  });
  afterAll(() => machine[Symbol.asyncDispose]());
  const shownSince = ({ notifications }: Snapshot) => notifications.slice(seen);
  const change = (path: string, body: object) =>
    request(machine, `${api.baseUrl}${path}`, { key: api.key, method: 'PATCH', body });
  const makeUser = async (name: string) => {
    const user = { name, tariff_id: 1, traffic_limit: 100 };
    const made = await request(machine, `${api.baseUrl}/users`, { key: api.key, body: user });
    return getId(JSON.parse(made.body));
  };

  it('of a user at the limit brings the window back at that user', async () => {
    const id = await makeUser('Anna');
    await closeToTray(desktop);
    inDatabase('UPDATE users SET used_down = 60, used = 60 WHERE id = ?', id);
    const limited = await change(`/users/${id}`, { traffic_limit: 50 });
    expect([limited.status, JSON.parse(limited.body).state]).toEqual([200, 'limited']);
    const snapshot = await desktop.until((now) => shownSince(now).length > 0);
    expect(shownSince(snapshot)).toEqual([{ title: 'Anna has used all traffic', body: 'Select to open it.' }]);

    await desktop.control('pressNotification', seen);
    const { windows } = await desktop.until((now) => now.windows[0]?.isShown === true);
    expect(windows).toHaveLength(1);
    await page.getByRole('dialog', { name: 'Anna' }).waitFor();
    expect(new URL(page.url()).hash).toBe(`#/users/${id}`);
    await picture(page, 'from-notification');
  });

  it('of a node that is down brings the window back at that node', async () => {
    const id = getId(await call(page, 'createNode', { name: 'Berlin', address: 'de1.example.com' }));
    await closeToTray(desktop);
    const now = Date.now();
    const data = JSON.stringify({ node_id: id, name: 'Berlin' });
    inDatabase(
      `INSERT INTO events (type, at, written_at, actor_kind, changed, data) VALUES (?, ?, ?, 'system', '[]', ?)`,
      'node.down',
      now,
      now,
      data,
    );
    // The panel emits new events of the feed after each write.
    await makeUser('Boris');
    const snapshot = await desktop.until((found) => shownSince(found).length > 0);
    expect(shownSince(snapshot).map(({ title }) => title)).toEqual(['Node Berlin does not answer']);
    await desktop.control('pressNotification', seen);
    await desktop.until(({ windows }) => windows[0]?.isShown === true);
    await page.getByRole('heading', { name: 'Berlin' }).waitFor();
    expect(new URL(page.url()).hash).toBe(`#/nodes/${id}`);
  });

  it('says after a sleep what passed in it, also where the window is in front', async () => {
    const id = await makeUser('Clara');
    await desktop.control('suspend');
    inDatabase('UPDATE users SET used_down = 60, used = 60 WHERE id = ?', id);
    await change(`/users/${id}`, { traffic_limit: 50 });
    await desktop.control('resume');
    const isSlept = ({ title }: { title: string }) => /^Resumed after \d+ min of sleep$/.test(title);
    const snapshot = await desktop.until((now) => shownSince(now).some(isSlept));
    expect(shownSince(snapshot).find(isSlept)?.body).toBe(
      'The API and links did not respond during that time. Users at their limit: 1.',
    );
  });

  it('is not shown if the setting is off', async () => {
    const id = await makeUser('Dora');
    await page.evaluate(() =>
      (
        globalThis as unknown as { gatehouse: { changeSettings(change: object): Promise<unknown> } }
      ).gatehouse.changeSettings({ notifications: false }),
    );
    await closeToTray(desktop);
    inDatabase('UPDATE users SET used_down = 60, used = 60 WHERE id = ?', id);
    await change(`/users/${id}`, { traffic_limit: 50 });
    const events = await request(machine, `${api.baseUrl}/events?type=user.limited`, { key: api.key });
    expect(JSON.parse(events.body).items.at(-1)?.data).toMatchObject({ user_id: id });
    expect(shownSince(await desktop.snapshot())).toEqual([]);
  });
});

describeDesktop('the badge', () => {
  afterEach(() => machine[Symbol.asyncDispose]());

  it('counts what the panel needs, until it is done', async () => {
    machine = openMachine();
    const desktop = await machine.start();
    const page = await desktop.page();
    await setUp(page);
    await call(page, 'createTariff', { name: 'Monthly', duration: { months: 1 } });
    await call(page, 'createUser', { name: 'Anna', tariff_id: 1 });
    await call(page, 'createNode', { name: 'Berlin', address: 'de1.example.com', enabled: false });
    expect((await desktop.snapshot()).badge).toBe(0);
    // A panel that is older than a day, but not than two, and has no backup.
    inDatabase('UPDATE nodes SET created_at = created_at - 129600000');
    await call(page, 'createNode', { name: 'Paris', address: 'fr1.example.com', enabled: false });
    await desktop.until(({ badge }) => badge === 1);
    await call(page, 'createBackup', { password: ADMIN.password });
    await desktop.until(({ badge }) => badge === 0);
  });
});

describeDesktop('a forgotten password', () => {
  afterEach(() => machine[Symbol.asyncDispose]());

  it.each([
    ['a checkout', false, 'npx panel reset-password'],
    [
      'an installed application',
      true,
      process.platform === 'linux' ? 'gatehouse panel reset-password' : expect.stringContaining('panel'),
    ],
  ])('is replaced by a command that %s has', async (_what, isPackaged, command) => {
    machine = openMachine({ isPackaged });
    const first = await machine.start();
    await setUp(await first.page());
    await quit(first);
    const second = await machine.start();
    const page = await second.page();
    const code = page.locator('code').filter({ hasText: 'reset-password' });
    await code.waitFor();
    await expect.poll(() => code.textContent(), { timeout: 300_000 }).toEqual(command);
    await signIn(page);
  });
});
