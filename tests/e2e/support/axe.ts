// Asks axe whether everybody can use what is on screen.
import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

/** Fails with what axe found, each with the element and why. `where` names the screen in the message. */
export async function expectAccessible(page: Page, where: string): Promise<void> {
  await settled(page);
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
  const told: string[] = [];
  for (const { id, help, nodes } of violations) {
    for (const { target, failureSummary } of nodes) {
      if (id === 'region' && !(await isInPage(page, String(target[0])))) continue;
      told.push(`${id}: ${help}\n  ${target.join(' ')}\n  ${failureSummary}`);
    }
  }
  expect(told, `axe on ${where}`).toEqual([]);
}

/** Waits until nothing moves or fades any more: a colour on its way to another can be neither measured nor judged. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const ending = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    await Promise.allSettled(ending.map(({ finished }) => finished));
  });
}

/**
 * What floats over the page (menus, lists of choices, toasts) stands outside of its landmarks, as it should: it is announced by
 * itself. Everything in the page has to be in one.
 */
function isInPage(page: Page, selector: string): Promise<boolean> {
  return page.evaluate((one) => document.querySelector(one)?.closest('#root') !== null, selector);
}
