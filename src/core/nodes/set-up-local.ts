// Creates a node on the panel's own machine with its inbound, both or neither.
import { inboundCreate } from '../../contract/inbounds.ts';
import { createNode as createNodeOperation } from '../../contract/nodes/nodes.ts';
import type { Input, Output } from '../../contract/table.ts';
import { prepareInbound } from '../inbounds/inbounds.ts';
import type { AsyncContext, Handlers } from '../kernel/context.ts';
import { toHex } from '../kernel/wire.ts';
import type { Result } from '../ports/call.ts';
import { createNode } from './nodes.ts';

const SHORT_ID_BYTES = 8;
/** Placeholder for the node that does not exist yet. */
const NEW_NODE = 1;

async function setUpLocalNode(
  { node_id: existing, node_name, address, ...connection }: Input<'setUpLocalNode'>,
  { env, commit }: AsyncContext<'setUpLocalNode'>,
): Promise<Result<Output<'setUpLocalNode'>>> {
  const keys = connection.security === 'reality' ? makeKeys(env) : {};
  const wanted = inboundCreate.parse({ ...connection, ...keys, node_id: existing ?? NEW_NODE });
  const create = await prepareInbound(env, wanted, existing === undefined ? address : null);
  const node = createNodeOperation.input.parse({ kind: 'local', name: node_name, address });
  return commit((tx) => create(tx, { node_id: existing ?? createNode(node, tx).body.id }));
}

function makeKeys({ crypto }: AsyncContext<'setUpLocalNode'>['env']) {
  const { privateKey, publicKey } = crypto.newX25519();
  const short_id = toHex(crypto.randomBytes(SHORT_ID_BYTES));
  return { private_key: privateKey, public_key: publicKey, short_id };
}

export const SET_UP_LOCAL_HANDLERS = {
  setUpLocalNode: { run: setUpLocalNode },
} satisfies Handlers<'setUpLocalNode'>;
