// The Chromium behind the stand-in's windows. It does not know `app://`: pages stand under an https address of no network instead.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Route } from '@playwright/test';
import { launchOptions } from '../chromium.ts';
import { app } from './app.ts';

const APP = 'app://gatehouse';
/** RFC 2606: a name that resolves nowhere. */
const PAGES = 'https://gatehouse.app.invalid';

export const toPage = (url: string) => (url.startsWith(APP) ? PAGES + url.slice(APP.length) : url);
export const fromPage = (url: string) => (url.startsWith(PAGES) ? APP + url.slice(PAGES.length) : url);

export type Handler = (request: Request) => Response | Promise<Response>;
export const schemes = new Map<string, Handler>();
/** Addresses outside that a page asked for: none of them was reached. */
export const strayed: string[] = [];

let opening: Promise<BrowserContext> | null = null;

/** One for all windows, on a port of its own for the test to look in; its profile is the application's. */
export function browser(): Promise<BrowserContext> {
  opening ??= open();
  return opening;
}

async function open(): Promise<BrowserContext> {
  const { args, ...options } = launchOptions();
  const profile = join(app.getPath('userData'), 'chromium');
  // The port of a browser before, which a kill leaves.
  rmSync(join(profile, 'DevToolsActivePort'), { force: true });
  const context = await chromium.launchPersistentContext(profile, {
    ...options,
    headless: true,
    args: [...args, '--remote-debugging-port=0'],
    viewport: { width: 1280, height: 820 },
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    reducedMotion: 'reduce',
    acceptDownloads: true,
  });
  app.lastSteps.push(() => context.close());
  await context.route('**/*', answer);
  return context;
}

async function answer(route: Route): Promise<void> {
  const asked = route.request();
  const url = fromPage(asked.url());
  const handler = schemes.get('app');
  if (handler === undefined || !url.startsWith(`${APP}/`)) {
    strayed.push(asked.url());
    return route.abort();
  }
  const headers = Object.entries(await asked.allHeaders()).filter(([name]) => !name.startsWith(':'));
  const body = asked.postDataBuffer();
  const request = new Request(url, {
    method: asked.method(),
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
