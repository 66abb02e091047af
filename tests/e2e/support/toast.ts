// The short messages that float over a page. A page often shows the same words a second time, as in the history of a record.
import type { Locator, Page } from '@playwright/test';

/** The message of a finished action with this text. Its role keeps it apart from the same words elsewhere on the page. */
export function getToast(page: Page, text: string | RegExp): Locator {
  return page.getByRole('status').getByText(text);
}
