// `npm run build`: the bundle in out/, reported in one line; the bundler's own output follows only where it fails.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** Builds the main process, the preload and the pages; `what` is named in that line. Returns whether that succeeded. */
export function build(what: string): boolean {
  process.stdout.write(`Building ${what} … `);
  const startedAt = performance.now();
  const command = [join(root, 'node_modules/electron-vite/bin/electron-vite.js'), 'build', '--logLevel', 'warn'];
  const { status, stdout, stderr, error } = spawnSync(process.execPath, command, { cwd: root, encoding: 'utf8' });
  if (error) throw error;
  const isBuilt = status === 0;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  process.stdout.write(isBuilt ? `done in ${seconds} s.\n` : `failed:\n\n${stdout}${stderr}`);
  return isBuilt;
}

if (import.meta.main) process.exitCode = build('the command line, the desktop and the pages') ? 0 : 1;
