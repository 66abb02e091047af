// `npm run icons`: draws the pictures of the application from resources/*.svg. The results are committed.
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
/** Of the menu bar of macOS, at one pixel a point and at two. */
const TRAY_SIZES = [18, 36];
const TRAY_MODULE = 'src/main/tray-template.ts';
/** Of the dialog about the application, on a screen with two pixels a point. */
const ICON_SIZE = 128;
const ICON_MODULE = 'src/main/app-icon.ts';

const folder = join(root, 'resources');

async function draw(browser: Browser, source: string, size: number): Promise<Buffer> {
  const svg = readFileSync(join(folder, source), 'utf8');
  const page = await browser.newPage({ viewport: { width: size, height: size } });
  await page.setContent(`<style>body{margin:0}svg{display:block;width:${size}px;height:${size}px}</style>${svg}`);
  const picture = await page.screenshot({ omitBackground: true });
  await page.close();
  return picture;
}

await ensureChromium();
mkdirSync(join(folder, 'icons'), { recursive: true });
const browser = await chromium.launch(launchOptions());
for (const [name, size] of PICTURES) writeFileSync(join(folder, name), await draw(browser, 'icon.svg', size));
const lines: string[] = [];
for (const size of TRAY_SIZES)
  lines.push(`  '${(await draw(browser, 'tray-template.svg', size)).toString('base64')}',`);
const icon = (await draw(browser, 'icon.svg', ICON_SIZE)).toString('base64');
await browser.close();
writeFileSync(
  join(root, ICON_MODULE),
  `// Drawn by \`npm run icons\`: resources/icon.svg as PNG in base64, ${ICON_SIZE} pixels wide.
export const APP_ICON =
  '${icon}';
`,
);
writeFileSync(
  join(root, TRAY_MODULE),
  `// Drawn by \`npm run icons\`: resources/tray-template.svg as PNG in base64, ${TRAY_SIZES.join(' and ')} pixels wide.
export const TRAY_TEMPLATES = [
${lines.join('\n')}
] as const;
`,
);
console.log(`${PICTURES.length} pictures in resources, ${TRAY_SIZES.length} in ${TRAY_MODULE}, one in ${ICON_MODULE}`);
