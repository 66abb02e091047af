// Asks axe whether everybody can use what is on screen.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, type Page } from '@playwright/test';
import { isFull } from '../../support/long.ts';

/** Reads all style sheets for one rule, that no style depends on how a phone is held: a fifth of the time of a check. */
const PRELOADS = isFull;

/** Half as long as what `axe-core` exports as its source. */
const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Fails with what axe found, each with the element and why. `where` names the screen in the message. */
export async function expectAccessible(page: Page, where: string): Promise<void> {
  await waitForAnimations(page);
  const hasAxe = await page.evaluate(() => 'axe' in globalThis);
  // Once for each page that was loaded: its half a megabyte takes longer than most checks.
  if (!hasAxe) await page.evaluate(SOURCE);
  const violations = await page.evaluate(async (preload) => {
    const { axe: checker } = globalThis as unknown as { axe: typeof import('axe-core') };
    const results = await checker.run(document, { resultTypes: ['violations'], preload });
    return results.violations.flatMap(({ id, help, nodes }) =>
      nodes
        // What floats over the page (menus, lists of choices, toasts) is outside of its landmarks, as it should be: it is
        // announced by itself. Everything in the page has to be in one.
        .filter(({ target }) => id !== 'region' || document.querySelector(String(target[0]))?.closest('#root') !== null)
        .map(({ target, failureSummary }) => `${id}: ${help}\n  ${target.join(' ')}\n  ${failureSummary}`),
    );
  }, PRELOADS);
  expect(violations, `axe on ${where}`).toEqual([]);
}

/**
 * Waits until nothing moves or fades any more: the contrast of a colour that still changes cannot be measured. What inherits a
 * colour begins to change when its parent has ended, hence again until two frames pass without any change.
 */
async function waitForAnimations(page: Page): Promise<void> {
  await page.evaluate(async () => {
    // One that fills forwards is listed after its end too, and one that repeats forever never ends.
    const running = () =>
      document
        .getAnimations()
        .filter(({ playState, effect }) => playState === 'running' && effect?.getComputedTiming().endTime !== Infinity);
    const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    for (let quietFrames = 0; quietFrames < 2; ) {
      const animations = running();
      quietFrames = animations.length === 0 ? quietFrames + 1 : 0;
      await Promise.allSettled(animations.map(({ finished }) => finished));
      await nextFrame();
    }
  });
}
