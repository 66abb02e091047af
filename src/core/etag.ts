// Entity tags: they change with each act on a record, not with traffic or passing time.
import { PanelError } from './panel-error.ts';

/** A strong entity tag (RFC 9110 section 8.8.3). */
export function etagOf(record: { readonly id: number; readonly version: number }): string {
  return `"${record.id}-${record.version}"`;
}

/** Refuses with `precondition_failed` unless the If-Match header, where there is one, names the present tag. */
export function requireMatch(ifMatch: string | undefined, etag: string): void {
  if (ifMatch === undefined) return;
  const tags = ifMatch.split(',').map((tag) => tag.trim());
  if (!tags.includes('*') && !tags.includes(etag)) throw new PanelError('precondition_failed');
}
