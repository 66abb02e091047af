// The steps from an empty panel to the first customer, in their order.
import type { Output } from '../../../../contract/table.ts';
import { isLoopbackHost } from '../../../../domain/host.ts';
import { computeLinkTrust } from '../../../../domain/link-trust.ts';

export type StepKind = 'address' | 'node' | 'connection' | 'plan' | 'user' | 'backup';

export interface Step {
  readonly kind: StepKind;
  readonly isDone: boolean;
  /** Why a started step is not complete: a node that does not answer yet, or a certificate that apps refuse. */
  readonly trouble: 'waiting' | 'untrusted' | null;
}

/** What has been read so far; undefined: not yet. */
export interface StepFacts {
  readonly addresses: Pick<Output<'getAddresses'>, 'links_url'> | undefined;
  readonly nodes: Pick<Output<'listNodes'>, 'items' | 'total'> | undefined;
  readonly connections: Pick<Output<'listInbounds'>, 'total'> | undefined;
  readonly plans: Pick<Output<'listTariffs'>, 'total'> | undefined;
  readonly users: number | undefined;
  /** The certificates that links are served with. */
  readonly certificates: Pick<Output<'getCertificates'>, 'served'> | undefined;
  /** Places of backups outside the machine. */
  readonly places: Pick<Output<'listBackupPlaces'>, 'items'> | undefined;
  /** A panel whose data another one has taken over cannot take any step. */
  readonly role: Pick<Output<'getRole'>, 'state'> | undefined;
}

/**
 * The steps; null: not known yet, or all done. An address that only this machine can reach is listed while other steps are left, but does
 * not keep the list open: somebody may want to try the panel locally first.
 */
export function listSteps({
  addresses,
  nodes,
  connections,
  plans,
  users,
  certificates,
  places,
  role,
}: StepFacts): readonly Step[] | null {
  if (!addresses || !nodes || !connections || !plans || users === undefined || !certificates || !places) return null;
  if (role?.state !== 'active') return null;
  const isUp = nodes.items.some(({ status }) => status === 'up');
  const step = (kind: StepKind, isDone: boolean, trouble: Step['trouble'] = null): Step => ({ kind, isDone, trouble });
  const needed = [
    step('node', isUp, nodes.total > 0 && !isUp ? 'waiting' : null),
    step('connection', connections.total > 0),
    step('plan', plans.total > 0),
    step('user', users > 0),
  ];
  // A node that goes down later is reported elsewhere.
  if (nodes.total > 0 && needed.slice(1).every(({ isDone }) => isDone)) return null;
  // Like the address, it does not keep the list open: the overview warns about late backups.
  const backup = step('backup', places.items.length > 0);
  return [addressStep(new URL(addresses.links_url), certificates.served), ...needed, backup];
}

function addressStep({ protocol, hostname }: URL, served: Parameters<typeof computeLinkTrust>[0]): Step {
  if (isLoopbackHost(hostname)) return { kind: 'address', isDone: false, trouble: null };
  const trust = protocol === 'https:' ? computeLinkTrust(served) : null;
  const isRefused = trust === 'untrusted' || trust === 'ended';
  return { kind: 'address', isDone: !isRefused, trouble: isRefused ? 'untrusted' : null };
}
