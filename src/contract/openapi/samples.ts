// The example request of an operation as a program: with curl, in TypeScript and in Python. The key comes from the environment, and the
// panel's CA from a file beside the program.
import { type ApiOperation, acceptsIdempotencyKey, hasBody } from '../operation.ts';
import { PARAMETERS } from './text.ts';
import { CA_FILE } from './trust.ts';

/** One member of `x-codeSamples`. */
export interface CodeSample {
  readonly lang: 'Shell' | 'TypeScript' | 'Python';
  readonly label: string;
  readonly source: string;
}

interface Request {
  readonly method: string;
  readonly url: string;
  /** Whether the client needs the CA's file. */
  readonly needsCa: boolean;
  /** All headers except Authorization. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** undefined: no body. */
  readonly body: unknown;
  /** How the reply is read. */
  readonly reply: 'json' | 'text' | 'status';
}

export type CurlRequest = Pick<Request, 'method' | 'url' | 'needsCa' | 'headers' | 'body'>;

/** A placeholder for the key, so that no copied command contains one. */
const KEY_VARIABLE = '"Authorization: Bearer $PANEL_KEY"';

/** `serverUrl`: the base address of the API. `hasOwnAuthority`: its certificate is signed by the panel's own CA. */
export function codeSamples(operation: ApiOperation, serverUrl: string, hasOwnAuthority = true): readonly CodeSample[] {
  const request = buildRequest(operation, serverUrl, hasOwnAuthority);
  return [
    { lang: 'Shell', label: 'curl', source: curlCommand(request) },
    { lang: 'TypeScript', label: 'TypeScript', source: typeScriptSample(request) },
    { lang: 'Python', label: 'Python', source: pythonSample(request) },
  ];
}

function buildRequest(operation: ApiOperation, serverUrl: string, needsCa: boolean): Request {
  const { method, path, example, body, output, produces } = operation;
  const { params = {}, query = {} } = example;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
  const pairs = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  const search = new URLSearchParams(pairs).toString();
  const headers: [string, string][] = [];
  if (body !== null) headers.push(['Content-Type', 'application/json']);
  if (acceptsIdempotencyKey(operation)) headers.push(['Idempotency-Key', PARAMETERS.IdempotencyKey.example]);
  return {
    method,
    url: `${serverUrl}${filled}${search === '' ? '' : `?${search}`}`,
    needsCa,
    headers,
    body: hasBody(method) && body !== null ? example.body : undefined,
    reply: output === null ? 'status' : produces[0] === 'application/json' ? 'json' : 'text',
  };
}

/** A command of curl, one part per line. `key` null: from the environment. */
export function curlCommand(request: CurlRequest, key: string | null = null): string {
  const { method, url, needsCa, headers, body } = request;
  const parts = [needsCa ? `curl --fail-with-body --cacert ${CA_FILE}` : 'curl --fail-with-body'];
  if (method !== 'GET') parts.push(`-X ${method}`);
  parts.push(`-H ${key === null ? KEY_VARIABLE : shellQuote(`Authorization: Bearer ${key}`)}`);
  for (const [name, value] of headers) parts.push(`-H ${shellQuote(`${name}: ${value}`)}`);
  if (body !== undefined) parts.push(`-d ${shellQuote(JSON.stringify(body))}`);
  parts.push(shellQuote(url));
  return parts.join(' \\\n  ');
}

/** One word for a POSIX shell. */
function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function typeScriptSample({ method, url, needsCa, headers, body, reply }: Request): string {
  const lines = needsCa ? [`// Run with NODE_EXTRA_CA_CERTS=${CA_FILE}.`] : [];
  lines.push(`const response = await fetch(${JSON.stringify(url)}, {`);
  if (method !== 'GET') lines.push(`  method: "${method}",`);
  lines.push('  headers: {', '    Authorization: "Bearer " + process.env.PANEL_KEY,');
  for (const [name, value] of headers) lines.push(`    ${JSON.stringify(name)}: ${JSON.stringify(value)},`);
  lines.push('  },');
  if (body !== undefined) lines.push(`  body: JSON.stringify(${indent(JSON.stringify(body, null, 2), '  ')}),`);
  lines.push('});', 'if (!response.ok) throw new Error(await response.text());');
  const read = { json: 'await response.json()', text: 'await response.text()', status: 'response.status' }[reply];
  lines.push(`console.log(${read});`);
  return lines.join('\n');
}

function pythonSample({ method, url, needsCa, headers, body, reply }: Request): string {
  const needsJson = body !== undefined || reply === 'json';
  const lines = [...(needsJson ? ['import json'] : []), 'import os'];
  if (needsCa) lines.push('import ssl');
  lines.push('import urllib.request', '');
  lines.push('request = urllib.request.Request(', `    ${JSON.stringify(url)},`);
  if (method !== 'GET') lines.push(`    method="${method}",`);
  lines.push('    headers={', '        "Authorization": "Bearer " + os.environ["PANEL_KEY"],');
  for (const [name, value] of headers) lines.push(`        ${JSON.stringify(name)}: ${JSON.stringify(value)},`);
  lines.push('    },');
  if (body !== undefined) lines.push(`    data=json.dumps(${indent(pythonLiteral(body, ''), '    ')}).encode(),`);
  lines.push(')');
  if (needsCa) lines.push(`context = ssl.create_default_context(cafile="${CA_FILE}")`);
  lines.push(`with urllib.request.urlopen(request${needsCa ? ', context=context' : ''}) as response:`);
  const read = { json: 'json.load(response)', text: 'response.read().decode()', status: 'response.status' }[reply];
  lines.push(`    print(${read})`);
  return lines.join('\n');
}

/** Indents all lines but the first. */
function indent(text: string, by: string): string {
  return text.replaceAll('\n', `\n${by}`);
}

/** A JSON value as a Python literal; strings have the same form in both. */
function pythonLiteral(value: unknown, at: string): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const inner = `${at}    `;
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((item) => `${inner}${pythonLiteral(item, inner)},\n`)
    : Object.entries(value).map(
        ([name, member]) => `${inner}${JSON.stringify(name)}: ${pythonLiteral(member, inner)},\n`,
      );
  const [open, close] = isList ? '[]' : '{}';
  return parts.length === 0 ? `${open}${close}` : `${open}\n${parts.join('')}${at}${close}`;
}
