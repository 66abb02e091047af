// The servers that are measured: a panel, and the bare one that it is held against.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FILES } from '../../src/adapters/data-folder.ts';
import type { TlsIdentity } from '../../src/http/server.ts';
import { type Child, startChild } from './child.ts';
import { getDatabasePath } from './databases.ts';
import { fetchText, type Target } from './target.ts';

export interface PanelStart {
  /** A data folder; the panel owns it as long as it runs. */
  readonly folder: string;
  readonly tls: boolean;
  /** How many users of the first node's engine move something between two polls, of which there is one a second. */
  readonly pollsMoving?: number;
  /** It listens on all addresses, takes loopback for a proxy, and limits requests as a new panel does. */
  readonly isAttacked?: true;
  /** No connection is left, so that all users may use all that come. */
  readonly fleet?: boolean;
}

export interface PanelPlace {
  /** `http://127.0.0.1:1234` */
  readonly origin: string;
  /** Of base_url. */
  readonly path: string;
  /** A key with Full access. */
  readonly key: string;
}

/** What the bare server does for each request. */
export type BareWork = 'user' | 'list' | 'like' | 'insert' | 'extend' | 'attacked' | 'bytes';

export interface BareStart {
  readonly database: string;
  readonly work: BareWork;
  /** How a subscription link begins, so that the bytes are the same. */
  readonly links: string;
  /** What `bytes` replies. */
  readonly bytes?: string;
  /** It listens on all addresses, over TLS. */
  readonly tls?: TlsIdentity;
}

export interface Server extends AsyncDisposable {
  readonly child: Child;
  /** Requests to this server; `paths` below its root. */
  target(paths: readonly string[], body?: unknown): Target;
}

const JSON_BODY = { 'Content-Type': 'application/json' };

function buildTarget(origin: string, paths: readonly string[], headers: Target['headers'], body: unknown): Target {
  if (body === undefined) return { origin, method: 'GET', paths, headers };
  return { origin, method: 'POST', paths, headers: { ...headers, ...JSON_BODY }, body: JSON.stringify(body) };
}

/** As `npm start` and `npm run serve` start it. */
const NODE_OPTIONS = ['--max-semi-space-size=2'];
const COMPILED = fileURLToPath(new URL('../../node_modules/.cache/gatehouse', import.meta.url));

export async function startPanel(start: PanelStart): Promise<Server> {
  const child = startChild(new URL('./panel-server.ts', import.meta.url), NODE_OPTIONS, {
    NODE_COMPILE_CACHE: COMPILED,
  });
  const { origin, path, key } = await child.call<PanelPlace>('start', start);
  const headers = { Authorization: `Bearer ${key}` };
  return {
    child,
    target: (paths, body) =>
      buildTarget(
        origin,
        paths.map((each) => path + each),
        headers,
        body,
      ),
    [Symbol.asyncDispose]: child.stop,
  };
}

async function startBare(start: BareStart): Promise<Server> {
  const child = startChild(new URL('./bare-server.ts', import.meta.url));
  const origin = await child.call<string>('start', start);
  return { child, target: (paths, body) => buildTarget(origin, paths, {}, body), [Symbol.asyncDispose]: child.stop };
}

/** The bare server on the same database as a panel, or on one of its own, with the panel's links. */
export async function startBareBeside(panel: Server, work: BareWork, folder: string, bytes?: string): Promise<Server> {
  const { sub_url: url } = JSON.parse(await fetchText(panel.target(['/users/1']))) as { sub_url: string };
  return startBare({
    database: getDatabasePath(folder),
    work,
    links: url.slice(0, url.lastIndexOf('/') + 1),
    ...(bytes !== undefined && { bytes }),
  });
}

/** A bare server that is attacked, with the certificate of the panel in `folder`. */
export async function startBareAttacked(folder: string): Promise<Server> {
  const read = (name: string) => readFileSync(join(folder, FILES.tls, name), 'utf8');
  const tls = { key: read('server-key.pem'), cert: read('server.pem') };
  return startBare({ database: getDatabasePath(folder), work: 'attacked', links: '', tls });
}
