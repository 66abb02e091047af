// The bundle in out/, built of the present sources before the first test that runs it.
import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from '../../scripts/run.ts';

/** For what hangs. */
const LIMIT_MS = 30 * 60_000;
const SOURCES = ['src/**/*.{ts,tsx,css,sql,html,js}', '*.config.ts', 'package.json'];
const BUILT = ['out/main/index.js', 'out/main/cli.js', 'out/preload/index.cjs', 'out/renderer/index.html'];

/** Builds where something is missing or older than what it is made of. Throws where that fails. */
export async function ensureBuilt(): Promise<void> {
  const changedAt = (path: string) => statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = globSync(SOURCES, { cwd: root }).filter((path) => !/\.test\.tsx?$/.test(path));
  const newest = Math.max(...sources.map(changedAt));
  if (Math.min(...BUILT.map(changedAt)) > newest) return;
  const { ok, output } = await run(['electron-vite', 'build'], LIMIT_MS);
  if (!ok) throw new Error(`The build failed:\n${output}`);
}
