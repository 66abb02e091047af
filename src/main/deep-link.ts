// Links of the system to a record of the panel, such as `gatehouse://user/7`: they show its page and have no other effect.
import type { App } from 'electron';
import { recordPlace } from './record-windows.ts';

export const LINK_SCHEME = 'gatehouse';

const LINK = /^gatehouse:\/\/(user|plan|connection|node)\/([1-9]\d{0,14})\/?$/i;
const WINDOW_LINK = /^gatehouse:\/\/user\/([1-9]\d{0,14})\?window$/i;

/** Parses a link: the hash of a page, or the place of a record's own window; null: not a valid link. */
export function parseDeepLink(text: string): string | null {
  const inWindow = WINDOW_LINK.exec(text)?.[1];
  if (inWindow !== undefined) return recordPlace(Number(inWindow));
  const found = LINK.exec(text);
  if (found === null) return null;
  const [, kind = '', id = ''] = found;
  // The screen of `user` is `users`, and so on.
  return `#/${kind.toLowerCase()}s/${id}`;
}

/** Finds the first link in the arguments of a process, which Windows and Linux start for a link. */
export function findDeepLink(argv: readonly string[]): string | null {
  return argv.map(parseDeepLink).find((hash) => hash !== null) ?? null;
}

export interface DeepLinks {
  /** Calls the listener with the place of each further link (null: invalid). Returns the place of the link that started the application. */
  listen(listener: (place: string | null) => unknown): string | null;
}

/** Call before the application is ready: macOS passes the link that started it by an event before that. */
export function receiveDeepLinks(app: Pick<App, 'on'>, argv: readonly string[]): DeepLinks {
  let first = findDeepLink(argv);
  let open: (place: string | null) => unknown = (place) => {
    first = place ?? first;
  };
  app.on('open-url', (event, url) => {
    event.preventDefault();
    open(parseDeepLink(url));
  });
  app.on('second-instance', (_event, secondArgv) => open(findDeepLink(secondArgv)));
  return {
    listen(listener) {
      open = listener;
      return first;
    },
  };
}
