// Asks axe whether everybody can use what is on screen.
import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

/** Fails with what axe found, each with the element and why. `where` names the screen in the message. */
export async function expectAccessible(page: Page, where: string): Promise<void> {
  // What floats over the page (menus, lists of choices, toasts) stands outside of its landmarks, as it should: it is announced
  // by itself. Everything in the page has to be in one.
  const all = await new AxeBuilder({ page }).disableRules('region').analyze();
  const inPage = await new AxeBuilder({ page }).include('#root').withRules('region').analyze();
  const told = [...all.violations, ...inPage.violations].flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${help}\n  ${target.join(' ')}\n  ${failureSummary}`),
  );
  expect(told, `axe on ${where}`).toEqual([]);
}
