// `npm run icons`: draws the pictures of the application from resources/icon.svg. The results are committed.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium } from '@playwright/test';
import { ensureChromium, launchOptions } from '../tests/support/chromium.ts';
import { root } from './run.ts';

const LINUX_SIZES = [16, 24, 32, 48, 64, 128, 256, 512];
/** Name in resources/ and width in pixels. electron-builder makes the icons of Windows and macOS of the first. */
const PICTURES: readonly (readonly [name: string, size: number])[] = [
  ['icon.png', 1024],
  ...LINUX_SIZES.map((size) => [`icons/${size}x${size}.png`, size] as const),
];

const folder = join(root, 'resources');

async function draw(browser: Browser, name: string, size: number): Promise<void> {
  const page = await browser.newPage({ viewport: { width: size, height: size } });
  await page.setContent(`<style>body{margin:0}svg{display:block;width:${size}px;height:${size}px}</style>${svg}`);
  writeFileSync(join(folder, name), await page.screenshot({ omitBackground: true }));
  await page.close();
}

await ensureChromium();
mkdirSync(join(folder, 'icons'), { recursive: true });
const svg = readFileSync(join(folder, 'icon.svg'), 'utf8');
const browser = await chromium.launch(launchOptions());
for (const [name, size] of PICTURES) await draw(browser, name, size);
await browser.close();
console.log(`${PICTURES.length} pictures in resources`);
