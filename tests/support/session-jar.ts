// What a browser stores of a session: the half in the cookie, and the half that the panel's page sends in a header.
import type { IncomingHttpHeaders } from 'node:http';
import { SESSION_HEADER } from '../../src/contract/access/session.ts';
import { splitToken } from '../../src/http/browser.ts';

const HEADER = SESSION_HEADER.toLowerCase();

export interface SessionJar {
  /** The headers with which the next request carries what is stored. */
  headers(): Readonly<Record<string, string>>;
  /** Stores what a reply sets, and forgets what it takes back. */
  store(headers: IncomingHttpHeaders): void;
  /** The token of the session, both halves; null while signed out. */
  token(): string | null;
  /** As a browser that is closed: the session's cookie is gone, which browser it is stays known. */
  forgetCookie(): void;
  /** The session's cookie: name and value; null while signed out. */
  cookie(): readonly [name: string, value: string] | null;
  /** The page's half; null while signed out. */
  pageHalf(): string | null;
}

export function createSessionJar(): SessionJar {
  const cookies = new Map<string, string>();
  let half: string | null = null;
  const sessionCookie = () => [...cookies].find(([name]) => !name.includes('panel-browser-')) ?? null;
  return {
    headers: () => ({
      ...(cookies.size > 0 && { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }),
      ...(half !== null && { [HEADER]: half }),
    }),
    store(headers) {
      for (const set of headers['set-cookie'] ?? []) {
        const [name = '', value = ''] = (set.split(';')[0] ?? '').split('=');
        if (value === '') cookies.delete(name);
        else cookies.set(name, value);
      }
      const given = headers[HEADER];
      if (typeof given === 'string') half = given === '' ? null : given;
    },
    token() {
      const cookie = sessionCookie();
      return cookie === null || half === null ? null : cookie[1] + half;
    },
    forgetCookie() {
      const cookie = sessionCookie();
      if (cookie !== null) cookies.delete(cookie[0]);
    },
    cookie: sessionCookie,
    pageHalf: () => half,
  };
}

/** The headers of a browser that holds the session of a token. `prefix`: `__Host-` where the panel is on TLS. */
export function buildSessionHeaders(token: string, instanceId: string, prefix = ''): Readonly<Record<string, string>> {
  const [cookieHalf, pageHalf] = splitToken(token);
  return { cookie: `${prefix}panel-${instanceId}=${cookieHalf}`, [HEADER]: pageHalf };
}
