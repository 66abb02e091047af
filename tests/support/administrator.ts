// Talks to a panel under test as its administrator's browser does: over the panel door, with a session.
import https from 'node:https';
import type { Problem } from '../../src/contract/errors.ts';
import type { CallOf, OutputOf } from '../../src/contract/operation.ts';
import type { OPERATIONS, OperationId } from '../../src/contract/table.ts';

type Table = typeof OPERATIONS;

export interface Outcome<Body> {
  readonly status: number;
  readonly body: Body;
  readonly problem: Problem;
}

export interface Administrator {
  /** Calls an operation with the session, at this panel address or another. */
  call<Id extends OperationId>(
    id: Id,
    input: CallOf<Table[Id]>,
    panelUrl?: string,
  ): Promise<Outcome<OutputOf<Table[Id]>>>;
  /** The session's cookie as the browser would send it; null while signed out. */
  cookie(): string | null;
  /** As a browser that is closed: the session's cookie is gone, which browser it is stays known. */
  forgetSession(): void;
  close(): void;
}

export interface BrowserOptions {
  /** The address that a trusted proxy names as the browser's. */
  readonly address?: string;
  /** Where the certificate is not what is tested, and changes. */
  readonly acceptsAnyCertificate?: boolean;
}

/** An administrator's browser that trusts `ca`, not signed in yet. */
export function createAdministrator(
  panelUrl: string,
  ca: string,
  { address, acceptsAnyCertificate = false }: BrowserOptions = {},
): Administrator {
  const agent = new https.Agent({ keepAlive: true, ca, rejectUnauthorized: !acceptsAnyCertificate });
  const jar = new Map<string, string>();
  return {
    cookie: () => [...jar].map(([name, value]) => `${name}=${value}`).find(isOfSession) ?? null,
    forgetSession() {
      for (const name of [...jar.keys()]) if (isOfSession(name)) jar.delete(name);
    },
    close: () => agent.destroy(),
    call: (id, input, at = panelUrl) =>
      new Promise((resolve, reject) => {
        const text = JSON.stringify(input);
        const headers = {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
          'sec-fetch-site': 'same-origin',
          ...(jar.size > 0 && { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') }),
          ...(address !== undefined && { 'x-forwarded-for': address }),
        };
        const request = https.request(new URL(`panel/${id}`, at), { agent, method: 'POST', headers }, (reply) => {
          const chunks: Buffer[] = [];
          reply.on('data', (chunk: Buffer) => chunks.push(chunk));
          reply.on('error', reject);
          reply.on('end', () => {
            for (const set of reply.headers['set-cookie'] ?? []) store(jar, set);
            const body = chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString('utf8'));
            resolve({ status: reply.statusCode ?? 0, body, problem: body });
          });
        });
        request.on('error', reject);
        request.end(text);
      }),
  };
}

function isOfSession(cookie: string): boolean {
  return !cookie.includes('panel-browser-');
}

function store(jar: Map<string, string>, set: string): void {
  const [pair = ''] = set.split(';');
  const [name = '', value = ''] = pair.split('=');
  if (value === '') jar.delete(name);
  else jar.set(name, value);
}
