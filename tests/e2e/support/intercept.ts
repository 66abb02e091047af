// Replaces what the panel replies to the calls of a page: refusals, and a line that is cut.
import type { Page, Route } from '@playwright/test';

export interface InterceptedCalls {
  /** From now on the page's calls to the panel are handled by this. */
  answerWith(handler: (route: Route) => Promise<void>): void;
  /** From now on they reach the panel again. */
  restore(): void;
}

/**
 * Must come before the page is loaded: `page.route` resolves before a page that is already open has been told to send its requests
 * through the interception, so that the next request of that page may still reach the panel.
 */
export async function interceptCalls(page: Page): Promise<InterceptedCalls> {
  const passOn = (route: Route) => route.fallback();
  let handler = passOn;
  await page.route('**/panel/**', (route) => handler(route));
  return {
    answerWith(next) {
      handler = next;
    },
    restore() {
      handler = passOn;
    },
  };
}
