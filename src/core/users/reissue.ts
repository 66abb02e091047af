// Since when the previous link of a user is invalid: here at once, on nodes' machines after the next contact.
import type { Input, Output } from '../../contract/table.ts';
import type { Context, Handlers } from '../kernel/context.ts';
import { toInstant, toInstantOrNull } from '../kernel/wire.ts';
import type { Result } from '../ports/call.ts';
import type { NodeRow } from '../ports/nodes.ts';
import { requireUser } from './users.ts';

/** Whether its machine can have the previous link: it existed at that time. */
function canHaveFormer({ agentPin, createdAt }: NodeRow, at: number): boolean {
  return agentPin !== null && createdAt <= at;
}

function getFormerLink({ id }: Input<'getFormerLink'>, context: Context): Result<Output<'getFormerLink'>> {
  const { nodes, reissues } = context.store;
  requireUser(context, id);
  const reissue = reissues.of(id);
  if (reissue === null) return { body: { dead_since: null, nodes: [] } };
  const machines = nodes.page(nodes.count(), 0).filter((node) => canHaveFormer(node, reissue.at));
  return {
    body: {
      dead_since: toInstant(reissue.at),
      nodes: machines.map(({ id: nodeId, name, lastSeenAt }) => ({
        id: nodeId,
        name,
        dead_since: toInstantOrNull(reissue.deliveredAt.get(nodeId) ?? null),
        last_seen_at: toInstantOrNull(lastSeenAt),
      })),
    },
  };
}

export const REISSUE_HANDLERS = {
  getFormerLink: { read: getFormerLink },
} satisfies Handlers<'getFormerLink'>;
