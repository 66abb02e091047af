// The Link header of lists (RFC 8288): the other pages, under the same filters.

/** Members of a list's reply that describe the page. */
export interface ListPage {
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  readonly next_cursor: string | null;
}

/**
 * `first`, `prev`, `next` and `last`. `next` uses a cursor, so that iteration neither skips nor repeats; `prev` and `last` use offsets and are
 * omitted on cursor pages. `url` is that of the list, `raw` its query.
 */
export function linkHeader(url: string, raw: Readonly<Record<string, string>>, place: ListPage): string {
  const { total, limit, offset, next_cursor } = place;
  const kept = Object.keys(raw).filter((name) => name !== 'limit' && name !== 'offset' && name !== 'cursor');
  const filters = kept.map((name) => `${encode(name)}=${encode(raw[name] ?? '')}&`).join('');
  const link = (relation: string, position: string) =>
    `<${url}?${filters}limit=${limit}${position}>; rel="${relation}"`;
  const jump = (relation: string, start: number) => link(relation, start > 0 ? `&offset=${start}` : '');
  const links = [jump('first', 0)];
  if (offset > 0) links.push(jump('prev', Math.max(0, offset - limit)));
  if (next_cursor !== null) links.push(link('next', `&cursor=${encode(next_cursor)}`));
  if (raw.cursor === undefined) links.push(jump('last', total === 0 ? 0 : Math.floor((total - 1) / limit) * limit));
  return links.join(', ');
}

function encode(text: string): string {
  return encodeURIComponent(text);
}
