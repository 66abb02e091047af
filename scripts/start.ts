// `npm start`: builds what is missing, then runs the desktop where there is one, else the panel alone. Arguments are the
// panel's, which then runs without a window: `npm start -- --port 9000`.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from './build.ts';
import { findDesktop } from './desktop.ts';

const root = join(import.meta.dirname, '..');
const panel = join(root, 'bin/panel.mjs');
const args = process.argv.slice(2);

/** What must have been built, by what of it is looked for. */
const parts = [
  { what: 'the command line', built: 'out/main/cli.js' },
  { what: 'the desktop', built: 'out/main/index.js' },
  { what: 'the pages', built: 'out/renderer/index.html' },
];

const missing = parts.filter(({ built }) => !existsSync(join(root, built)));
if (missing.length > 0 && !build(missing.map(({ what }) => what).join(', '))) process.exit(1);

const desktop = findDesktop({ root, platform: process.platform, env: process.env, uid: process.getuid?.() });
if ('binary' in desktop && args.length === 0) {
  const child = spawn(desktop.binary, [root], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  child.on('exit', (code) => process.exit(code ?? 1));
} else {
  if ('missing' in desktop) console.log(`Without the desktop application, which ${desktop.missing}`);
  // In this process, so that Ctrl-C and signals reach the panel itself.
  process.argv = [process.execPath, panel, 'serve', ...args];
  await import(pathToFileURL(panel).href);
}
