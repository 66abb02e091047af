// The tasks of an administrator, each from the overview: at most 8 clicks, or 15 keys. What is typed into a field counts as one. The table
// of docs/ui.md has the counts.
import type { Locator, Page } from '@playwright/test';
import { Secret, TOTP } from 'otpauth';
import { PASSWORD } from '../support/cli.ts';
import { expect, type OwnPanel, test } from './support/fixtures.ts';
import { card, proofDialog } from './support/settings.ts';
import { getToast } from './support/toast.ts';
import { makeUser, otherWindow } from './support/users.ts';

const MAX_CLICKS = 8;
const MAX_KEYS = 15;

/** Counts what a hand does. */
interface Hand {
  readonly page: Page;
  /** With the mouse, or by Tab and Enter. */
  use(target: Locator): Promise<void>;
  type(text: string): Promise<void>;
  press(...keys: string[]): Promise<void>;
  count(): number;
}

function createHand(page: Page, hasMouse: boolean): Hand {
  let count = 0;
  async function press(...keys: string[]) {
    for (const key of keys) {
      count += 1;
      await page.keyboard.press(key);
    }
  }
  async function walkTo(target: Locator) {
    const isThere = () => target.evaluate((node) => node === document.activeElement);
    while (!(await isThere())) {
      if (count > MAX_KEYS) throw new Error(`${count} keys, and not there yet: ${target}`);
      await press('Tab');
    }
  }
  return {
    page,
    press,
    count: () => count,
    async use(target) {
      await expect(target).toBeVisible();
      if (hasMouse) {
        count += 1;
        await target.click();
        return;
      }
      await walkTo(target);
      await press((await target.getAttribute('type')) === 'checkbox' ? 'Space' : 'Enter');
    },
    async type(text) {
      count += 1;
      await page.waitForFunction(() => document.activeElement?.matches('input, textarea'));
      await page.keyboard.insertText(text);
    },
  };
}

interface Task {
  readonly name: string;
  readonly mouse: (hand: Hand, own: OwnPanel) => Promise<void>;
  readonly keys: (hand: Hand, own: OwnPanel) => Promise<void>;
  /** What is there once it is done. */
  readonly done: (page: Page) => Promise<void>;
}

const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true });
const button = (page: Page | Locator, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name });
const palette = (page: Page) => page.getByRole('combobox', { name: /^Find a user/ });

/** By the palette, to what it finds first. */
async function jump(hand: Hand, text: string, found: string | RegExp) {
  const { page } = hand;
  await hand.press('Control+k');
  await expect(palette(page)).toBeFocused();
  await hand.type(text);
  await expect(page.getByRole('option', { selected: true })).toContainText(found);
  await hand.press('Enter');
}

/** Where it has been longer than five minutes, the password is asked for before `next` comes. */
async function proveIt(hand: Hand, next: Locator) {
  await expect(proofDialog(hand.page).or(next).first()).toBeVisible();
  if (!(await proofDialog(hand.page).isVisible())) return;
  await expect(proofDialog(hand.page).getByLabel('Password', { exact: true })).toBeFocused();
  await hand.type(PASSWORD);
  await hand.press('Enter');
  await expect(proofDialog(hand.page)).toHaveCount(0);
}

async function code(page: Page): Promise<string> {
  const secret = await card(page, 'Two-factor sign-in').locator('code').first().innerText();
  return new TOTP({ secret: Secret.fromBase32(secret.replaceAll(/\s/g, '')) }).generate();
}

const newKey = async (own: OwnPanel) =>
  (await otherWindow(own).call('createKey', { name: 'try', access: 'read', password: PASSWORD })).body.value;

async function downloaded(page: Page, start: () => Promise<void>) {
  const coming = page.waitForEvent('download');
  await start();
  expect((await coming).suggestedFilename()).toBe('panel-openapi.json');
}

const rowBox = (page: Page, name: string) => page.getByRole('checkbox', { name: `Select ${name}` });
const makePath = (page: Page) => card(page, 'Secret path').getByRole('button', { name: 'Create a new secret path' });

const restored = (page: Page) => dialog(page, 'Restore a backup').getByText(/^The panel has \d+ users? again/);
const isNewPath = (page: Page) => page.getByText(/^The secret path was changed\./);
const codeField = (page: Page) => page.getByLabel('The code that the app shows now');

async function restore(hand: Hand) {
  const { page } = hand;
  await hand.use(page.getByRole('link', { name: /^Check and restore/ }));
  await hand.use(button(dialog(page, 'Restore a backup'), 'Restore this backup'));
  await proveIt(hand, restored(page));
}

