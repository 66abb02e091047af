// What an offer sells, in words.
import { useTranslation } from 'react-i18next';
import type { PromoEffect } from '../../../../contract/sales/promos.ts';
import type { Sold } from '../../../../contract/sales/sales.ts';
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

/** `20% off`; `+ 7 days` */
export function useEffectText(): (effect: PromoEffect) => string {
  const { t } = useTranslation('sales');
  const soldText = useSoldText();
  return (effect) =>
    effect.kind === 'percent'
      ? t('promo.effect.percent', { percent: effect.percent })
      : t('promo.effect.more', { more: soldText(effect) });
}
