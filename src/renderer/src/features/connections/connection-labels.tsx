// Names of protocols, networks and securities. They are the same in every language, except "none".
import { useTranslation } from 'react-i18next';
import type { Inbound } from '../../../../contract/inbounds.ts';
import { allowedNetworks, type Network, type Protocol, type Security } from '../../../../domain/nodes/inbound-shape.ts';
import { StateDot } from '../../components/state.tsx';

export const ALPNS = ['h2', 'http/1.1', 'h3'];

export const PROTOCOL_NAMES: Readonly<Record<Protocol, string>> = {
  vless: 'VLESS',
  vmess: 'VMess',
  trojan: 'Trojan',
  shadowsocks: 'Shadowsocks',
  hysteria2: 'Hysteria2',
  wireguard: 'WireGuard',
};

export const NETWORK_NAMES: Readonly<Record<Network, string>> = {
  tcp: 'TCP',
  ws: 'WebSocket',
  grpc: 'gRPC',
  httpupgrade: 'HTTPUpgrade',
  xhttp: 'XHTTP',
  quic: 'QUIC',
  udp: 'UDP',
};

/** Keys of texts. */
export const SECURITY_NAMES = {
  none: 'connections:securityName.none',
  tls: 'connections:securityName.tls',
  reality: 'connections:securityName.reality',
} as const satisfies Record<Security, string>;

/** `VLESS · TCP · REALITY` */
export function formatKind({
  protocol,
  network,
  security,
}: Pick<Inbound, 'protocol' | 'network' | 'security'>): string {
  const parts = [PROTOCOL_NAMES[protocol]];
  if (allowedNetworks({ protocol, security }).length > 1) parts.push(NETWORK_NAMES[network]);
  if (security !== 'none') parts.push(security.toUpperCase());
  return parts.join(' · ');
}

// The state of a connection.

export function ConnectionState({ inbound }: { readonly inbound: Pick<Inbound, 'enabled' | 'status'> }) {
  const { t } = useTranslation('connections');
  const state = inbound.enabled ? inbound.status : 'disabled';
  return <StateDot state={state} label={t(`state.${state}`)} />;
}
