// A bot's author makes a client from the committed OpenAPI file: the types must come out and a program must compile on them.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
// Within reach of node_modules, so that the program finds openapi-fetch as it would in a project of its own.
const cache = join(root, 'node_modules/.cache');
let folder: string;

const program = `
import createClient from 'openapi-fetch';
import type { components, paths } from './panel';

export const client = createClient<paths>({ baseUrl: 'https://192.168.1.10:8443/secret-path/api/v1' });

export async function sell(payment: string): Promise<string | undefined> {
  const { data, error } = await client.POST('/users', {
    params: { header: { 'Idempotency-Key': payment } },
    body: { name: 'Anna Smirnova', tariff_id: 1, contact: '@anna' },
  });
  if (error !== undefined) throw new Error(error.detail);
  const user: components['schemas']['User'] = data;
  return user.sub_url;
}

export async function extendAll(): Promise<number> {
  const { data } = await client.GET('/users', { params: { query: { state: ['expired'], limit: 500 } } });
  for (const { id, expires_at } of data?.items ?? []) {
    if (expires_at === null) continue;
    await client.POST('/users/{id}/extend', { params: { path: { id } }, body: { months: 1 } });
  }
  const renamed = await client.PATCH('/users/{id}', { params: { path: { id: 7 } }, body: { name: 'Anna', contact: '' } });
  const removed = await client.DELETE('/users/{id}', { params: { path: { id: 7 }, header: { 'If-Match': '"1"' } } });
  return (data?.total ?? 0) + (renamed.data?.id ?? 0) + removed.response.status;
}
`;

/** Each line that follows a marker must be refused: the compiler complains where it finds nothing to complain about. */
const mistakes = `
import type { components } from './panel';
import { client } from './program';
// @ts-expect-error a field that is not known
export const unknown: components['schemas']['UserCreate'] = { name: 'Anna', tariff_id: 1, is_admin: true };
// @ts-expect-error a required field left out
export const required = client.POST('/users', { body: { name: 'Anna' } });
// @ts-expect-error a state that there is not
export const state = client.GET('/users', { params: { query: { state: ['paused'] } } });
// @ts-expect-error an operation of the panel only
export const key = client.POST('/keys', { body: {} });
// @ts-expect-error a body where none is taken
export const body = client.POST('/users/{id}/reissue', { params: { path: { id: 7 } }, body: { hard: true } });
`;

/** What the compiler finds wrong; empty where nothing. */
function compile(): string {
  try {
    execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder], { encoding: 'utf8' });
    return '';
  } catch (error) {
    return String((error as { stdout?: unknown }).stdout);
  }
}

/** What the compiler says of both programs, line by line; they are compiled once. */
let complaints: readonly string[];
const PROGRAMS = ['program.ts', 'mistakes.ts'];
/** Those of one program, and those of neither. */
const complaintsIn = (file: string) =>
  complaints.filter((line) => !PROGRAMS.some((other) => other !== file && line.startsWith(other)));

describe('types made from the OpenAPI file', () => {
  beforeAll(async () => {
    mkdirSync(cache, { recursive: true });
    folder = mkdtempSync(join(cache, 'openapi-'));
    const document = JSON.parse(readFileSync(join(root, 'docs/panel-openapi.json'), 'utf8'));
    writeFileSync(join(folder, 'panel.d.ts'), astToString(await openapiTS(document, { defaultNonNullable: false })));
    const compilerOptions = {
      target: 'ES2024',
      lib: ['ES2024', 'DOM', 'DOM.Iterable'],
      module: 'preserve',
      moduleResolution: 'bundler',
      types: [],
      strict: true,
      skipDefaultLibCheck: true,
      noEmit: true,
    };
    writeFileSync(join(folder, 'program.ts'), program);
    writeFileSync(join(folder, 'mistakes.ts'), mistakes);
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: PROGRAMS }));
    complaints = compile().split('\n').filter(Boolean);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('carry a program that sells and extends', () => {
    expect(complaintsIn('program.ts')).toEqual([]);
  });

  it('refuse what the API refuses', () => {
    expect(complaintsIn('mistakes.ts')).toEqual([]);
  });
});
