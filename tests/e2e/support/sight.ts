// What a person can see of elements that are on the page.
import { expect, type Locator } from '@playwright/test';

/** Fails with the texts of those that a part of is scrolled or cut off at a side by what is around them. */
export async function expectWhole(elements: Locator): Promise<void> {
  await expect(elements.first()).toBeVisible();
  const isCut = (all: readonly Element[]) =>
    all.flatMap((element) => {
      const { left, right } = element.getBoundingClientRect();
      for (let around = element.parentElement; around !== null; around = around.parentElement) {
        if (getComputedStyle(around).overflowX === 'visible') continue;
        const box = around.getBoundingClientRect();
        if (left < box.left - 1 || right > box.right + 1) return [element.textContent];
      }
      return [];
    });
  expect(await elements.evaluateAll(isCut)).toEqual([]);
}

/** Fails where the focus within a field is not shown by a ring around the field. */
export async function expectRing(field: Locator): Promise<void> {
  await field.focus();
  const outline = (element: Element) => {
    const box = element.closest('.mantine-Input-input') ?? element;
    return getComputedStyle(box).outlineStyle;
  };
  expect(await field.evaluate(outline)).toBe('solid');
}
