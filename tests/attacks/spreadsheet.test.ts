// Exported tables as a spreadsheet opens them, whatever separator its locale has: no cell becomes a formula. LibreOffice is the judge.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { run } from '../../scripts/run.ts';
import { csvHead, csvLine } from '../../src/renderer/src/format/csv.ts';

const LIMIT_MS = 300_000;
/** LibreOffice's numbers of separators and languages. */
const SEPARATORS = { comma: 44, semicolon: 59, tab: 9 } as const;
const LANGUAGES = { English: 1033, German: 1031 } as const;
const UTF_8 = 76;
const QUOTE = 34;

const STARTS = ['=1+1', '+1+1', '-1+1', '@SUM(1)', '=HYPERLINK("x";"y")'];
const BEFORE = ['', 'a;', 'a\t', 'a\n', 'a\r\n', 'a; ', '";', '"\t', '",', ';', '\t', ';;', 'a;"'];
const HOSTILE = BEFORE.flatMap((before) => STARTS.map((start) => `${before}${start};b`));

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-spreadsheet-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The table as LibreOffice reads it, in its XML. */
async function openTable(text: string, separator: number, language: number): Promise<string> {
  const file = join(folder, 'table.csv');
  writeFileSync(file, text);
  const filter = `CSV:${separator},${QUOTE},${UTF_8},1,,${language}`;
  const profile = `-env:UserInstallation=file://${folder}/profile`;
  const command = ['soffice', profile, '--headless', '--convert-to', 'fods', `--infilter=${filter}`];
  // What it writes beside its profile stays in the folder.
  const env = { HOME: folder, XDG_RUNTIME_DIR: folder };
  const { ok, output } = await run([...command, '--outdir', folder, file], LIMIT_MS, env);
  if (!ok) throw new Error(output);
  return readFileSync(join(folder, 'table.fods'), 'utf8');
}

const countFormulas = (xml: string) => xml.split('table:formula=').length - 1;
const why = inject('noSpreadsheet');

describe.skipIf(why !== null)(why === null ? 'an exported table' : `an exported table (${why})`, () => {
  for (const [name, separator] of Object.entries(SEPARATORS))
    for (const [language, code] of Object.entries(LANGUAGES))
      test(`has no formula where the separator is a ${name}, in ${language}`, { timeout: LIMIT_MS }, async () => {
        const rows = HOSTILE.map((text, index) => csvLine([index, text, 'end']));
        const xml = await openTable(csvHead(['id', 'name', 'note']) + rows.join(''), separator, code);
        expect(xml).toContain('end');
        expect(countFormulas(xml)).toBe(0);
      });

  test('would have one without the apostrophes', { timeout: LIMIT_MS }, async () => {
    const xml = await openTable('1;"a";=1+1\r\n', SEPARATORS.semicolon, LANGUAGES.German);
    expect(countFormulas(xml)).toBe(1);
  });
});
