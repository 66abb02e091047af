// `npm run test:desktop`: the end-to-end tests of the desktop in Electron itself. Where it cannot run they are skipped, which is said.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { findDesktop } from './desktop.ts';
import { root } from './run.ts';

const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const args = [vitest, 'run', '--project', 'desktop', ...process.argv.slice(2)];
const env = { ...process.env, GATEHOUSE_TEST_ELECTRON: '1' };
const { status, error } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit', env });
if (error) throw error;
process.exitCode = status ?? 1;

const desktop = findDesktop({ root, platform: process.platform, env: process.env, uid: process.getuid?.() });
if ('missing' in desktop) {
  console.warn(`! THE DESKTOP WAS NOT TESTED: ${desktop.missing}`);
  // As `npm test` does: there a machine may lack the binary, and nothing else.
  const isStrict = process.env.CI === 'true' || process.env.CI === '1';
  if (isStrict && !desktop.lacksBinary) process.exitCode = 1;
}
