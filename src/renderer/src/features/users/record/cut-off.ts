// How the open connections of a blocked user who still moves bytes are ended: by restarting an engine, or one connection.
import type { Node } from '../../../../../contract/nodes/nodes.ts';
import type { User } from '../../../../../contract/users/users.ts';
import { RESTART_EVERY_MS } from '../../../../../domain/limits.ts';

export type Restart =
  /** It was restarted, and no bytes moved since. */
  | { readonly kind: 'done'; readonly node: string; readonly at: string; readonly isWhole: boolean }
  | { readonly kind: 'off' }
  /** It will be restarted if the user continues. `waits`: nodes that were restarted too recently, and when they can be again. */
  | { readonly kind: 'due'; readonly waits: readonly { readonly node: string; readonly until: number }[] };

export function restartFor(
  { id, online_at }: Pick<User, 'id' | 'online_at'>,
  nodes: readonly Pick<Node, 'name' | 'last_restart'>[],
  isOn: boolean,
  now: number,
): Restart {
  const cutOffs = nodes
    .flatMap(({ name, last_restart: last }) => (last?.reason === 'cut_off' ? [{ node: name, ...last }] : []))
    .toSorted((a, b) => b.at.localeCompare(a.at));
  const own = cutOffs.find(({ user_ids }) => user_ids.includes(id));
  if (own !== undefined && (online_at === null || online_at <= own.at)) {
    return { kind: 'done', node: own.node, at: own.at, isWhole: own.inbound_id === null };
  }
  if (!isOn) return { kind: 'off' };
  const waits = cutOffs
    .filter(({ inbound_id }) => inbound_id === null)
    .map(({ node, at }) => ({ node, until: Date.parse(at) + RESTART_EVERY_MS }))
    .filter(({ until }) => until > now);
  return { kind: 'due', waits };
}
