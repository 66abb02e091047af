// `npm start`: builds what is missing, then runs the desktop where there is a display, else the panel alone. Arguments are the
// panel's, which then runs without a window: `npm start -- --port 9000`. `--headless` chooses that without any.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from './build.ts';
import { ensureDesktop } from './desktop.ts';

const root = join(import.meta.dirname, '..');
const panel = join(root, 'bin/panel.mjs');
const isHeadless = process.argv.length > 2;
const args = process.argv.slice(2).filter((arg) => arg !== '--headless');

/** What must have been built, by what of it is looked for. */
const parts = [
  { what: 'the command line', built: 'out/main/cli.js' },
  { what: 'the desktop', built: 'out/main/index.js' },
  { what: 'the pages', built: 'out/renderer/index.html' },
];

const missing = parts.filter(({ built }) => !existsSync(join(root, built)));
if (missing.length > 0 && !build(missing.map(({ what }) => what).join(', '))) process.exit(1);

if (isHeadless) await runPanel();
else {
  const place = { root, platform: process.platform, env: process.env, uid: process.getuid?.() };
  const desktop = ensureDesktop(place, process.stdout.isTTY);
  if ('binary' in desktop) runDesktop(desktop.binary);
  else {
    console.log(`Without the desktop application, which ${desktop.missing}`);
    await runPanel();
  }
}

function runDesktop(binary: string): void {
  const child = spawn(binary, [root], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  child.on('exit', (code) => process.exit(code ?? 1));
}

/** In this process, so that Ctrl-C and signals reach the panel itself. */
async function runPanel(): Promise<void> {
  process.argv = [process.execPath, panel, 'serve', ...args];
  await import(pathToFileURL(panel).href);
}
