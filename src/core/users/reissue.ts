// Since when the former link of a user leads nowhere: here at once, on the machines of nodes with the first contact after it was replaced.
import type { Input, Output } from '../../contract/table.ts';
import { updatesFor } from '../../domain/nodes/node-protocol.ts';
import type { Result } from '../call.ts';
import type { Context, Handlers } from '../context.ts';
import type { NodeRow } from '../ports/plans.ts';
import { toInstant, toInstantOrNull } from '../wire.ts';
import { requireUser } from './users.ts';

/** Whether its machine can have the former link: it serves links, and was there before. */
function canHaveFormer({ agentPin, agentProtocol, createdAt }: NodeRow, at: number): boolean {
  return agentPin !== null && createdAt <= at && !updatesFor(agentProtocol).includes('lease');
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
        dead_since: toInstantOrNull(reissue.metAt.get(nodeId) ?? null),
        last_seen_at: toInstantOrNull(lastSeenAt),
      })),
    },
  };
}

export const REISSUE_HANDLERS = {
  getFormerLink: { read: getFormerLink },
} satisfies Handlers<'getFormerLink'>;
