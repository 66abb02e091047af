// What makes the suggested node on the panel's own machine and its connection.
import type { createInbound } from '../../contract/inbounds.ts';
import type { createNode } from '../../contract/nodes/nodes.ts';
import type { CallOf } from '../../contract/operation.ts';
import type { Output } from '../../contract/table.ts';

export type Suggestion = Output<'suggestLocalNode'> & {
  readonly connection: NonNullable<Output<'suggestLocalNode'>['connection']>;
};

/** As typed, named as the contract names them. */
export type LocalValues = {
  address: string;
  port: number | string;
  sni: string;
};

export function localNodeInput({ address }: Pick<LocalValues, 'address'>, name: string): CallOf<typeof createNode> {
  return { kind: 'local', name, address: address.trim() };
}

/** Without its keys, which are made when it is sent. */
export function localConnectionInput(
  { connection: { protocol, network, security, flow } }: Suggestion,
  { port, sni }: Omit<LocalValues, 'address'>,
  { nodeId, name }: { readonly nodeId: number; readonly name: string },
): CallOf<typeof createInbound> {
  return {
    protocol,
    network,
    security,
    flow,
    node_id: nodeId,
    tag: `${protocol}-${security}`,
    name,
    // Empty: the contract reports it as missing.
    port: port === '' ? (undefined as unknown as number) : Number(port),
    sni: sni.trim() === '' ? null : sni.trim(),
    fingerprint: 'chrome',
  };
}
