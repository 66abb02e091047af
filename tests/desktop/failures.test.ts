// Failures around the desktop: a port in use, a crashed window, an uncaught error, a kill; the panel loses nothing.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { openCommandLine } from '../support/cli.ts';
import { request } from './api.ts';
import { type Desktop, describeDesktop, type Machine, openMachine } from './driver.ts';
import {
  ADMIN,
  call,
  closeToTray,
  createApiKey,
  picture,
  quit,
  readBaseUrl,
  refuseUpdate,
  setUp,
  signIn,
  visit,
} from './steps.ts';

let machine: Machine;
beforeEach(() => {
  machine = openMachine();
});
afterEach(() => machine[Symbol.asyncDispose]());

/** A desktop whose panel has an administrator, a plan and a key. */
async function startedPanel(): Promise<{ desktop: Desktop; baseUrl: string; key: string }> {
  const desktop = await machine.start();
  const page = await desktop.page();
  await setUp(page);
  await call(page, 'createTariff', { name: 'Monthly', duration: { months: 1 } });
  return { desktop, baseUrl: await readBaseUrl(page), key: await createApiKey(page) };
}

/** Runs in the page. */
const headingInPage = (): unknown =>
  (globalThis as unknown as { document: { querySelector(of: string): { textContent: string } | null } }).document
    .querySelector('h1')
    ?.textContent.trim();

const parseNames = (body: string): string[] => JSON.parse(body).items.map(({ name }: { name: string }) => name);

