// The Chromium behind the stand-in's windows.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Route } from '@playwright/test';
import { launchOptions } from '../chromium.ts';
import { APP, fromPage } from './addresses.ts';
import { app } from './app.ts';

export type Handler = (request: Request) => Response | Promise<Response>;
export const schemes = new Map<string, Handler>();
/** External addresses that a page requested: all of them were blocked. */
export const blockedRequests: string[] = [];

let opening: Promise<BrowserContext> | null = null;

/** One browser for all windows, with a debugging port for the test; its profile is in the application's data. */
export function browser(): Promise<BrowserContext> {
  opening ??= open();
  return opening;
}

async function open(): Promise<BrowserContext> {
  const { args, ...options } = launchOptions();
  const profile = join(app.getPath('userData'), 'chromium');
  // Left by a former browser that was killed.
  rmSync(join(profile, 'DevToolsActivePort'), { force: true });
  const context = await chromium.launchPersistentContext(profile, {
    ...options,
    headless: true,
    args: [...args, '--remote-debugging-port=0'],
    viewport: { width: 1280, height: 820 },
    locale: app.getLocale(),
    timezoneId: 'Europe/Berlin',
    reducedMotion: 'reduce',
    acceptDownloads: true,
  });
  app.lastSteps.push(() => context.close());
  await context.route('**/*', answer);
  return context;
}

async function answer(route: Route): Promise<void> {
  const requested = route.request();
  const url = fromPage(requested.url());
  const handler = schemes.get('app');
  if (handler === undefined || !url.startsWith(`${APP}/`)) {
    blockedRequests.push(requested.url());
    return route.abort();
  }
  const headers = Object.entries(await requested.allHeaders()).filter(([name]) => !name.startsWith(':'));
  const body = requested.postDataBuffer();
  const request = new Request(url, {
    method: requested.method(),
    headers: headers.map(([name, value]): [string, string] => [name, fromPage(value)]),
    ...(body !== null && { body: new Uint8Array(body) }),
  });
  const response = await handler(request);
  await route.fulfill({
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: Buffer.from(await response.arrayBuffer()),
  });
}
