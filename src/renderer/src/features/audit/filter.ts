// What the log is narrowed by, as the address has it.
import type { AuditEntry, listAudit } from '../../../../contract/access/audit.ts';
import type { CallOf } from '../../../../contract/operation.ts';

export type Filter = Omit<CallOf<typeof listAudit>, 'before' | 'limit'>;
export type FilterName = 'action' | 'actor' | 'target' | 'since' | 'until';

const ACTORS = ['administrator', 'key', 'cli', 'bot', 'panel', 'unknown'] as const;
export type ActorKind = (typeof ACTORS)[number];

/** Who can have acted, beside single keys. */
export const ACTOR_KINDS: readonly ActorKind[] = ACTORS;

/** The filter in an address; invalid parts are ignored. `actor` is a kind, or `key:3`. */
export function filterOf(query: URLSearchParams): Filter {
  const filter: { -readonly [Name in keyof Filter]: Filter[Name] } = {};
  const action = query.get('action');
  if (action) filter.action = action.slice(0, 64);
  const target = query.get('target');
  if (target) filter.target = target.slice(0, 64);
  const actor = query.get('actor') ?? '';
  const key = /^key:([1-9]\d{0,15})$/.exec(actor)?.[1];
  const kind = ACTORS.find((one) => one === actor);
  if (key !== undefined) filter.key_id = Number(key);
  else if (kind !== undefined) filter.actor = kind;
  for (const name of ['since', 'until'] as const) {
    const text = query.get(name);
    if (text !== null && /Z$/.test(text) && !Number.isNaN(Date.parse(text))) filter[name] = text;
  }
  return filter;
}

/** The conditions that are set, as the address names them. */
export function namesIn({ key_id, actor, ...filter }: Filter): readonly FilterName[] {
  const names = Object.keys(filter) as FilterName[];
  return key_id !== undefined || actor !== undefined ? ['actor', ...names] : names;
}

// The search within the log: an entry matches if it contains every word of the text.

/** `texts`: what is shown of the entry beyond its own fields, such as the action in the language of the page. */
export function matches(entry: AuditEntry, text: string, texts: string): boolean {
  const parts = text.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  if (parts.length === 0) return true;
  const { actor, action, target, address, request_id, detail } = entry;
  const values = Object.values(detail).map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  const all = [texts, actor.name, action, target, address, request_id, ...values].join('\n').toLocaleLowerCase();
  return parts.every((part) => all.includes(part));
}
