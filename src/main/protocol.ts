// Serves the pages under app://gatehouse/ and backup files beside them, and nothing else.
import type { Protocol } from 'electron';
import { buildProblem } from '../contract/errors.ts';
import { PanelError } from '../core/kernel/panel-error.ts';
import type { Log } from '../core/ports/ports.ts';
import { type Pages, toPairs } from '../http/pages.ts';
import type { IpcSession } from './ipc-session.ts';
import { toFailure } from './panel-channels.ts';
import { isOwnUrl, ORIGIN, SCHEME } from './security.ts';

const BACKUPS = '/panel/backups/';

/** Call before the application is ready. Standard and secure, so that it is an origin; it bypasses no policy. */
export function registerScheme(protocol: Pick<Protocol, 'registerSchemesAsPrivileged'>): void {
  const privileges = { standard: true, secure: true, supportFetchAPI: true, stream: true };
  protocol.registerSchemesAsPrivileged([{ scheme: SCHEME, privileges }]);
}

/** The reply to a GET of a page's address; null if there is no such page. */
export type PageSource = (url: URL) => Response | null | Promise<Response | null>;

/** The built pages. A path is looked up among the names of the files and never joined, so that none can leave their folder. */
export function builtPages(pages: Pick<Pages, 'read'>): PageSource {
  return ({ pathname }) => {
    const page = pages.read(pathname);
    return page && new Response(new Uint8Array(page.body), { headers: toPairs(page.headers) });
  };
}

export interface SchemeParts {
  readonly pages: PageSource;
  /** null while no panel is open. */
  session(): IpcSession | null;
  readonly log: Pick<Log, 'error'>;
}

export function serveScheme(protocol: Pick<Protocol, 'handle'>, parts: SchemeParts): void {
  protocol.handle(SCHEME, (request) => answer(parts, request));
}

export async function answer(parts: SchemeParts, request: Request): Promise<Response> {
  const url = URL.parse(request.url);
  const origin = request.headers.get('origin');
  if (url === null || !isOwnUrl(request.url) || (origin !== null && origin !== ORIGIN)) return notFound();
  try {
    if (url.pathname.startsWith(BACKUPS)) return await transferBackup(parts, request, url.pathname);
    const page = request.method === 'GET' ? await parts.pages(url) : null;
    return page ?? notFound();
  } catch (error) {
    const { problem } = toFailure(error, parts.log);
    return Response.json(problem, { status: problem.status, headers: { 'Content-Type': 'application/problem+json' } });
  }
}

async function transferBackup({ session }: SchemeParts, request: Request, path: string): Promise<Response> {
  const open = session();
  if (open === null) throw new PanelError('unavailable');
  const name = decodeName(path.slice(BACKUPS.length));
  if (name === null) throw new PanelError('not_found');
  const reply = await open.transfer(request.method, name, request.headers.get('content-type'), request.body);
  const { status, headers, body } = reply;
  const content =
    body === null || typeof body === 'string'
      ? body
      : (ReadableStream.from(body) as ReadableStream<Uint8Array<ArrayBuffer>>);
  return new Response(content, { status, headers: toPairs(headers) });
}

/** Decodes a name; null: it has an invalid escape. */
function decodeName(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function notFound(): Response {
  return Response.json(buildProblem('not_found', 'none'), { status: 404 });
}
