// The page's half of the session token. Storage belongs to one origin, while all ports of a host share cookies.

const STORED_AS = 'gatehouse.session';
/** The query parameter by which a page of the same panel at its former address passes the half on. */
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
      // Falls back to `remembered`.
    }
  },
};

/** The URL of a page of this panel at another origin, with the half of the token in its fragment, which no server receives. */
export function withSessionSecret(url: string): string {
  const secret = sessionSecret.read();
  if (secret === null) return url;
  const mark = url.includes('#') ? (url.slice(url.indexOf('#')).includes('?') ? '&' : '?') : '#/?';
  return `${url}${mark}${HANDED_AS}=${encodeURIComponent(secret)}`;
}

/**
 * Stores a half that another address passed on, and removes it from the address bar and the history. If this origin already has one, that
 * stays: a foreign link must not end a session.
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
