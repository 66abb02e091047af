// Every screen by Tab alone: the focus is in sight and shown, reaches every control, and leaves the screen again. Less motion where the
// system asks for it.
import type { Page } from '@playwright/test';
import { isFull } from '../support/long.ts';
import { expect, test } from './support/fixtures.ts';
import { everyPlace, makeOneOfEach } from './support/records.ts';

/** More than any screen has controls. */
const MAX_TABS = 400;

/** In the page, before its scripts: what the walk asks about the element that has the focus. */
const PROBE = () => {
  const order = new Map<Element, number>();
  const describe = (element: Element) => {
    const { labels } = element as HTMLInputElement;
    const name = element.getAttribute('aria-label') ?? labels?.[0]?.textContent ?? element.textContent;
    return `${element.tagName.toLowerCase()} ${element.getAttribute('type') ?? ''} ${name?.trim().slice(0, 40)}`;
  };
  const isDrawn = (element: Element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  /** The ring is the element's own, or that of the box around or beside a field that is drawn by another element. */
  const hasRing = (element: Element) =>
    [element, element.nextElementSibling, element.parentElement, element.closest('label, .mantine-Input-input')].some(
      (one) => {
        if (one === null) return false;
        const { outlineStyle, outlineWidth } = getComputedStyle(one);
        return outlineStyle !== 'none' && outlineWidth !== '0px';
      },
    );
  const isInSight = (element: Element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    return right > 0 && left < innerWidth && bottom > 0 && top < innerHeight;
  };
  /** Fields of which each part has the focus in turn. */
  const hasParts = (element: Element) =>
    element.matches('[type=date], [type=time], [type=datetime-local], [type=month]');
  Object.assign(window, {
    /** The focused element's number in the order of the walk; null: no element of the page has the focus. */
    probeFocus: () => {
      const element = document.activeElement;
      if (element === null || element === document.body || element === document.documentElement) return null;
      const number = order.get(element) ?? order.size;
      order.set(element, number);
      const wrong = [...(isInSight(element) ? [] : ['out of sight']), ...(hasRing(element) ? [] : ['no ring'])];
      return { number, name: describe(element), wrong, hasParts: hasParts(element) };
    },
    /** Controls that the walk did not reach. One of a group that the arrow keys walk through stands for all. */
    listMissed: () => {
      const modal = [...document.querySelectorAll('[role=dialog][aria-modal=true]')].filter(isDrawn).at(-1);
      const controls = 'a[href], button:not(:disabled), input:not(:disabled, [type=hidden]), select, textarea, summary';
      const groups = '[role=radiogroup], [role=toolbar], [role=tablist], [role=listbox], [role=menu]';
      const reached = [...order.keys()];
      const getRadioName = (element: Element) =>
        element instanceof HTMLInputElement && element.type === 'radio' ? element.name : null;
      const isReached = (element: Element) => {
        const radio = getRadioName(element);
        const group = element.closest(groups);
        return reached.some(
          (other) => other === element || (radio !== null && getRadioName(other) === radio) || group?.contains(other),
        );
      };
      // A row's box is the key x on the row; a column's edge is the arrow keys on its head, or the menu of columns.
      const byOtherKeys = 'tr[data-index] [type=checkbox], th button[tabindex="-1"]';
      return [...(modal ?? document).querySelectorAll(controls)]
        .filter((element) => isDrawn(element) && element.closest('[inert], [aria-hidden=true]') === null)
        .filter((element) => !element.matches(byOtherKeys) && !isReached(element))
        .map(describe);
    },
  });
};

interface Focus {
  readonly number: number;
  readonly name: string;
  readonly wrong: readonly string[];
  readonly hasParts: boolean;
}

/** Presses Tab until an element has the focus again, and returns what was wrong on the way: within a trap others are not reached. */
async function walk(page: Page): Promise<readonly string[]> {
  const found: string[] = [];
  let last: Focus | null = null;
  for (let tabs = 0; tabs < MAX_TABS; tabs += 1) {
    await page.keyboard.press('Tab');
    const focus: Focus | null = await page.evaluate('probeFocus()');
    // Between the last control and the first one the focus is the browser's.
    if (focus === null || (focus.hasParts && focus.number === last?.number)) continue;
    if (last !== null && focus.number <= last.number) {
      const missed: readonly string[] = await page.evaluate('listMissed()');
      return [...found, ...missed.map((name) => `${name}: not reached`)];
    }
    last = focus;
    for (const wrong of focus.wrong) found.push(`${focus.name}: ${wrong}`);
  }
  return [...found, `no end after ${MAX_TABS} tabs`];
}

test('Tab reaches every control of every screen, and the focus is always seen', async ({ page, own }) => {
  await page.addInitScript(PROBE);
  const made = await makeOneOfEach(own, 'Anna');
  const record = `users/${made.userId}`;
  const short = ['users', record, 'users/new', 'plans/new', 'sales', 'connections/new', 'settings/general'];
  const found: string[] = [];
  for (const place of isFull ? everyPlace(made) : short) {
    // A place is loaded, not only shown: the walk begins at the beginning of the document.
    await page.goto('about:blank');
    await own.visit(place);
    await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
    for (const problem of await walk(page)) found.push(`${place}: ${problem}`);
  }
  expect(found).toEqual([]);
});

/** In the page: the longest animation that begins until `endMotion`, ms. */
const WATCH_MOTION = () => {
  let longest = 0;
  let isWatching = true;
  const look = () => {
    for (const animation of document.getAnimations()) {
      const { activeDuration } = animation.effect?.getComputedTiming() ?? {};
      longest = Math.max(longest, Number(activeDuration ?? 0));
    }
    if (isWatching) requestAnimationFrame(look);
  };
  look();
  Object.assign(window, {
    endMotion: () => {
      isWatching = false;
      return longest;
    },
  });
};

for (const reducedMotion of ['no-preference', 'reduce'] as const) {
  test(`motion where the system says ${reducedMotion}`, async ({ page, visit }) => {
    await page.emulateMedia({ reducedMotion });
    await visit('users');
    await page.evaluate(WATCH_MOTION);
    await page.getByRole('table', { name: 'Users' }).getByRole('link').first().click();
    await expect(page.getByRole('dialog')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await page.getByRole('button', { name: 'Account' }).click();
    await expect(page.getByRole('menu')).toBeVisible();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await expect(page.getByRole('dialog')).toBeVisible();
    const longest = Number(await page.evaluate('endMotion()'));
    if (reducedMotion === 'reduce') expect(longest).toBeLessThanOrEqual(1);
    else expect(longest).toBeGreaterThan(1);
  });
}
