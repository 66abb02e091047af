// `npm start`: builds what is missing, then runs the panel. Arguments are passed on: `npm start -- --port 9000`.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '..');
const panel = join(root, 'bin/panel.mjs');

/** What must be built, and from what; a part whose source is not here is not asked for. */
const parts = [
  { what: 'the command line', source: 'src/cli/index.ts', built: 'out/main/cli.js' },
  { what: 'the pages', source: 'src/renderer/index.html', built: 'out/renderer/index.html' },
];

function execute(args: readonly string[]): void {
  const { status, error } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

const isThere = (path: string) => existsSync(join(root, path));
const missing = parts.filter(({ source, built }) => isThere(source) && !isThere(built));
if (missing.length > 0) {
  console.log(`Building ${missing.map(({ what, built }) => `${what} (${built} is missing)`).join(' and ')} …`);
  execute(['node_modules/electron-vite/bin/electron-vite.js', 'build']);
}

// In this process, so that Ctrl-C and signals reach the panel itself.
process.argv = [process.execPath, panel, 'serve', ...process.argv.slice(2)];
await import(pathToFileURL(panel).href);
