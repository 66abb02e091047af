// The Link header of lists (RFC 8288): the other pages, under the same filters.

/** The members of a list's reply that say which page it is. */
export interface ListPage {
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  readonly next_cursor: string | null;
}

/**
 * `first`, `prev`, `next` and `last` for paging by offset; `first` and `next` for paging by cursor. References are relative
 * to the request, so the header carries neither address nor secret path. `raw` is the query as it was asked.
 */
export function linkHeader(raw: Readonly<Record<string, string>>, place: ListPage): string {
  const { total, limit, offset, next_cursor } = place;
  const kept = Object.keys(raw).filter((name) => name !== 'limit' && name !== 'offset' && name !== 'cursor');
  const filters = kept.map((name) => `${encode(name)}=${encode(raw[name] ?? '')}&`).join('');
  const link = (relation: string, position: string) => `<?${filters}limit=${limit}${position}>; rel="${relation}"`;
  const at = (start: number) => `&offset=${start}`;
  if (raw.cursor !== undefined) {
    const links = [link('first', '')];
    if (next_cursor !== null) links.push(link('next', `&cursor=${encode(next_cursor)}`));
    return links.join(', ');
  }
  const links = [link('first', at(0))];
  if (offset > 0) links.push(link('prev', at(Math.max(0, offset - limit))));
  if (offset + limit < total) links.push(link('next', at(offset + limit)));
  links.push(link('last', at(total === 0 ? 0 : Math.floor((total - 1) / limit) * limit)));
  return links.join(', ');
}

function encode(text: string): string {
  return encodeURIComponent(text);
}
