// Proof that the document is usable: types made from what a running panel serves, a client made from them, and with it the whole
// session of the README against that panel, over TLS.
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { createClient } from '../support/http-client.ts';
import { openOwnPanel } from '../support/own-panel.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const PROGRAM = `
import createClient from 'openapi-fetch';
import type { paths } from './panel';

declare const process: { env: Record<string, string>; };
declare const console: { log(text: string): void };

const { BASE = '', KEY = '' } = process.env;
const client = createClient<paths>({ baseUrl: BASE, headers: { Authorization: 'Bearer ' + KEY } });

function sure<T>({ data, error }: { data?: T; error?: unknown }): T {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

const tariff = sure(await client.POST('/tariffs', {
  body: { name: 'Monthly 50 GB', traffic_limit: 50_000_000_000, duration: { months: 1 }, reset_strategy: 'month' },
}));
const order = { params: { header: { 'Idempotency-Key': 'order-4411' } }, body: { name: 'Ann', contact: '@ann', tariff_id: tariff.id } };
const user = sure(await client.POST('/users', order));
const again = sure(await client.POST('/users', order));
const path = { id: user.id };
const extended = sure(await client.POST('/users/{id}/extend', { params: { path }, body: { months: 1 } }));
const reset = sure(await client.POST('/users/{id}/reset-traffic', { params: { path } }));
const grant = sure(await client.POST('/users/{id}/grants', { params: { path }, body: { bytes: 10_000_000_000, lifetime: 'used' } }));
const reissued = sure(await client.POST('/users/{id}/reissue', { params: { path } }));
const dry = sure(await client.POST('/users/bulk', { body: { action: 'extend', filter: { tariff_id: tariff.id }, days: 3, dry_run: true } }));
const bulk = sure(await client.POST('/users/bulk', { body: { action: 'extend', filter: { tariff_id: tariff.id }, days: 3 } }));
const found = sure(await client.GET('/users', { params: { query: { state: ['active'], q: 'ann' } } }));
const overview = sure(await client.GET('/stats/overview'));
const traffic = sure(await client.GET('/stats/traffic', { params: { query: { range: '7d' } } }));
const metrics = sure(await client.GET('/metrics', { parseAs: 'text' }));
const document = sure(await client.GET('/openapi.json'));
const wrong = await client.POST('/users/{id}/extend', { params: { path }, body: {} });

console.log(JSON.stringify({
  sameUser: user.id === again.id,
  state: extended.state,
  isLonger: Date.parse(extended.expires_at ?? '') > Date.parse(user.expires_at ?? ''),
  used: reset.used_up + reset.used_down,
  granted: grant.bytes_left,
  isNewLink: reissued.sub_url !== user.sub_url,
  dry: [dry.matched, dry.affected],
  bulk: [bulk.matched, bulk.affected],
  found: found.items.map(({ name }) => name),
  active: overview.users.active,
  points: traffic.points.length,
  hasUsers: metrics.includes('panel_users{state="active"} 1'),
  server: JSON.stringify(document).includes(JSON.stringify(BASE)),
  wrong: [wrong.response.status, wrong.error?.detail],
}));
`;

const CONFIG = {
  compilerOptions: {
    target: 'ES2024',
    lib: ['ES2024', 'DOM', 'DOM.Iterable'],
    module: 'preserve',
    moduleResolution: 'bundler',
    types: [],
    strict: true,
    skipDefaultLibCheck: true,
    noEmit: true,
  },
  files: ['program.ts'],
};

/** What the compiler finds wrong with the program; empty where nothing. */
function listTypeErrors(folder: string): string {
  try {
    return execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder], {
      encoding: 'utf8',
    });
  } catch (error) {
    return String((error as { stdout?: unknown }).stdout);
  }
}

it('drives a real panel through the README session, by nothing but its own document', async () => {
  await using own = await openOwnPanel();
  const key = await own.newKey('full');
  const bot = createClient({ baseUrl: own.panel.baseUrl, key, ca: own.ca });
  const served = (await bot.call('getOpenApi', {})).body;
  bot.close();
  const cache = join(root, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'session-'));
  const at = (name: string) => join(folder, name);
  try {
    writeFileSync(
      at('panel.d.ts'),
      astToString(await openapiTS(served as unknown as OpenAPI3, { defaultNonNullable: false })),
    );
    writeFileSync(at('program.ts'), PROGRAM);
    writeFileSync(at('tsconfig.json'), JSON.stringify(CONFIG));
    expect(listTypeErrors(folder)).toBe('');
    const { outputText } = ts.transpileModule(PROGRAM, { compilerOptions: { target: ts.ScriptTarget.ES2022 } });
    writeFileSync(at('program.mjs'), outputText);
    const env = {
      ...process.env,
      BASE: own.panel.baseUrl,
      KEY: key,
      NODE_EXTRA_CA_CERTS: join(own.folder, 'tls', 'ca.pem'),
    };
    const { stdout } = await promisify(execFile)(process.execPath, [at('program.mjs')], { env });
    expect(JSON.parse(stdout)).toEqual({
      sameUser: true,
      state: 'active',
      isLonger: true,
      used: 0,
      granted: 10_000_000_000,
      isNewLink: true,
      dry: [1, 1],
      bulk: [1, 1],
      found: ['Ann'],
      active: 1,
      points: 168,
      hasUsers: true,
      server: true,
      wrong: [422, 'extend_amount'],
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
