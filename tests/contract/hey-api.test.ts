// Proof by a second generator of another make: the client of @hey-api/openapi-ts, made from what a running panel serves, compiles under
// the strictest settings, and drives that panel over TLS.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { createClient } from '../support/http-client.ts';
import { openOwnPanel } from '../support/own-panel.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

const PROGRAM = `
import { client } from './generated/client.gen.ts';
import * as panel from './generated/sdk.gen.ts';
import type { Problem, UserWithLink } from './generated/types.gen.ts';

declare const process: { readonly env: Readonly<Record<string, string | undefined>> };

client.setConfig({ baseUrl: process.env['BASE'] ?? '', auth: process.env['KEY'] ?? '' });

function sure<T>({ data, error }: { data?: T; error?: unknown }): T {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

const plan = sure(await panel.createTariff({ body: { name: 'Monthly', duration: { months: 1 } } }));
const order = { body: { name: 'Ann', tariff_id: plan.id }, headers: { 'Idempotency-Key': 'order-4411' } };
const user: UserWithLink = sure(await panel.createUser(order));
const again = sure(await panel.createUser(order));
const link: string = again.sub_url;
const extended = sure(await panel.extendUser({ path: { id: user.id }, body: { months: 1 } }));
const reset = sure(await panel.resetUserTraffic({ path: { id: user.id } }));
const other = sure(await panel.createUser({ body: { name: 'Cleo', tariff_id: plan.id, metadata: { order: '7' } } }));
const list = sure(await panel.listUsers({ query: { state: ['active', 'on_hold'], ids: [user.id, other.id], sort: 'id' } }));
const ordered = sure(await panel.listUsers({ query: { metadata: { order: '7' } } }));
const batch = sure(await panel.createUsers({ body: { users: [{ name: 'Boris', tariff_id: 99 }] } }));
const events = sure(await panel.listEvents({ query: { after: 0, type: ['user.created'] } }));
const traffic = sure(await panel.getServerTraffic({ query: { range: '7d' } }));
const wrong = await panel.extendUser({ path: { id: user.id }, body: {} });
const problem: Problem | undefined = wrong.error;
const [event] = events.items;

console.log(JSON.stringify({
  isSameUser: user.id === again.id && user.sub_url === link,
  isLonger: Date.parse(extended.expires_at ?? '') > Date.parse(user.expires_at ?? ''),
  state: reset.state,
  found: list.items.map(({ name }) => name),
  ordered: ordered.items.map(({ name }) => name),
  batch: batch.results.map(({ outcome, code }) => [outcome, code]),
  event: event?.type === 'user.created' ? event.data.name : null,
  points: traffic.points.length,
  wrong: problem?.detail,
}));
`;

const CONFIG = {
  compilerOptions: {
    target: 'ES2024',
    lib: ['ES2024', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
    module: 'nodenext',
    types: [],
    strict: true,
    skipDefaultLibCheck: true,
    noUncheckedIndexedAccess: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    allowImportingTsExtensions: true,
    noEmit: true,
  },
  files: ['program.ts'],
};

const generator = join(root, 'node_modules/@hey-api/openapi-ts/bin/run.js');
const GENERATOR = {
  input: './panel.json',
  logs: { level: 'silent', file: false },
  output: { path: './generated', module: { extension: '.ts' } },
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
};

/** What the compiler finds wrong with the program; empty where nothing. */
async function listTypeErrors(folder: string): Promise<string> {
  try {
    return (await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder])).stdout;
  } catch (error) {
    return String((error as { stdout?: unknown }).stdout);
  }
}

it('makes a client that compiles strictly and drives a real panel', async () => {
  await using own = await openOwnPanel();
  const key = await own.newKey('full');
  const bot = createClient({ baseUrl: own.panel.baseUrl, key, ca: own.ca });
  const served = (await bot.call('getOpenApi', {})).text;
  bot.close();
  // Outside node_modules, where Node runs TypeScript.
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-hey-api-'));
  try {
    writeFileSync(join(folder, 'panel.json'), served);
    writeFileSync(join(folder, 'program.ts'), PROGRAM);
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(CONFIG));
    writeFileSync(join(folder, 'openapi-ts.config.mjs'), `export default ${JSON.stringify(GENERATOR)};`);
    await run(process.execPath, [generator], { cwd: folder });
    expect(await listTypeErrors(folder)).toBe('');
    const env = {
      ...process.env,
      BASE: own.panel.baseUrl,
      KEY: key,
      NODE_EXTRA_CA_CERTS: join(own.folder, 'tls', 'ca.pem'),
    };
    const { stdout } = await run(process.execPath, [join(folder, 'program.ts')], { env });
    expect(JSON.parse(stdout)).toEqual({
      isSameUser: true,
      isLonger: true,
      state: 'active',
      found: ['Ann', 'Cleo'],
      ordered: ['Cleo'],
      batch: [['failed', 'tariff_not_found']],
      event: 'Ann',
      points: 168,
      wrong: 'extend_amount',
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
