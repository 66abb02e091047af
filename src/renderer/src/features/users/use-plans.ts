// The plans for select fields and for names beside ids, including archived ones, since users may still have them.
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Tariff } from '../../../../contract/tariffs.ts';
import { useWholeList } from '../../data/use-operation.ts';

const NO_PLANS: readonly Tariff[] = [];

export interface Plans {
  readonly all: readonly Tariff[];
  /** Plans that are not archived, for new users. */
  readonly usable: readonly Tariff[];
  readonly names: ReadonlyMap<number, string>;
  readonly isPending: boolean;
  /** The name of a plan; its id if unknown; for null the text for "no plan". */
  getPlanName(id: number | null): string;
}

export function usePlans(): Plans {
  const { t } = useTranslation('users');
  const { data, isPending } = useWholeList('listTariffs', {});
  const all = data?.items ?? NO_PLANS;
  return useMemo(() => {
    const names = new Map(all.map(({ id, name }) => [id, name]));
    return {
      all,
      usable: all.filter(({ archived }) => !archived),
      names,
      isPending,
      getPlanName: (id) => (id === null ? t('noPlan') : (names.get(id) ?? t('planGone', { id }))),
    };
  }, [all, isPending, t]);
}