const TASKS: readonly Task[] = [
  {
    name: 'find a user',
    async mouse(hand) {
      await hand.use(button(hand.page, /^Search/));
      await hand.type('Boris');
      await hand.use(hand.page.getByRole('option', { name: /Boris/ }).first());
    },
    keys: (hand) => jump(hand, 'Boris', 'Boris'),
    done: (page) => expect(dialog(page, 'Boris')).toBeVisible(),
  },
  {
    name: 'extend three users',
    async mouse(hand) {
      const { page } = hand;
      await hand.use(link(page, 'Users'));
      for (const name of ['Anna', 'Boris', 'Vera']) await hand.use(rowBox(page, name));
      await hand.use(button(page.getByRole('toolbar', { name: 'Actions for the selection' }), 'Extend'));
      await hand.use(button(dialog(page, 'Extend 3 users'), 'Extend 3 users'));
    },
    async keys(hand) {
      const { page } = hand;
      await hand.press('g', 'u');
      await expect(page.locator('tr[data-index="2"]')).toBeVisible();
      for (let index = 0; index < 3; index += 1) {
        await hand.press('j');
        await expect(page.locator(`tr[data-index="${index}"]`)).toBeFocused();
        await hand.press('x');
      }
      await hand.press('e');
      await expect(dialog(page, 'Extend 3 users').getByText('3 will change')).toBeVisible();
      await hand.press('Control+Enter');
    },
    done: (page) => expect(page.getByRole('dialog').getByText('3 changed')).toBeVisible(),
  },
  {
    name: 'make a plan',
    async mouse(hand) {
      await hand.use(link(hand.page, 'Plans'));
      await hand.use(button(hand.page, 'Add a plan'));
      await hand.type('Yearly');
      await hand.use(hand.page.getByRole('dialog').getByRole('button', { name: /plan$/ }).last());
    },
    async keys(hand) {
      await hand.press('g', 'p');
      await expect(hand.page.getByRole('heading', { level: 1, name: 'Plans' })).toBeVisible();
      await hand.press('n');
      await expect(hand.page.getByRole('dialog').getByLabel('Name').first()).toBeFocused();
      await hand.type('Yearly by keys');
      await hand.press('Control+Enter');
    },
    async done(page) {
      await expect(getToast(page, /^Plan Yearly.* added$/)).toBeVisible();
      // The form goes back in the history, which the browser does a moment later: what goes elsewhere before it would end up here.
      await expect(page).toHaveURL(/#\/plans$/);
    },
  },
  {
    name: 'add a user, with the QR code',
    async mouse(hand) {
      const { page } = hand;
      await hand.use(link(page, 'Users'));
      await hand.use(button(page, 'Add users'));
      await hand.type('Galina');
      await hand.use(button(page.getByRole('dialog'), 'Add'));
      await hand.use(button(dialog(page, 'Galina'), 'QR code'));
    },
    async keys(hand) {
      const { page } = hand;
      await hand.press('g', 'u');
      await expect(page.getByRole('heading', { level: 1, name: 'Users' })).toBeVisible();
      await hand.press('n');
      await expect(page.getByRole('dialog').getByLabel('Name').first()).toBeFocused();
      await hand.type('Dmitri');
      await hand.press('Control+Enter');
      await hand.use(button(dialog(page, 'Dmitri'), 'QR code'));
    },
    done: (page) => expect(page.getByRole('img', { name: /^QR code of the link/ })).toBeVisible(),
  },
  {
    name: 'make an API key',
    async mouse(hand) {
      const { page } = hand;
      await hand.use(link(page, 'Settings'));
      await hand.use(link(page, 'API'));
      await hand.use(link(page, 'Create a key'));
      await hand.type('bot');
      await hand.use(button(dialog(page, 'Create an API key'), 'Create key'));
      await proveIt(hand, dialog(page, /^Key created/));
    },
    async keys(hand) {
      const { page } = hand;
      await jump(hand, 'api keys', 'API');
      await hand.use(link(page, 'Create a key'));
      await expect(dialog(page, 'Create an API key').getByLabel('Name')).toBeFocused();
      await hand.type('bot by keys');
      await hand.press('Control+Enter');
      await proveIt(hand, dialog(page, /^Key created/));
    },
    done: (page) => expect(dialog(page, /^Key created/)).toBeVisible(),
  },
  {
    name: 'try a method of the API',
    async mouse(hand, own) {
      const { page } = hand;
      await hand.use(link(page, 'Settings'));
      await hand.use(link(page, 'API'));
      await hand.use(link(page, 'Open the documentation'));
      await hand.use(
        page.getByRole('navigation', { name: 'Documentation' }).getByRole('link', { name: /^List users/ }),
      );
      await hand.use(page.getByLabel('Key for “Try it”'));
      await hand.type(await newKey(own));
      await hand.use(button(page, 'Send the request'));
    },
    async keys(hand, own) {
      const { page } = hand;
      await jump(hand, 'documentation', 'API documentation');
      await expect(page.getByRole('navigation', { name: 'Documentation' })).toBeVisible();
      await hand.press('/');
      await hand.type('list users');
      await hand.press('Enter');
      await expect(page.getByLabel('Key for “Try it”')).toBeVisible();
      await hand.press('t');
      await hand.type(await newKey(own));
      await hand.press('Enter');
    },
    done: (page) => expect(page.getByRole('figure', { name: 'Answer' })).toContainText('200'),
  },
  {
    name: 'download the description of the API',
    async mouse(hand) {
      const { page } = hand;
      await hand.use(link(page, 'Settings'));
      await hand.use(link(page, 'API'));
      await downloaded(page, () => hand.use(button(page, 'Download OpenAPI')));
    },
    async keys(hand) {
      const { page } = hand;
      await jump(hand, 'documentation', 'API documentation');
      await downloaded(page, () => hand.use(button(page, 'Download OpenAPI')));
    },
    done: (page) => expect(page.getByRole('heading', { level: 1 })).toBeVisible(),
  },
  {
    name: 'restore a backup',
    async mouse(hand) {
      await hand.use(link(hand.page, 'Settings'));
      await hand.use(link(hand.page, 'Backups'));
      await restore(hand);
    },
    async keys(hand) {
      await jump(hand, 'backup', 'Backups');
      await restore(hand);
    },
    done: (page) => expect(restored(page)).toBeVisible(),
  },
  {
    name: 'make a new secret path',
    async mouse(hand) {
      const { page } = hand;
      await hand.use(link(page, 'Settings'));
      await hand.use(link(page, 'Addresses'));
      await hand.use(makePath(page));
      await hand.use(button(dialog(page, 'Create a new secret path?'), 'Create'));
      await proveIt(hand, isNewPath(page));
    },
    async keys(hand) {
      const { page } = hand;
      await jump(hand, 'secret path', 'Secret path');
      await expect(makePath(page)).toBeFocused();
      await hand.use(makePath(page));
      await hand.use(button(dialog(page, 'Create a new secret path?'), 'Create'));
      await proveIt(hand, isNewPath(page));
    },
    done: (page) => expect(isNewPath(page)).toBeVisible(),
  },
  {
    name: 'turn on two-factor sign-in',
    async mouse(hand) {
      const { page } = hand;
      await hand.use(link(page, 'Settings'));
      await hand.use(link(page, 'Security'));
      await hand.use(button(card(page, 'Two-factor sign-in'), 'Turn on'));
      await proveIt(hand, codeField(page));
      await expect(codeField(page)).toBeFocused();
      await hand.type(await code(page));
      await hand.use(button(page, 'Turn it on'));
      await hand.use(page.getByLabel('I have stored them in a safe place'));
      await hand.use(button(page, 'Done'));
    },
    async keys(hand) {
      const { page } = hand;
      await jump(hand, 'two-factor', 'Security');
      await hand.use(button(card(page, 'Two-factor sign-in'), 'Turn on'));
      await proveIt(hand, codeField(page));
      await expect(codeField(page)).toBeFocused();
      await hand.type(await code(page));
      await hand.press('Enter');
      await hand.use(page.getByLabel('I have stored them in a safe place'));
      await hand.use(button(page, 'Done'));
    },
    done: (page) => expect(page.getByText('10 recovery codes left')).toBeVisible(),
  },
];

for (const way of ['mouse', 'keys'] as const) {
  test(`the tasks of an administrator take few steps by ${way === 'mouse' ? 'mouse' : 'keyboard alone'}`, async ({
    page,
    own,
  }) => {
    test.slow();
    const bot = otherWindow(own);
    await bot.call('createTariff', { name: 'Monthly', duration: { months: 1 } });
    for (const name of ['Anna', 'Boris', 'Vera']) await makeUser(own, name);
    const { status } = await bot.call('createBackup', { password: PASSWORD });
    expect(status).toBe(201);
    await own.visit('overview');
    const counts: Record<string, number> = {};
    const most = way === 'mouse' ? MAX_CLICKS : MAX_KEYS;
    for (const { name, done, ...ways } of TASKS) {
      // The secret path is another one after its task.
      await page.goto(`${page.url().split('#')[0]}#/overview`);
      await page.reload();
      await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
      const hand = createHand(page, way === 'mouse');
      await ways[way](hand, own).catch((failure: unknown) => {
        throw new Error(`${name}: ${failure}`);
      });
      await done(page);
      counts[name] = hand.count();
    }
    expect(Object.entries(counts).filter(([, count]) => count > most)).toEqual([]);
  });
}
