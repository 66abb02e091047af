// Before all browser tests: the browser is there, and the pages are built of the present sources.
import type { FullConfig } from '@playwright/test';
import { run } from '../../../scripts/run.ts';
import { ensureBuilt } from '../../support/built.ts';
import { ensureChromium } from '../../support/chromium.ts';
import { GALLERY_FOLDER, nameIndex } from './gallery.ts';

/** For what hangs. */
const LIMIT_MS = 30 * 60_000;
const GALLERY = ['--mode', 'gallery', '--outDir', GALLERY_FOLDER];

// biome-ignore lint/style/noDefaultExport: Playwright calls the default export.
export default async function prepare({ grep }: FullConfig): Promise<void> {
  await ensureChromium();
  if (process.env.PAGES_ARE_BUILT === '1') return;
  await ensureBuilt();
  // No walk of the smoke is in the gallery.
  if (String(grep).includes('@smoke')) return;
  const { ok, output } = await run(['vite', 'build', '--config', 'renderer.vite.config.ts', ...GALLERY], LIMIT_MS);
  if (!ok) throw new Error(`The gallery could not be built:\n${output}`);
  nameIndex();
}
