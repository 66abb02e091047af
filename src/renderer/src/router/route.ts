// A route: the path and query of the address after its `#`, such as `#/users/7?state=active`.

export interface Route {
  /** Segments of the path, decoded: `['users', '7']`. Empty at the root. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

type QueryValue = string | number | boolean | null | undefined;

/** Parses a hash. Parts that cannot be decoded stay unchanged. */
export function parseRoute(hash: string): Route {
  const text = hash.replace(/^#?\/?/, '');
  const mark = text.indexOf('?');
  const path = (mark < 0 ? text : text.slice(0, mark)).split('/').filter((segment) => segment !== '');
  return { path: path.map(decode), query: new URLSearchParams(mark < 0 ? '' : text.slice(mark + 1)) };
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Builds the hash of a route; leaves out empty query parameters. */
export function buildHash(
  path: readonly (string | number)[],
  query: URLSearchParams | Record<string, QueryValue> = {},
): string {
  const search = query instanceof URLSearchParams ? query : new URLSearchParams();
  if (!(query instanceof URLSearchParams)) {
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined && value !== null && value !== '') search.set(name, String(value));
    }
  }
  const tail = search.size > 0 ? `?${search}` : '';
  return `#/${path.map((segment) => encodeURIComponent(segment)).join('/')}${tail}`;
}

/** A query with some parameters changed; null, undefined and '' remove one. */
export function changedQuery(query: URLSearchParams, change: Record<string, QueryValue>): URLSearchParams {
  const changed = new URLSearchParams(query);
  for (const [name, value] of Object.entries(change)) {
    if (value === undefined || value === null || value === '') changed.delete(name);
    else changed.set(name, String(value));
  }
  return changed;
}
