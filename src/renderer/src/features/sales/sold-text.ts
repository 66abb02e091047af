// Texts for what an offer sells, and for the effect of a promo code.
import { useTranslation } from 'react-i18next';
import type { PromoEffect } from '../../../../contract/sales/promos.ts';
import type { Sold } from '../../../../contract/sales/sales.ts';
import { useFormat } from '../../format/use-format.tsx';

/** Such as `3 months` or `50 GB, until used up`. */
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

/** Such as `20% off` or `+ 7 days`. */
export function useEffectText(): (effect: PromoEffect) => string {
  const { t } = useTranslation('sales');
  const soldText = useSoldText();
  return (effect) =>
    effect.kind === 'percent'
      ? t('promo.effect.percent', { percent: effect.percent })
      : t('promo.effect.more', { more: soldText(effect) });
}
