// Facts of a connection in lists: the engine that it needs, such as "Xray 1.8.0 or later", and its warnings.
import { IconAlertTriangle } from '@tabler/icons-react';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import type { Inbound } from '../../../contract/inbounds.ts';
import { engineNeeds } from '../../../domain/nodes/engine-facts.ts';
import classes from './connection-facts.module.css';

type Served = Pick<
  Inbound,
  'protocol' | 'network' | 'security' | 'flow' | 'method' | 'xhttp_extra' | 'encryption' | 'mldsa65_verify'
>;

export function EngineNeeds({ inbound }: { readonly inbound: Served }) {
  const { t } = useTranslation('connections');
  return <>{needsText(t, inbound)}</>;
}

export function needsText(t: TFunction<'connections'>, inbound: Served): string {
  const { flow = null, method = null, encryption = null, ...others } = inbound;
  const { xhttp_extra: xhttpExtra = null, mldsa65_verify: mldsa65Verify = null, ...shape } = others;
  const needs = engineNeeds({ ...shape, flow, method, encryption, xhttpExtra, mldsa65Verify });
  if (needs === null) return t('needs.any');
  const engines = [needs.xray !== null && `Xray ${needs.xray}`, needs.v2ray !== null && `v2ray ${needs.v2ray}`];
  return t('needs.later', { engines: engines.filter(Boolean).join(' / ') });
}

/** The number of warnings: an icon, with the number as tooltip and for screen readers. */
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
