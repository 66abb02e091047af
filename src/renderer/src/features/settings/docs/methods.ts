// The methods of the API by group, and the search for them.
import { type ApiOperation, TAGS, type Tag } from '../../../../../contract/operation.ts';
import { API_OPERATIONS } from '../../../../../contract/table.ts';

/** Route of the documentation; the id of a method or chapter follows. */
export const DOCS = ['settings', 'security', 'api', 'docs'] as const;

export interface MethodGroup {
  readonly tag: Tag;
  readonly operations: readonly ApiOperation[];
}

/** Groups with the methods that match a text; all for ''. */
export function findGroups(text = ''): readonly MethodGroup[] {
  return (Object.keys(TAGS) as Tag[])
    .map((tag) => ({ tag, operations: API_OPERATIONS.filter((one) => one.tag === tag && isMatching(one, text)) }))
    .filter(({ operations }) => operations.length > 0);
}

/** Whether a method contains every word of a text. */
export function isMatching(
  { method, path, id, summary }: Readonly<Record<'method' | 'path' | 'id' | 'summary', string>>,
  text: string,
): boolean {
  const where = `${method} ${path} ${id} ${summary}`.toLowerCase();
  return text
    .trim()
    .toLowerCase()
    .split(/\s+/)
    .every((word) => where.includes(word));
}

export function findNeighbours(id: string): { readonly previous?: ApiOperation; readonly next?: ApiOperation } {
  const all = findGroups().flatMap(({ operations }) => operations);
  const index = all.findIndex((one) => one.id === id);
  const [previous, next] = [all[index - 1], all[index + 1]];
  return index < 0 ? {} : { ...(previous && { previous }), ...(next && { next }) };
}
