// Hosts of inbounds: from the wire and back, and which fit the inbound.
import type { FieldError } from '../../contract/errors.ts';
import type { Inbound } from '../../contract/inbounds.ts';
import type { Input } from '../../contract/table.ts';
import { allowedSecurities, canImitate, PATH_NETWORKS, shapeFields } from '../../domain/nodes/inbound-shape.ts';
import type { Host } from '../../domain/subscription/hosts.ts';
import type { Transaction } from '../kernel/context.ts';
import { PanelError } from '../kernel/panel-error.ts';
import type { InboundRow } from '../ports/inbounds.ts';

type HostInput = Input<'createInbound'>['hosts'][number];
type HostView = NonNullable<Inbound['hosts']>[number];

export function toHost({ host_header: hostHeader, ...host }: HostInput): Host {
  return { ...host, hostHeader };
}

export function viewHost({ hostHeader, alpn, tariffs, tags, ...host }: Host): HostView {
  return { ...host, host_header: hostHeader, alpn: alpn && [...alpn], tariffs: [...tariffs], tags: [...tags] };
}

type Facts = Pick<InboundRow, 'protocol' | 'network' | 'security'>;

/** The members that do not go with the inbound. */
function listMisfits({ protocol, network, security }: Facts, host: Host): readonly (keyof HostView)[] {
  const isOwnSecurity = host.security !== null && host.security !== security;
  const isRefused =
    security === 'reality' || (host.security !== null && !allowedSecurities(protocol).includes(host.security));
  const shape = { protocol, network, security: host.security ?? security };
  const fields = shapeFields(shape);
  const misfits: (keyof HostView)[] = isOwnSecurity && isRefused ? ['security'] : [];
  if (host.hostHeader !== null && !PATH_NETWORKS.includes(network)) misfits.push('host_header');
  for (const member of ['sni', 'path', 'alpn', 'fingerprint'] as const) {
    if (host[member] !== null && !fields.has(member)) misfits.push(member);
  }
  if (host.fingerprint !== null && !canImitate(shape.security, host.fingerprint)) misfits.push('fingerprint');
  return misfits;
}

/** Rejects hosts with members that do not go with the inbound, and with unknown tariffs, but for those that `before` has. */
export function requireHosts(
  { store }: Transaction,
  inbound: Facts & Pick<InboundRow, 'hosts'>,
  before: readonly Host[],
): void {
  const known = new Set(before.flatMap(({ tariffs }) => tariffs));
  const misfits = inbound.hosts.flatMap((host, index) =>
    listMisfits(inbound, host).map((member): FieldError => {
      const message = 'does not go with the protocol, network and security';
      return { pointer: `#/hosts/${index}/${member}`, code: 'inconsistent', message };
    }),
  );
  const missing = inbound.hosts.flatMap(({ tariffs }, index) =>
    tariffs.flatMap((id, at): readonly FieldError[] => {
      if (known.has(id) || store.tariffs.get(id)) return [];
      const pointer = `#/hosts/${index}/tariffs/${at}`;
      return [{ pointer, code: 'tariff_not_found', message: 'there is no such tariff' }];
    }),
  );
  if (misfits.length > 0) throw new PanelError('validation', [...misfits, ...missing]);
  if (missing.length > 0) throw new PanelError('tariff_not_found', missing);
}
