// Talks to a panel under test as a bot does: over kept connections, trusting the panel's own authority, retrying nothing.
import http from 'node:http';
import https from 'node:https';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { Problem } from '../../src/contract/errors.ts';
import { pathParameters, splitInput } from '../../src/contract/input/input.ts';
import type { ApiOperation, CallOf, OutputOf } from '../../src/contract/operation.ts';
import { OPERATIONS, type OperationId } from '../../src/contract/table.ts';

type Table = typeof OPERATIONS;
/** Ids of the operations that have a path. */
export type ApiId = { [Id in OperationId]: Table[Id] extends ApiOperation ? Id : never }[OperationId];

export interface Answer<Body = unknown> {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly text: string;
  /** The body as JSON; throws where it is none. */
  readonly body: Body;
  /** The body as a problem document; throws where it is not declared as one. */
  readonly problem: Problem;
}

export interface Sent {
  readonly method: string;
  /** Below base_url unless it begins with `http`; with its query. */
  readonly path: string;
  readonly headers?: http.OutgoingHttpHeaders | undefined;
  readonly body?: string | Buffer | undefined;
}

export interface Client {
  readonly baseUrl: string;
  /** Sends a request as it stands; the client's key goes along unless `authorization` is given (undefined: none). */
  send<Body = unknown>(request: Sent): Promise<Answer<Body>>;
  /** Calls an operation of the API door with its flat input; `headers` go along. */
  call<Id extends ApiId>(
    id: Id,
    input?: CallOf<Table[Id]>,
    headers?: http.OutgoingHttpHeaders,
  ): Promise<Answer<OutputOf<Table[Id]>>>;
  /** The same panel with another key; null: none. Connections are shared. */
  as(key: string | null): Client;
  close(): void;
}

export interface ClientOptions {
  readonly baseUrl: string;
  readonly key?: string | null;
  /** PEM of the authority to trust. */
  readonly ca?: string | undefined;
  /** Connections at most. */
  readonly sockets?: number;
}

export function createClient({ baseUrl, key = null, ca, sockets = 8 }: ClientOptions): Client {
  const isSecure = baseUrl.startsWith('https:');
  const options = { keepAlive: true, maxSockets: sockets };
  const agent = isSecure ? new https.Agent({ ...options, ...(ca && { ca }) }) : new http.Agent(options);
  return clientOver(agent, baseUrl, key);
}

function clientOver(agent: http.Agent, baseUrl: string, key: string | null): Client {
  const client: Client = {
    baseUrl,
    send: (request) => exchange(agent, baseUrl, key, request),
    call: (id, input, headers) =>
      client.send({ ...buildRequest(id, input), ...mergeHeaders(buildRequest(id, input), headers) }),
    as: (other) => clientOver(agent, baseUrl, other),
    close: () => agent.destroy(),
  };
  return client;
}

function mergeHeaders(request: Sent, headers: http.OutgoingHttpHeaders = {}): Pick<Sent, 'headers'> {
  return { headers: { ...request.headers, ...headers } };
}

/** The request of an operation, from its flat input. */
export function buildRequest<Id extends ApiId>(id: Id, input?: CallOf<Table[Id]>): Sent {
  const operation: ApiOperation = OPERATIONS[id];
  const { params, query, body } = splitInput(operation, input ?? {});
  const path = pathParameters(operation).reduce<string>(
    (template, name) => template.replace(`{${name}}`, () => encodeURIComponent(String(params[name]))),
    operation.path,
  );
  const pairs = queryPairs(query);
  const search = pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : '';
  const hasBody = operation.body !== null;
  return {
    method: operation.method,
    path: path + search,
    headers: hasBody ? { 'content-type': 'application/json' } : {},
    body: hasBody ? JSON.stringify(body ?? {}) : undefined,
  };
}

/** Parameters as a query has them: a list is separated by commas, a record is `name[key]=value`. */
export function queryPairs(query: Readonly<Record<string, unknown>>): [string, string][] {
  return Object.entries(query).flatMap(([name, value]): [string, string][] => {
    if (value === undefined) return [];
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[name, String(value)]];
    return Object.entries(value).map(([key, text]) => [`${name}[${key}]`, String(text)]);
  });
}

function exchange<Body>(
  agent: http.Agent,
  baseUrl: string,
  key: string | null,
  { method, path, headers = {}, body }: Sent,
): Promise<Answer<Body>> {
  const url = new URL(baseUrl);
  const target = path.startsWith('http') ? new URL(path) : null;
  const all =
    'authorization' in headers || key === null ? { ...headers } : { authorization: `Bearer ${key}`, ...headers };
  if (all.authorization === undefined) delete all.authorization;
  if (body !== undefined && !('content-length' in all) && !('transfer-encoding' in all)) {
    all['content-length'] = Buffer.byteLength(body);
  }
  const options: https.RequestOptions = {
    agent,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port,
    method,
    path: target ? target.pathname + target.search : url.pathname + path,
    headers: all,
  };
  const { request } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const outgoing = request(options, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => resolve(buildAnswer<Body>(incoming, decode(incoming, Buffer.concat(chunks)))));
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** The text of a body, which is compressed where the request asked for it. */
function decode({ headers }: http.IncomingMessage, bytes: Buffer): string {
  const coding = headers['content-encoding'];
  if (bytes.length === 0 || coding === undefined) return bytes.toString('utf8');
  return (coding === 'br' ? brotliDecompressSync(bytes) : gunzipSync(bytes)).toString('utf8');
}

function buildAnswer<Body>(incoming: http.IncomingMessage, text: string): Answer<Body> {
  const { statusCode = 0, headers, rawHeaders } = incoming;
  return {
    status: statusCode,
    headers,
    rawHeaders,
    text,
    get body() {
      return JSON.parse(text) as Body;
    },
    get problem() {
      if (headers['content-type'] !== 'application/problem+json') throw new Error(`no problem: ${statusCode} ${text}`);
      return JSON.parse(text) as Problem;
    },
  };
}
