// From an empty panel to the first customer: what has to be there, in this order.
import type { Output } from '../../../../contract/table.ts';
import { isLoopbackHost } from '../../../../domain/host.ts';

export type StepKind = 'address' | 'node' | 'connection' | 'plan' | 'user';

export interface Step {
  readonly kind: StepKind;
  readonly isDone: boolean;
  /** A node that was added and does not answer yet. */
  readonly isWaiting: boolean;
}

/** What has been read so far; undefined: not read yet. */
export interface StepFacts {
  readonly addresses: Pick<Output<'getAddresses'>, 'links_url'> | undefined;
  readonly nodes: Pick<Output<'listNodes'>, 'items' | 'total'> | undefined;
  readonly connections: Pick<Output<'listInbounds'>, 'total'> | undefined;
  readonly plans: Pick<Output<'listTariffs'>, 'total'> | undefined;
  readonly users: number | undefined;
}

/**
 * The steps, or null while they are not known and once they are done. An address of this machine alone is named while other steps are
 * left, but is no reason to go on: links that only work here may be what somebody wants to try first.
 */
export function stepsOf({ addresses, nodes, connections, plans, users }: StepFacts): readonly Step[] | null {
  if (!addresses || !nodes || !connections || !plans || users === undefined) return null;
  const isUp = nodes.items.some(({ status }) => status === 'up');
  const step = (kind: StepKind, isDone: boolean, isWaiting = false): Step => ({ kind, isDone, isWaiting });
  const needed = [
    step('node', nodes.total > 0, nodes.total > 0 && !isUp),
    step('connection', connections.total > 0),
    step('plan', plans.total > 0),
    step('user', users > 0),
  ];
  if (needed.every(({ isDone }) => isDone)) return null;
  return [step('address', !isLoopbackHost(new URL(addresses.links_url).hostname)), ...needed];
}
