// Builds the suggested node on the panel's own machine, with its connection.
import type { setUpLocalNode } from '../../contract/nodes/local-node.ts';
import type { CallOf } from '../../contract/operation.ts';
import type { Output } from '../../contract/table.ts';

export type Suggestion = Output<'suggestLocalNode'> & {
  readonly connection: NonNullable<Output<'suggestLocalNode'>['connection']>;
};

/** Values of the form as strings, with the names of the contract. */
export type LocalValues = {
  address: string;
  port: number | string;
  sni: string;
};

interface Names {
  readonly node: string;
  readonly connection: string;
}

/** `nodeId`: an existing node without a connection; undefined: create a node. */
export function localNodeInput(
  { connection: { protocol, network, security, flow } }: Suggestion,
  { address, port, sni }: LocalValues,
  names: Names,
  nodeId?: number,
): CallOf<typeof setUpLocalNode> {
  return {
    ...(nodeId !== undefined && { node_id: nodeId }),
    node_name: names.node,
    address: address.trim(),
    protocol,
    network,
    security,
    flow,
    tag: `${protocol}-${security}`,
    name: names.connection,
    // Left undefined when empty, so that the contract reports it as missing.
    port: port === '' ? (undefined as unknown as number) : Number(port),
    sni: sni.trim() === '' ? null : sni.trim(),
    fingerprint: 'chrome',
  };
}
