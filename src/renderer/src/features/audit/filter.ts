// The filter of the log, stored in the address.
import { AUDIT_ACTOR_KINDS, type AuditEntry, type listAudit } from '../../../../contract/access/audit.ts';
import type { CallOf } from '../../../../contract/operation.ts';

export type Filter = Omit<CallOf<typeof listAudit>, 'before' | 'limit'>;
/** A single key is a value of the filter `actor`. */
export type FilterName = Exclude<keyof Filter, 'key_id'>;

function parseInstant(text: string): string | undefined {
  return /Z$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined;
}

/** How each member of the filter is read from the address. `actor` is a kind, or `key:3`. */
const READERS: {
  readonly [Member in keyof Filter]-?: readonly [name: FilterName, read: (text: string) => Filter[Member]];
} = {
  actor: ['actor', (text) => AUDIT_ACTOR_KINDS.find((one) => one === text)],
  key_id: [
    'actor',
    (text) => {
      const id = /^key:([1-9]\d{0,14})$/.exec(text)?.[1];
      return id === undefined ? undefined : Number(id);
    },
  ],
  action: ['action', (text) => text.slice(0, 64) || undefined],
  target: ['target', (text) => text.slice(0, 64) || undefined],
  since: ['since', parseInstant],
  until: ['until', parseInstant],
};
const MEMBERS = Object.keys(READERS) as (keyof Filter)[];

/** The filter in an address; invalid parts are ignored. */
export function parseFilter(query: URLSearchParams): Filter {
  const values = MEMBERS.map((member) => {
    const [name, read] = READERS[member];
    return [member, read(query.get(name) ?? '')] as const;
  });
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/** The names of the filters that are set. */
export function listFilterNames(filter: Filter): readonly FilterName[] {
  return [...new Set(MEMBERS.filter((member) => filter[member] !== undefined).map((member) => READERS[member][0]))];
}

// Search: an entry matches if it contains every word of the text.

/** `texts`: displayed texts of the entry beyond its fields, such as the action in the language of the page. */
export function matches(entry: AuditEntry, text: string, texts: string): boolean {
  const parts = text.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  if (parts.length === 0) return true;
  const { actor, action, target, address, request_id, detail } = entry;
  const values = Object.values(detail).map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  const all = [texts, actor.name, action, target, address, request_id, ...values].join('\n').toLocaleLowerCase();
  return parts.every((part) => all.includes(part));
}
