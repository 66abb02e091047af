// `npm run request-files`: lists which of the project's own source files one request executes, as V8's precise coverage counts them.
//
// A file counts when one of its functions is called between sending the request and receiving the reply, on a panel composed as
// `panel serve` composes it, with its rate limit on, over HTTPS. What a module does at import does not count; neither do types,
// tests and packages. Each request is sent a few times first, so that caches and prepared statements are warm.
// `--functions` names the functions too.
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { root } from './run.ts';

const WARM_UP_REQUESTS = 3;
/** Long enough for what follows a reply, such as notifying subscribers, to finish before the next count begins. */
const QUIET_MS = 200;
const sources = pathToFileURL(join(root, 'src/')).href;
const showsFunctions = process.argv.includes('--functions');

const profiler = new Session();
profiler.connect();
await profiler.post('Profiler.enable');
// Starts before the sources are imported: V8 counts only functions that were compiled after this.
await profiler.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
const { openOwnPanel } = await import('../tests/support/own-panel.ts');
const { createClient } = await import('../tests/support/http-client.ts');

/** The functions called since the previous call of this, by source file. */
async function readCalledFunctions(): Promise<Map<string, string[]>> {
  const { result } = await profiler.post('Profiler.takePreciseCoverage');
  const called = new Map<string, string[]>();
  for (const { url, functions } of result) {
    if (!url.startsWith(sources)) continue;
    const names = functions
      .filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0)
      .map(({ functionName }) => functionName || '(anonymous)');
    if (names.length > 0) called.set(fileURLToPath(url).slice(root.length + 1), names);
  }
  return called;
}

await using own = await openOwnPanel({ rateLimit: 1200 });
const client = createClient({ baseUrl: own.panel.baseUrl, ca: own.ca, key: await own.newKey('full') });
const tariff = await client.call('createTariff', { name: 'Month', traffic_limit: 1e9, duration: { months: 1 } });
const user = await client.call('createUser', { name: 'Ann', tariff_id: tariff.body.id });
const { id } = user.body;

const requests = [
  { name: 'POST /users/{id}/extend', send: () => client.call('extendUser', { id, months: 1 }) },
  { name: 'GET /users/{id}', send: () => client.call('getUser', { id }) },
];

for (const { name, send } of requests) {
  for (let count = 0; count < WARM_UP_REQUESTS; count += 1) await send();
  await setTimeout(QUIET_MS);
  await readCalledFunctions();
  const { status } = await send();
  const called = await readCalledFunctions();
  if (status !== 200) throw new Error(`${name} answered ${status}`);

  console.log(`${name}: ${called.size} files`);
  for (const [path, functions] of [...called].sort()) {
    console.log(showsFunctions ? `  ${path}: ${functions.join(', ')}` : `  ${path}`);
  }
}
client.close();
