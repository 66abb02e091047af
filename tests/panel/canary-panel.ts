// The real `panel serve` with a key file, and a client that keeps everything it was answered: what is refused apart.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CommandLine, type Finished, openCommandLine, type Serving } from '../support/cli.ts';
import { type Answer, createClient, type Sent } from '../support/http-client.ts';
import { createSessionJar } from '../support/session-jar.ts';

type Json = Readonly<Record<string, unknown>>;

export interface WatchedPanel extends AsyncDisposable {
  readonly folder: string;
  readonly serving: Serving;
  /** What was sent and what came back with success. */
  readonly spoken: string[];
  /** Everything that was refused: status, headers and body; and what failed commands said. */
  readonly refused: string[];
  /** Present paths; `origin` has none. */
  readonly at: { readonly origin: string; base: string };
  /** Sends with a key, or none (null). */
  send(request: Sent, key?: string | null): Promise<Answer>;
  /** A panel operation with the session; `body` as it is where it is a text. */
  operate(id: string, body?: Json | string): Promise<Answer<Json>>;
  run(args: readonly string[], input: string): Promise<Finished>;
  /** The session's token: the cookie's half and the page's. */
  session(): readonly [cookieHalf: string, pageHalf: string];
  /** The bytes of all files in the data folder whose path fits. */
  files(fits: (path: string) => boolean): Buffer;
}

export async function openWatchedPanel(): Promise<WatchedPanel> {
  const keys = mkdtempSync(join(tmpdir(), 'gatehouse-key-'));
  const line: CommandLine = openCommandLine();
  const serving = await line.serve(['--port', '0', '--rate-limit', '0', '--key-file', join(keys, 'master.key')]);
  const ca = readFileSync(serving.caPath ?? '', 'utf8');
  const client = createClient({ baseUrl: serving.baseUrl, ca });
  const at = { origin: new URL(serving.baseUrl).origin, base: serving.baseUrl };
  const spoken: string[] = [];
  const refused: string[] = [];
  const jar = createSessionJar();

  const panel: WatchedPanel = {
    folder: line.folder,
    serving,
    spoken,
    refused,
    at,
    async send(request, key = null) {
      const path = request.path.startsWith('https:') ? request.path : at.base + request.path;
      spoken.push(`${path} ${JSON.stringify(request.headers ?? {})} ${key} ${request.body ?? ''}`);
      const answer = await client.as(key).send({ ...request, path });
      const told = `${answer.status} ${answer.rawHeaders.join('\n')} ${answer.text}`;
      (answer.status < 400 ? spoken : refused).push(told);
      return answer;
    },
    async operate(id, body = {}) {
      const answer = await panel.send({
        method: 'POST',
        path: new URL(`../panel/${encodeURIComponent(id)}`, at.base).href,
        headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', ...jar.headers() },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
      jar.store(answer.headers);
      return answer as Answer<Json>;
    },
    async run(args, input) {
      const finished = await line.run(args, input);
      spoken.push(input, ...(finished.code === 0 ? [finished.stdout] : []));
      refused.push(finished.stderr, ...(finished.code === 0 ? [] : [finished.stdout]));
      return finished;
    },
    session: () => [jar.cookie()?.[1] ?? '', jar.pageHalf() ?? ''],
    files(fits) {
      const entries = readdirSync(line.folder, { recursive: true, withFileTypes: true });
      const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
      return Buffer.concat(paths.filter(fits).map((path) => readFileSync(path)));
    },
    async [Symbol.asyncDispose]() {
      client.close();
      await line[Symbol.asyncDispose]();
      rmSync(keys, { recursive: true, force: true });
    },
  };
  return panel;
}
