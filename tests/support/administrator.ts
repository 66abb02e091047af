// Talks to a panel under test as its administrator's browser does: over the panel door, with a session.
import https from 'node:https';
import type { Problem } from '../../src/contract/errors.ts';
import type { CallOf, OutputOf } from '../../src/contract/operation.ts';
import type { OPERATIONS, OperationId } from '../../src/contract/table.ts';
import { createSessionJar, type SessionJar } from './session-jar.ts';

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
  /** What the browser stores of its session. */
  readonly jar: SessionJar;
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
  const jar = createSessionJar();
  return {
    jar,
    close: () => agent.destroy(),
    call: (id, input, at = panelUrl) =>
      new Promise((resolve, reject) => {
        const text = JSON.stringify(input);
        const headers = {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
          'sec-fetch-site': 'same-origin',
          ...jar.headers(),
          ...(address !== undefined && { 'x-forwarded-for': address }),
        };
        const request = https.request(new URL(`panel/${id}`, at), { agent, method: 'POST', headers }, (reply) => {
          const chunks: Buffer[] = [];
          reply.on('data', (chunk: Buffer) => chunks.push(chunk));
          reply.on('error', reject);
          reply.on('end', () => {
            jar.store(reply.headers);
            const body = chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString('utf8'));
            resolve({ status: reply.statusCode ?? 0, body, problem: body });
          });
        });
        request.on('error', reject);
        request.end(text);
      }),
  };
}
