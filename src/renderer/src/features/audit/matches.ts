// The search within the log: an entry matches where every word of the text stands somewhere in it.
import type { AuditEntry } from '../../../../contract/audit.ts';

/** `words`: what is shown of the entry and does not stand in it, such as its act in the language of the page. */
export function matches(entry: AuditEntry, text: string, words: string): boolean {
  const parts = text.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  if (parts.length === 0) return true;
  const { actor, action, target, address, request_id, detail } = entry;
  const values = Object.values(detail).map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  const all = [words, actor.name, action, target, address, request_id, ...values].join('\n').toLocaleLowerCase();
  return parts.every((part) => all.includes(part));
}
