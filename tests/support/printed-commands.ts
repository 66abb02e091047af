// Runs commands that a page prints, as a reader copies them.
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { CA_FILE } from '../../src/contract/openapi/trust.ts';
import type { OwnPanel } from './own-panel.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

export const readPage = (path: string) => readFileSync(join(root, path), 'utf8');
/** The blocks of a page in a language. */
export const listCodeBlocks = (page: string, lang: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${lang}\\n([^]*?)^\`\`\`$`, 'gm'))].map(([, source = '']) => source);
export const isInstalled = (program: string, argument: string) => spawnSync(program, [argument]).status === 0;
export const hasCurl = process.platform !== 'win32' && isInstalled('curl', '--version');

/** The commands of the README's session with curl. */
export function readmeSession(): string {
  const page = readPage('README.md');
  return listCodeBlocks(
    page.slice(page.indexOf('## A session with curl'), page.indexOf('## The command line')),
    'sh',
  ).join('');
}

export interface Shell {
  /** Of its processes. */
  readonly env: NodeJS.ProcessEnv;
  /** Runs commands as they are printed, but for what is a placeholder, and fails where one of them does. Returns what they print. */
  run(commands: string): Promise<string>;
}

/** A shell in a folder, which has the CA of the panel. */
export function openShell({ panel, ca, folder: data }: OwnPanel, key: string, folder: string): Shell {
  writeFileSync(join(folder, CA_FILE), ca);
  const env = { ...process.env, BASE: panel.baseUrl, KEY: key, GATEHOUSE_DATA: data };
  return {
    env,
    async run(commands) {
      const filled = commands
        .replace(/^export BASE=.*$/m, `BASE='${panel.baseUrl}'`)
        .replace(/KEY=.?pnl_….?/, `KEY=${key}`);
      // The panel of this checkout without the second that npx takes, and a refusal is a failure.
      const before = `set -eu
npx() { shift; '${process.execPath}' '${join(root, 'bin/panel.mjs')}' "$@"; }
curl() { command curl --fail-with-body "$@"; }
`;
      try {
        return (await run('sh', ['-c', before + filled], { cwd: folder, env })).stdout;
      } catch (error) {
        throw new Error(
          `a command failed; printed before: ${(error as { readonly stdout: string }).stdout.slice(-1000)}`,
        );
      }
    },
  };
}
