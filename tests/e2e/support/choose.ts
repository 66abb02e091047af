// Choosing an option by keyboard, as a person does who looks at the list.
import { expect, type Locator } from '@playwright/test';

/**
 * Opens a select, walks to the option and chooses it. The list forgets which option is highlighted a moment after it has opened, or been filtered:
 * an Enter in this moment chooses nothing, hence again until the choice is seen.
 */
export async function chooseByKeyboard(
  select: Locator,
  option: string,
  expectChosen: () => Promise<void> = () => expect(select).toHaveValue(option, { timeout: 1000 }),
): Promise<void> {
  const page = select.page();
  const wanted = page.getByRole('option', { name: option });
  await select.focus();
  await expect(async () => {
    if (!(await wanted.isVisible())) await page.keyboard.press('Enter');
    await expect(async () => {
      await page.keyboard.press('ArrowDown');
      await expect(wanted).toHaveAttribute('data-combobox-selected', 'true', { timeout: 1000 });
    }).toPass({ timeout: 10_000 });
    await page.keyboard.press('Enter');
    await expectChosen();
  }).toPass();
}