describeDesktop('the desktop', () => {
  it('offers another port if its own is in use, and uses it for this run only', async () => {
    const { desktop, baseUrl } = await startedPanel();
    await quit(desktop);
    const port = Number(new URL(baseUrl).port);
    const squatter = createServer();
    await new Promise<void>((resolve) => squatter.listen(port, '127.0.0.1', resolve));

    const again = await machine.start();
    const { dialogs } = await again.until((snapshot) => snapshot.dialogs.length > 0);
    // The window is there before the panel, and the dialog belongs to it.
    expect(dialogs[0]).toMatchObject({
      options: {
        message: 'The port is in use',
        detail: expect.stringContaining(`Port ${port} on 127.0.0.1 is used by another program.`),
        buttons: ['Use another port this time', 'Retry', 'Quit Gatehouse'],
      },
      parent: expect.any(String),
    });
    await again.control('answerMessage', 1);
    await again.until((snapshot) => snapshot.dialogs.length > 1);
    await again.control('answerMessage', 0);
    const page = await again.page();
    await signIn(page);
    const moved = await readBaseUrl(page);
    expect(Number(new URL(moved).port)).toBeGreaterThan(port);
    await quit(again);

    await new Promise((resolve) => squatter.close(resolve));
    const third = await machine.start();
    const back = await third.page();
    await signIn(back);
    expect(await readBaseUrl(back)).toBe(baseUrl);
  });

  it('names the process that uses the data folder, and quits on request', async () => {
    await using line = openCommandLine();
    await line.serve(['--port', '0']);
    await using second = openMachine({ env: { GATEHOUSE_DATA: line.folder } });
    const desktop = await second.start();
    const { dialogs } = await desktop.until((snapshot) => snapshot.dialogs.length > 0);
    expect(dialogs[0]?.options).toMatchObject({
      message: 'Gatehouse cannot start',
      detail: expect.stringContaining('`npx panel serve`'),
      buttons: ['Retry', 'Quit Gatehouse'],
    });
    await desktop.control('answerMessage', 1);
    await expect(desktop.ended).resolves.toBe(0);
  });

  it('keeps serving while its window is crashed, and reloads it on request', async () => {
    const { desktop, baseUrl, key } = await startedPanel();
    await desktop.control('crashPage');
    const { dialogs } = await desktop.until((snapshot) => snapshot.dialogs.length > 0);
    expect(dialogs[0]?.options).toMatchObject({
      message: 'The window has failed',
      buttons: ['Reload', 'Close window'],
    });
    expect((await request(machine, `${baseUrl}/users`, { key })).status).toBe(200);
    await desktop.control('answerMessage', 0);
    await expect
      .poll(() => desktop.inPage(headingInPage, null).catch(() => null), { timeout: 300_000 })
      .toBe('Overview');
    await call(desktop, 'createUser', { name: 'After', tariff_id: 1 });
    expect(parseNames((await request(machine, `${baseUrl}/users`, { key })).body)).toEqual(['After']);
  });

  it('exits on an uncaught error, and reports it at the next start', async () => {
    const { desktop } = await startedPanel();
    await desktop.control('throwUncaught');
    await expect(desktop.ended).resolves.toBe(1);
    const log = readFileSync(join(machine.data, 'logs', 'panel.log'), 'utf8');
    expect(log).toContain('a defect of the test');

    const again = await machine.start();
    const { dialogs } = await again.until((snapshot) => snapshot.dialogs.length > 0);
    expect(dialogs[0]?.options).toMatchObject({
      message: 'Gatehouse ended unexpectedly',
      detail: expect.stringContaining('a defect of the test'),
    });
    await again.control('answerMessage', 0);
    await quit(again);
    const third = await machine.start();
    await (await third.page()).getByRole('heading', { name: 'Sign in' }).waitFor();
    expect((await third.snapshot()).dialogs).toEqual([]);
  });

  it.each([
    ['with its window', false],
    ['closed to the tray', true],
  ])('killed %s while bots write, it loses nothing that was acknowledged', async (_how, isClosed) => {
    const { desktop, baseUrl, key } = await startedPanel();
    if (isClosed) await closeToTray(desktop);
    const acknowledged: string[] = [];
    const isKilled = Promise.withResolvers<void>();
    const writer = (async () => {
      for (let number = 1; ; number++) {
        const name = `user ${number}`;
        const made = await request(machine, `${baseUrl}/users`, { key, body: { name, tariff_id: 1 } }).catch(
          () => null,
        );
        if (made === null) return;
        if (made.status === 201) acknowledged.push(name);
        if (number === 40) isKilled.resolve();
      }
    })();
    await isKilled.promise;
    process.kill(desktop.pid, 'SIGKILL');
    await Promise.all([writer, desktop.ended]);

    const again = await machine.start();
    const { notifications } = await again.until((snapshot) => snapshot.notifications.length > 0);
    expect(notifications).toMatchObject([{ title: 'Gatehouse did not shut down properly' }]);
    expect(readFileSync(join(machine.data, 'logs', 'panel.log'), 'utf8')).toContain(
      'the last run did not end properly',
    );
    const names: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await request(machine, `${baseUrl}/users?limit=100${cursor && `&cursor=${cursor}`}`, { key });
      names.push(...parseNames(body));
      cursor = JSON.parse(body).next_cursor;
    }
    expect(acknowledged.length).toBeGreaterThanOrEqual(40);
    expect(names).toEqual(expect.arrayContaining(acknowledged));
    expect(names.length).toBeLessThanOrEqual(acknowledged.length + 1);
  });
});

// electron-updater is replaced in the stand-in only.
if (!inject('isElectronReal')) {
  describeDesktop('an update that is cancelled at the dialog of the system', () => {
    it('leaves the panel open with its session, and is reported', async () => {
      const resources = mkdtempSync(join(tmpdir(), 'gatehouse-feed-'));
      writeFileSync(join(resources, 'app-update.yml'), 'provider: generic\nurl: https://example.com\n');
      await using installed = openMachine({ isPackaged: true, env: { STAND_IN_RESOURCES: resources } });
      const desktop = await installed.start();
      const page = await desktop.page();
      await setUp(page);
      const baseUrl = await readBaseUrl(page);
      const key = await createApiKey(page);

      expect(await refuseUpdate(desktop)).toMatchObject({
        message: 'Gatehouse 9.9.9 was not installed',
        detail: expect.stringContaining('(Command pkexec exited with code 126)'),
      });
      expect((await request(installed, `${baseUrl}/users`, { key })).status).toBe(200);
      expect(await call(page, 'panelState', {})).toMatchObject({ signed_in: { name: ADMIN.name } });
      await desktop.control('answerMessage', 0);
      expect(await quit(desktop)).toBe(0);
      rmSync(resources, { recursive: true });
    });
  });
}

