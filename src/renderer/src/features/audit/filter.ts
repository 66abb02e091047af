// What the log is narrowed by, as the address has it.
import type { listAudit } from '../../../../contract/audit.ts';
import type { CallOf } from '../../../../contract/operation.ts';

export type Filter = Omit<CallOf<typeof listAudit>, 'before' | 'limit'>;
export type FilterName = 'action' | 'actor' | 'target' | 'since' | 'until';

const ACTORS = ['administrator', 'key', 'cli', 'panel', 'unknown'] as const;
export type ActorKind = (typeof ACTORS)[number];

/** Who can have acted, beside single keys. */
export const ACTOR_KINDS: readonly ActorKind[] = ACTORS;

/** What an address asks for; what makes no sense in it is left out. `actor` is a kind, or `key:3`. */
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
