// Where the browser for tests is: the system's Chromium, installed first where that is possible.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { CHROMIUM_PROGRAMS, ensurePackages } from '../../scripts/system-packages.ts';

/** Names that systems give it. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

function find(): string | null {
  const asked = process.env.CHROMIUM_PATH;
  if (asked !== undefined) return asked;
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find((path) => existsSync(path)) ?? null;
}

/** The path of the browser. Throws where there is none and none can be installed. */
export async function ensureChromium(): Promise<string> {
  const path = find();
  if (path !== null) return path;
  const reason = await ensurePackages(CHROMIUM_PROGRAMS);
  const installed = find();
  if (installed === null) throw new Error(reason ?? 'Chromium is not on PATH; name it with CHROMIUM_PATH');
  return installed;
}

/** How it is started: as root it cannot have its own sandbox, which no test asks for. */
export function launchOptions(): { readonly executablePath?: string; readonly args: string[] } {
  const path = find();
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return path === null ? { args } : { executablePath: path, args };
}
