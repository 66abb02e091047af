// The samples of the document are programs that work: those of a few operations are run against a real panel over TLS, and all are parsed.
import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CodeSample, codeSamples } from '../../src/contract/openapi/samples.ts';
import { API_OPERATIONS } from '../../src/contract/table.ts';
import { createClient } from '../support/http-client.ts';
import { type OwnPanel, openOwnPanel } from '../support/own-panel.ts';

const run = promisify(execFile);
type Lang = CodeSample['lang'];

/** The example of `createUser` asks for the plan that the one of `createTariff` creates. */
const RUN = ['createTariff', 'createUser', 'getTariff', 'updateTariff', 'listUsers', 'getMetrics'] as const;

const isInstalled = (program: string) => spawnSync(program, ['--version']).status === 0;
const PROGRAMS: Readonly<Record<Lang, string>> = { Shell: 'curl', TypeScript: process.execPath, Python: 'python3' };
const LANGS = (Object.keys(PROGRAMS) as Lang[]).filter((lang) => {
  if (isInstalled(PROGRAMS[lang])) return true;
  console.warn(`No ${PROGRAMS[lang]}: the samples in ${lang} are not run.`);
  return false;
});

function getSample(samples: readonly CodeSample[], lang: Lang): string {
  const sample = samples.find((one) => one.lang === lang);
  if (sample === undefined) throw new Error(`no sample in ${lang}`);
  return sample.source;
}

describe('samples', () => {
  let own: OwnPanel;
  let key: string;
  let served: { paths: Record<string, Record<string, { operationId: string; 'x-codeSamples': CodeSample[] }>> };
  beforeAll(async () => {
    own = await openOwnPanel();
    key = await own.newKey('full');
    writeFileSync(join(own.folder, 'gatehouse-ca.pem'), own.ca);
    const bot = createClient({ baseUrl: own.panel.baseUrl, key, ca: own.ca });
    served = JSON.parse((await bot.call('getOpenApi', {})).text);
    bot.close();
  });
  afterAll(() => own[Symbol.asyncDispose]());

  async function runSample(lang: Lang, source: string): Promise<string> {
    const options = {
      cwd: own.folder,
      env: { ...process.env, PANEL_KEY: key, NODE_EXTRA_CA_CERTS: 'gatehouse-ca.pem' },
    };
    if (lang === 'Shell') return (await run('sh', ['-c', source], options)).stdout;
    if (lang === 'Python') return (await run('python3', ['-c', source], options)).stdout;
    const file = join(own.folder, 'sample.mts');
    writeFileSync(file, source);
    return (await run(process.execPath, [file], options)).stdout;
  }

  it.each(LANGS)('in %s do what they say', async (lang) => {
    const described = Object.values(served.paths).flatMap((methods) => Object.values(methods));
    const printed: Record<string, string> = {};
    for (const id of RUN) {
      const samples = described.find(({ operationId }) => operationId === id)?.['x-codeSamples'] ?? [];
      printed[id] = await runSample(lang, getSample(samples, lang));
    }
    expect(printed.createTariff).toContain('Monthly 50 GB');
    expect(printed.createUser).toContain('Anna Smirnova');
    expect(printed.getTariff).toContain('Monthly 50 GB');
    expect(printed.updateTariff).toMatch(/["']?archived["']?: ?[Tt]rue/);
    expect(printed.listUsers).toContain('Anna Smirnova');
    expect(printed.getMetrics).toContain('panel_users{state="active"} 1');
  });
});

it('in TypeScript and Python are all well formed', () => {
  const sources = API_OPERATIONS.map((operation) => codeSamples(operation, 'https://192.168.1.10:8443/p/api/v1'));
  const broken = sources.flatMap((samples) => {
    const options = { reportDiagnostics: true, compilerOptions: { target: ts.ScriptTarget.ES2024 } };
    return ts.transpileModule(getSample(samples, 'TypeScript'), options).diagnostics ?? [];
  });
  expect(broken).toEqual([]);
  if (!LANGS.includes('Python')) return;
  const program = 'import ast, json, sys\nfor source in json.load(sys.stdin): ast.parse(source)';
  const input = JSON.stringify(sources.map((samples) => getSample(samples, 'Python')));
  expect(spawnSync('python3', ['-c', program], { input, encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
});
