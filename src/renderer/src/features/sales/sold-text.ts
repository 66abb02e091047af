// What an offer sells, in words.
import { useTranslation } from 'react-i18next';
import type { Sold } from '../../../../contract/sales.ts';
import { useFormat } from '../../format/use-format.tsx';

/** `3 months`; `50 GB, until used up` */
export function useSoldText(): (sold: Sold) => string {
  const { t } = useTranslation('sales');
  const format = useFormat();
  return (sold) => {
    if (sold.kind === 'days') return format.term({ days: sold.days });
    if (sold.kind === 'months') return format.term({ months: sold.months });
    const amount = format.bytes(sold.bytes);
    if (sold.kind === 'traffic') return t(`kind.traffic_${sold.lifetime}`, { amount });
    return t('kind.traffic_days', { amount, term: format.term({ days: sold.days }) });
  };
}
