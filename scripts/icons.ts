// `npm run icons`: draws the pictures of the application from resources/icon.svg and resources/tray.svg. The results are committed.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium } from '@playwright/test';
import { ensureChromium, launchOptions } from '../tests/support/chromium.ts';
import { root } from './run.ts';

/** Where a picture goes (in resources/), from which drawing, how many pixels wide, and the colour of a drawing that has none. */
type Picture = readonly [name: string, drawing: string, size: number, colour: string];

const ACCENT = '#5457d6';
const LINUX_SIZES = [16, 24, 32, 48, 64, 128, 256, 512];
const PICTURES: readonly Picture[] = [
  // electron-builder makes the icons of Windows and macOS of this one.
  ['icon.png', 'icon.svg', 1024, ''],
  ...LINUX_SIZES.map((size): Picture => [`icons/${size}x${size}.png`, 'icon.svg', size, '']),
  // macOS colours a template itself; elsewhere the accent is seen on light and dark bars alike.
  ['tray/trayTemplate.png', 'tray.svg', 16, '#000'],
  ['tray/trayTemplate@2x.png', 'tray.svg', 32, '#000'],
  ['tray/tray.png', 'tray.svg', 16, ACCENT],
  ['tray/tray@2x.png', 'tray.svg', 32, ACCENT],
];

const folder = join(root, 'resources');

async function draw(browser: Browser, [name, drawing, size, colour]: Picture): Promise<void> {
  const page = await browser.newPage({ viewport: { width: size, height: size } });
  const svg = readFileSync(join(folder, drawing), 'utf8').replaceAll('currentColor', colour);
  await page.setContent(`<style>body{margin:0}svg{display:block;width:${size}px;height:${size}px}</style>${svg}`);
  writeFileSync(join(folder, name), await page.screenshot({ omitBackground: true }));
  await page.close();
}

await ensureChromium();
for (const name of ['icons', 'tray']) mkdirSync(join(folder, name), { recursive: true });
const browser = await chromium.launch(launchOptions());
for (const picture of PICTURES) await draw(browser, picture);
await browser.close();
console.log(`${PICTURES.length} pictures in resources`);
