// Hostile texts in every field that is stored: they are shown as texts, break no screen, and run nothing.
import type { Page } from '@playwright/test';
import { showHidden } from '../../src/renderer/src/format/show-hidden.ts';
import { isFull } from '../support/long.ts';
import { expect, type OwnPanel, test } from './support/fixtures.ts';
import { everyPlace, makeOneOfEach, placesOfRecords } from './support/records.ts';
import { makeUser } from './support/users.ts';

/** The last one goes into the panel's settings too, where all are in one panel. */
const TEXTS = {
  'right to left, and four bytes each': 'مرحبا \u202eevil\u202c שלום {{name}} $t(common:save) 🦦👩‍👩‍👧‍👦𝕏 😀'
    .padEnd(60, '😀')
    .slice(0, 60)
    .toWellFormed(),
  'one long word': 'Щ'.repeat(60),
  scripts: `"'><img src=x onerror=alert(1)><script>alert(1)</script>`,
};

/** A wide screen, the same at 200 %, and a narrow phone. */
const SIZES = [
  { width: 1440, height: 800 },
  { width: 720, height: 400 },
  { width: 360, height: 800 },
] as const;

/** The texts of buttons that are outside the window and cannot be scrolled to. */
function findCutButtons(page: Page): Promise<(string | null)[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('[role=dialog] button, main button')].flatMap((button) => {
      const { right, left, width: wide } = button.getBoundingClientRect();
      let holder = button.parentElement;
      while (holder !== null && !['auto', 'scroll'].includes(getComputedStyle(holder).overflowX))
        holder = holder.parentElement;
      const isReached = holder !== null && holder !== document.body && holder.scrollWidth > holder.clientWidth;
      return !isReached && wide > 1 && (right > innerWidth + 1 || left < -1) ? [button.textContent] : [];
    }),
  );
}

async function expectWhole(page: Page, where: string): Promise<void> {
  await expect(page.locator('img[src="x"]'), where).toHaveCount(0);
  for (const { width, height } of SIZES) {
    await page.setViewportSize({ width, height });
    // A drawer still moves for a moment after the window has changed.
    const measureOverflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    await expect.poll(measureOverflow, `${where} at ${width} px`).toBeLessThanOrEqual(0);
    await expect.poll(() => findCutButtons(page), `${where} at ${width} px: buttons out of reach`).toEqual([]);
  }
}

/** Makes records of each text and goes wherever they are shown, and everywhere else. */
async function walk(page: Page, own: OwnPanel, texts: readonly string[]): Promise<void> {
  const places = new Set<string>();
  for (const text of texts) {
    const made = await makeOneOfEach(own, text);
    await makeUser(own, 'Ж'.repeat(100), {
      tariff_id: made.planId,
      contact: 'W'.repeat(100),
      note: `${text}\n`.repeat(20),
    });
    for (const place of text === texts.at(-1) ? everyPlace(made) : placesOfRecords(made)) places.add(place);
  }
  for (const place of places) {
    await own.visit(place);
    await expect(page.getByText('Something went wrong')).toHaveCount(0);
    await expectWhole(page, place);
  }
  for (const text of texts) {
    await own.visit('users');
    await expect(page.getByRole('link', { name: showHidden(text) }).first()).toBeVisible();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find a user, a record, an action or a setting' }).fill(text.slice(0, 20));
    await expect(page.getByRole('dialog')).toBeVisible();
    await expectWhole(page, 'the palette');
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
  }
}

/** In the short form all texts are in one panel, in the long form each in one of its own, with its settings. */
const PANELS: Readonly<Record<string, readonly string[]>> = isFull
  ? Object.fromEntries(Object.entries(TEXTS).map(([name, text]) => [name, [text]]))
  : { [Object.keys(TEXTS).join(', ')]: Object.values(TEXTS) };

for (const [name, texts] of Object.entries(PANELS)) {
  test(`${name} in every field break nothing on any screen`, async ({ page, own }) => {
    await walk(page, own, texts);
  });
}
