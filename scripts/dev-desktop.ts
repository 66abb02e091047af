// `npm run dev:desktop`: the desktop application for development. electron-vite rebuilds and restarts the shell when its sources change,
// and serves the pages with hot reload; src/main/dev-pages.ts puts those pages into the window.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ensureDesktop } from './desktop.ts';

const root = join(import.meta.dirname, '..');
const place = { root, platform: process.platform, env: process.env, uid: process.getuid?.() };
const desktop = ensureDesktop(place, process.stdout.isTTY);
if ('missing' in desktop) {
  console.error(
    `There is no desktop application here: it ${desktop.missing} \`npm run dev\` runs the panel in a browser.`,
  );
  process.exit(1);
}
const command = [join(root, 'node_modules/electron-vite/bin/electron-vite.js'), 'dev', '--watch'];
const child = spawn(process.execPath, command, { cwd: root, stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
child.on('exit', (code) => process.exit(code ?? 1));
