// The page's half of the session's token. Storage belongs to one origin, where cookies are shared by all ports of a host.

const STORED_AS = 'gatehouse.session';
/** In the query of a route: handed over by a page of the same panel at its former address. */
const HANDED_AS = 'session';

/** For browsers that deny storage: the session then lasts as long as the page. */
let remembered: string | null = null;

export const sessionSecret = {
  /** null: none. */
  read(): string | null {
    try {
      return localStorage.getItem(STORED_AS) ?? remembered;
    } catch {
      return remembered;
    }
  },
  write(secret: string | null): void {
    remembered = secret;
    try {
      if (secret === null) localStorage.removeItem(STORED_AS);
      else localStorage.setItem(STORED_AS, secret);
    } catch {
      // Remembered above.
    }
  },
};

/** The address of a page of this panel at another origin, where the session goes on: the half is in the part that no server sees. */
export function withSessionSecret(url: string): string {
  const secret = sessionSecret.read();
  if (secret === null) return url;
  const mark = url.includes('#') ? (url.slice(url.indexOf('#')).includes('?') ? '&' : '?') : '#/?';
  return `${url}${mark}${HANDED_AS}=${encodeURIComponent(secret)}`;
}

/**
 * Takes what another address handed over, and removes it from the address bar and the history. Where this origin has a half already it
 * keeps that: a link from elsewhere must not end a session.
 */
export function adoptSessionSecret(): void {
  const mark = location.hash.indexOf('?');
  if (mark < 0) return;
  const query = new URLSearchParams(location.hash.slice(mark + 1));
  const handed = query.get(HANDED_AS);
  if (handed === null) return;
  query.delete(HANDED_AS);
  const rest = query.size > 0 ? `?${query}` : '';
  history.replaceState(history.state, '', location.hash.slice(0, mark) + rest);
  if (sessionSecret.read() === null) sessionSecret.write(handed);
}
