// Whether a connection works at the moment, in the words that fit one.
import { useTranslation } from 'react-i18next';
import type { Inbound } from '../../../../contract/inbounds.ts';
import { StateDot } from '../../components/state.tsx';

export function ConnectionState({ inbound }: { readonly inbound: Pick<Inbound, 'enabled' | 'status'> }) {
  const { t } = useTranslation('connections');
  const state = inbound.enabled ? inbound.status : 'disabled';
  return <StateDot state={state} label={t(`state.${state}`)} />;
}
