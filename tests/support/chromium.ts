// Finds the browser for tests: the system's Chromium, installed first where that is possible.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ensurePackages } from '../../scripts/system-packages.ts';

/** Chromium without a window's frame: it draws the same pages for a quarter of the work. */
const HEADLESS = 'chromium-headless-shell';
const NAMES = [HEADLESS, 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

function find(names: readonly string[] = NAMES): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path)) ?? null;
}

/** The browser that is there already; null: there is none. */
export const findChromium = (): string | null => process.env.CHROMIUM_PATH ?? find();

/** Makes sure that there is a browser. Throws where there is none and none can be installed. */
export async function ensureChromium(): Promise<void> {
  if (process.env.CHROMIUM_PATH !== undefined || find([HEADLESS]) !== null) return;
  const reason = await ensurePackages({ [HEADLESS]: HEADLESS });
  // Older systems have the whole browser alone.
  if (find() === null) await ensurePackages({ chromium: 'chromium' });
  if (find() === null) throw new Error(reason ?? 'Chromium is not on PATH; name it with CHROMIUM_PATH');
}

/**
 * How it is started: as root it cannot have its own sandbox, which no test needs. Certificates are not verified at all: where a context
 * ignores their errors one by one, Chromium restarts each request after an error, and gives up with ERR_TOO_MANY_RETRIES once in
 * some hundred page loads.
 */
export function launchOptions(): { readonly executablePath?: string; readonly args: string[] } {
  const executablePath = findChromium();
  const args = ['--ignore-certificate-errors'];
  if (process.getuid?.() === 0) args.push('--no-sandbox');
  return executablePath === null ? { args } : { executablePath, args };
}
