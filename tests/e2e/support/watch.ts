// Watches a page for what must never happen on any screen: a policy broken, another origin asked, an error in the console.
import type { Page } from '@playwright/test';

export interface Watch {
  /** Console errors that a test provokes itself, such as a refused sign-in. */
  allow(pattern: RegExp): void;
  /** Another origin that the page may ask from now on: the panel has moved. */
  allowOrigin(origin: string): void;
  /** Everything that went wrong so far and was not allowed. */
  complaints(): readonly string[];
}

/** Chromium writes each failed request into the console; a refusal is an answer like any other. */
const REFUSED = /Failed to load resource: the server responded with a status of 4\d\d/;

export async function watchPage(page: Page, origin: string): Promise<Watch> {
  const complaints: string[] = [];
  const allowed: RegExp[] = [REFUSED];
  const origins = new Set([origin]);
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) => {
      console.error(`CSP: ${violatedDirective} refused ${blockedURI} ${sample}`);
    });
  });
  page.on('console', (message) => {
    const text = message.text();
    if (message.type() === 'error' || /Content.Security.Policy|React|Warning:/.test(text)) complaints.push(text);
  });
  page.on('pageerror', (error) => complaints.push(`${error.stack ?? error.message}`));
  page.on('dialog', (dialog) => {
    complaints.push(`A dialog opened: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const { origin: asked, protocol } = new URL(request.url());
    if (!origins.has(asked) && !['data:', 'blob:'].includes(protocol))
      complaints.push(`Another origin: ${request.url()}`);
  });
  return {
    allow: (pattern) => allowed.push(pattern),
    allowOrigin: (other) => origins.add(other),
    complaints: () => complaints.filter((text) => !allowed.some((pattern) => pattern.test(text))),
  };
}
