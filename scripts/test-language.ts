// `npm run test:language`: adds a made-up language to a copy of the checkout and runs the checks, the tests of texts and every browser test
// that is made for each language. All pass without another change, so that a language stays one entry of a list and a folder of texts.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addLanguage } from './add-language.ts';
import { line, readable, root, run } from './run.ts';

const BUDGET_MS = 1_200_000;

/** The files that git knows or would add. */
function copyCheckout(to: string): void {
  const options = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const names = execFileSync('git', options, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 }).split('\0');
  for (const name of names) if (name !== '') cpSync(join(root, name), join(to, name));
  symlinkSync(join(root, 'node_modules'), join(to, 'node_modules'), 'junction');
}

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-language-'));
try {
  copyCheckout(folder);
  const code = addLanguage(folder, { tag: 'eo', name: 'Esperanto', word: 'lingvo' });
  const unit = ['--project', 'std', '--project', 'node', '--project', 'web'];
  const steps = [
    { name: 'OpenAPI', command: ['node', join(folder, 'scripts/openapi.ts')] },
    { name: 'check', command: ['node', join(folder, 'scripts/check.ts')] },
    {
      name: 'unit tests',
      command: [
        'vitest',
        'run',
        '--root',
        folder,
        ...unit,
        'i18n',
        'subscription',
        'contract',
        'renderer',
        'main',
        'store/panel-tables',
      ],
    },
    {
      name: 'browser tests',
      command: [
        'playwright',
        'test',
        '--config',
        join(folder, 'playwright.config.ts'),
        '--grep',
        `\\b${code}\\b|languages`,
      ],
    },
  ];
  for (const { name, command } of steps) {
    const { ok, durationMs, output } = await run(command, BUDGET_MS);
    console.log(line(ok, name, durationMs));
    console.log(ok ? lastLines(output) : readable(output));
    if (!ok) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** What was run, as the program itself sums it up. */
function lastLines(output: string): string {
  return readable(output).split('\n').slice(-12).join('\n');
}
