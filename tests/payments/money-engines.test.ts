// Money is the same in every engine that runs the panel: one table from this Node, from another release where PATH has one, and from Chromium.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';
import { build } from 'vite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CURRENCIES } from '../../src/contract/currencies.ts';
import { launchOptions } from '../support/chromium.ts';
import { moneyTable } from '../support/money-table.ts';

const here = moneyTable();

let folder = '';
/** Source of a script that defines `money.moneyTable`. */
let code = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-money-'));
  const entry = fileURLToPath(new URL('../support/money-table.ts', import.meta.url));
  await build({
    configFile: false,
    logLevel: 'error',
    build: { lib: { entry, formats: ['iife'], name: 'money' }, outDir: folder },
  });
  const [file = ''] = readdirSync(folder);
  code = readFileSync(join(folder, file), 'utf8');
  writeFileSync(join(folder, 'print.cjs'), `${code}\nconsole.log(JSON.stringify(money.moneyTable()));`);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Other releases of Node on PATH, by their version. */
function otherNodes(): readonly (readonly [string, string])[] {
  const paths = (process.env.PATH ?? '').split(delimiter).map((place) => join(place, 'node'));
  const found = new Map<string, string>([[process.version, process.execPath]]);
  for (const path of new Set(paths.filter((one) => existsSync(one)).map((one) => realpathSync(one)))) {
    const version = execFileSync(path, ['--version'], { encoding: 'utf8' }).trim();
    if (!found.has(version)) found.set(version, path);
  }
  found.delete(process.version);
  return [...found];
}

it('comes back as it was typed, in every currency', () => {
  expect(here.filter((line) => line.startsWith('!'))).toEqual([]);
  expect(new Set(here.map((line) => line.slice(0, 3)))).toEqual(new Set(CURRENCIES));
});

const others = otherNodes();
it.skipIf(others.length === 0).each(others)('is the same in Node %s', (_version, path) => {
  expect(JSON.parse(execFileSync(path, [join(folder, 'print.cjs')], { encoding: 'utf8' }))).toEqual(here);
});

const { executablePath } = launchOptions();
it.skipIf(executablePath === undefined)('is the same in Chromium', async () => {
  await using browser = await chromium.launch(launchOptions());
  const page = await browser.newPage();
  expect(await page.evaluate(`(() => { ${code}\nreturn money.moneyTable(); })()`)).toEqual(here);
});
