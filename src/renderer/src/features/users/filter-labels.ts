// Each condition in words, for its chip and for the list that has become empty by it.
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../format/use-format.tsx';
import type { Filter, FilterName } from './filter.ts';
import type { Plans } from './use-plans.ts';

export function useFilterLabels(filter: Filter, plans: Plans): (name: FilterName) => string {
  const { t } = useTranslation(['users', 'common']);
  const format = useFormat();
  return (name) => {
    switch (name) {
      case 'state':
        return t('users:filter.chip.state', {
          value: filter.state === undefined ? '' : t(`common:state.${filter.state}`),
        });
      case 'tariff_id':
        return t('users:filter.chip.tariff_id', { value: plans.nameOf(filter.tariff_id ?? null) });
      case 'online':
        return filter.online ? t('users:filter.chip.online') : t('users:filter.chip.offline');
      case 'expires': {
        const from = filter.expires_after === undefined ? '' : format.moment(filter.expires_after);
        const to = filter.expires_before === undefined ? '' : format.moment(filter.expires_before);
        if (from === '') return t('users:filter.chip.expiresBefore', { to });
        return to === '' ? t('users:filter.chip.expiresAfter', { from }) : t('users:filter.chip.expires', { from, to });
      }
      default:
        return t(`users:filter.chip.${name}`, { value: filter[name] ?? '' });
    }
  };
}