describeDesktop('files and links', () => {
  it('downloads and uploads a backup, and opens links in the system', async () => {
    const { desktop } = await startedPanel();
    const page = await desktop.page();
    const { name } = (await call(page, 'createBackup', { password: ADMIN.password })) as { name: string };
    const [head, length] = await page.evaluate(async (file) => {
      const reply = await fetch(`./panel/backups/${file}`);
      const bytes = new Uint8Array(await reply.arrayBuffer());
      return [new TextDecoder().decode(bytes.slice(0, 4)), Number(reply.headers.get('content-length')) - bytes.length];
    }, name);
    expect([head, length]).toEqual([expect.any(String), 0]);
    const uploaded = await page.evaluate(async (file) => {
      const body = await (await fetch(`./panel/backups/${file}`)).arrayBuffer();
      const headers = { 'Content-Type': 'application/octet-stream' };
      const reply = await fetch('./panel/backups/', { method: 'POST', headers, body });
      const { kind } = (await reply.json()) as { kind: string };
      return [reply.status, kind];
    }, name);
    expect(uploaded).toEqual([201, 'uploaded']);
    await expect(
      page.evaluate(async () => (await fetch('./panel/backups/nothing.gatehouse-backup')).status),
    ).resolves.toBe(404);
    const opened = (url: string) =>
      page.evaluate(
        (link) =>
          (
            globalThis as unknown as { gatehouse: { openExternal(url: string): Promise<boolean> } }
          ).gatehouse.openExternal(link),
        url,
      );
    expect(await opened('https://example.com/help')).toBe(true);
    expect(await opened('file:///etc/passwd')).toBe(false);
    expect((await desktop.snapshot()).opened).toEqual(['https://example.com/help']);
  });

  it('serves no file outside the pages, and every page with a policy', async () => {
    const desktop = await machine.start();
    const page = await desktop.page();
    const statuses = await page.evaluate(
      (paths) => Promise.all(paths.map(async (path) => (await fetch(path)).status)),
      ['/../main/index.js', '/%2e%2e/main/index.js', '/..%2fpackage.json', '/assets/../../package.json'],
    );
    expect(statuses.every((status) => status === 404)).toBe(true);
    const policy = await page.evaluate(async () => (await fetch('/')).headers.get('content-security-policy'));
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self' 'nonce-[\w-]{22}'/);
  });
});

describeDesktop('settings of this computer', () => {
  it.runIf(process.platform === 'linux')('start it with the computer where it is installed', async () => {
    await using installed = openMachine({ isPackaged: true });
    const page = await (await installed.start()).page();
    const name = 'Start when I sign in to the computer';
    const file = join(installed.appData, 'autostart', 'gatehouse.desktop');
    // Asked at the end of the set-up, and found in the settings.
    await setUp(page, { startsAtLogin: true });
    expect(readFileSync(file, 'utf8')).toMatch(/^Exec=".+" --hidden$/m);
    await visit(page, 'settings/desktop');
    await page.getByRole('switch', { name, checked: true }).click();
    await page.getByRole('switch', { name, checked: false }).waitFor();
    expect(existsSync(file)).toBe(false);
  });

  it('survive a restart, and closing the window quits if so set', async () => {
    const { desktop } = await startedPanel();
    const page = await desktop.page();
    await visit(page, 'settings/desktop');
    await page.getByRole('heading', { name: 'On this computer' }).waitFor();
    await picture(page, 'settings-desktop');
    const name = 'Keep serving when the window is closed';
    await page.getByRole('switch', { name, checked: true }).click();
    await page.getByRole('switch', { name, checked: false }).waitFor();
    await desktop.control('closeWindow');
    await expect(desktop.ended).resolves.toBe(0);

    const again = await machine.start();
    const state = await call(await again.page(), 'panelState', {});
    expect(state).toMatchObject({ set_up: true, signed_in: null });
    expect(existsSync(join(machine.appData, 'Gatehouse Desktop', 'desktop.json'))).toBe(true);
    await again.control('closeWindow');
    await expect(again.ended).resolves.toBe(0);
  });
});
