// What the build weighs and says: light enough for a slow line, and nothing in it that would ask another origin.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import { root } from '../../scripts/run.ts';
import { LANGUAGES } from '../../src/i18n/languages.ts';
import { loadPageTexts } from '../../src/i18n/page-texts.ts';

const folder = join(root, 'out/renderer');
/** Bytes, gzipped, of all scripts that are loaded before anything is asked for. */
const MAX_INITIAL_SCRIPT = 300_000;
const MAX_INITIAL_STYLE = 60_000;

const index = readFileSync(join(folder, 'index.html'), 'utf8');
const initial = [...index.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, path = '']) => path);
const measureSize = (paths: readonly string[]) =>
  paths.reduce((sum, path) => sum + gzipSync(readFileSync(join(folder, path))).length, 0);

test('the scripts and styles of the first screen are light', () => {
  const scripts = initial.filter((path) => path.endsWith('.js'));
  const styles = initial.filter((path) => path.endsWith('.css'));
  expect(scripts.length).toBeGreaterThan(0);
  const weight = { script: measureSize(scripts), style: measureSize(styles) };
  console.log(`initial: ${weight.script} bytes of scripts, ${weight.style} of styles, gzipped`);
  expect(weight.script).toBeLessThan(MAX_INITIAL_SCRIPT);
  expect(weight.style).toBeLessThan(MAX_INITIAL_STYLE);
});

test('charts and languages are not among them', async () => {
  const text = initial.filter((path) => path.endsWith('.js')).map((path) => readFileSync(join(folder, path), 'utf8'));
  const texts = await Promise.all(
    LANGUAGES.map(async ({ code }) => (await loadPageTexts(code)).overview.figures.online),
  );
  for (const part of ['u-over', ...texts]) {
    for (const script of text) expect(script.includes(part), part).toBe(false);
  }
});

test('the page has no script or style inside it and names no other origin', () => {
  expect(index).not.toMatch(/<script(?![^>]*\ssrc=)/);
  expect(index).not.toMatch(/<style|\sstyle=|\son\w+=/);
  expect(index).not.toMatch(/(?:src|href)="(?!\.\/)/);
  expect(index).toContain('nonce="__STYLE_NONCE__"');
  for (const name of readdirSync(join(folder, 'assets'))) {
    if (name.endsWith('.css'))
      expect(readFileSync(join(folder, 'assets', name), 'utf8')).not.toMatch(/url\(\s*["']?(?:https?:)?\/\//);
  }
});

test('every file that is worth it is there in both compressed forms', () => {
  const files = readdirSync(join(folder, 'assets')).filter((name) => /\.(?:js|css)$/.test(name));
  const large = files.filter((name) => statSync(join(folder, 'assets', name)).size > 2048);
  expect(large.length).toBeGreaterThan(3);
  for (const name of large) {
    for (const ending of ['.br', '.gz']) {
      expect(statSync(join(folder, 'assets', name + ending)).size).toBeLessThan(
        statSync(join(folder, 'assets', name)).size,
      );
    }
  }
});
