// What protocols, networks and securities are called: names of their own, the same in every language, and one word that is not.
import { IconAlertTriangle } from '@tabler/icons-react';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import type { Inbound } from '../../../../contract/inbounds.ts';
import { engineNeeds } from '../../../../domain/engine-facts.ts';
import type { Network, Protocol, Security } from '../../../../domain/inbound-shape.ts';
import { StateDot } from '../../components/state.tsx';
import classes from './connections.module.css';

export const PROTOCOL_NAMES: Readonly<Record<Protocol, string>> = {
  vless: 'VLESS',
  vmess: 'VMess',
  trojan: 'Trojan',
  shadowsocks: 'Shadowsocks',
};

export const NETWORK_NAMES: Readonly<Record<Network, string>> = {
  tcp: 'TCP',
  ws: 'WebSocket',
  grpc: 'gRPC',
  httpupgrade: 'HTTPUpgrade',
  xhttp: 'XHTTP',
};

/** Keys of texts. */
export const SECURITY_NAMES = {
  none: 'connections:securityName.none',
  tls: 'connections:securityName.tls',
  reality: 'connections:securityName.reality',
} as const satisfies Record<Security, string>;

/** `VLESS · TCP · REALITY` */
export function kindOf({ protocol, network, security }: Pick<Inbound, 'protocol' | 'network' | 'security'>): string {
  const parts = [PROTOCOL_NAMES[protocol]];
  if (protocol !== 'shadowsocks') parts.push(NETWORK_NAMES[network]);
  if (security !== 'none') parts.push(security.toUpperCase());
  return parts.join(' · ');
}

// The state of a connection, in the words for connections.

export function ConnectionState({ inbound }: { readonly inbound: Pick<Inbound, 'enabled' | 'status'> }) {
  const { t } = useTranslation('connections');
  const state = inbound.enabled ? inbound.status : 'disabled';
  return <StateDot state={state} label={t(`state.${state}`)} />;
}

/** That it is warned of: a sign for the eye, the number in words for who points at it or has it read out. */
export function WarningCount({ count }: { readonly count: number }) {
  const { t } = useTranslation('connections');
  if (count === 0) return null;
  const text = t('warnings.count', { count });
  return (
    <span className={classes.warned} title={text}>
      <IconAlertTriangle size={16} stroke={1.5} aria-hidden />
      <span className="visually-hidden">{text}</span>
    </span>
  );
}

// What a connection needs from the engine of its node, as in "Xray 1.8.0 or later".

type Served = Pick<Inbound, 'protocol' | 'network' | 'security' | 'flow' | 'method'>;

export function EngineNeeds({ inbound }: { readonly inbound: Served }) {
  const { t } = useTranslation('connections');
  return <>{needsText(t, inbound)}</>;
}

export function needsText(t: TFunction<'connections'>, { flow = null, method = null, ...shape }: Served): string {
  const needs = engineNeeds({ ...shape, flow, method });
  if (needs === null) return t('needs.any');
  const engines = [needs.xray !== null && `Xray ${needs.xray}`, needs.v2ray !== null && `v2ray ${needs.v2ray}`];
  return t('needs.later', { engines: engines.filter(Boolean).join(' / ') });
}
