// The group of a connection: one definition on several nodes.
import type { Inbound } from '../../../../contract/inbounds.ts';

/** The other connections of its group. */
export function listSiblings({ id, group_id: group }: Inbound, all: readonly Inbound[]): readonly Inbound[] {
  return group == null ? [] : all.filter((other) => other.group_id === group && other.id !== id);
}
