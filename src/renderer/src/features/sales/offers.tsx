// The list of offers: plan, content, prices and state of each.
import { Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconReceipt } from '@tabler/icons-react';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Offer } from '../../../../contract/sales/sales.ts';
import { FilterChips } from '../../components/filters.tsx';
import { Identity } from '../../components/identity.tsx';
import { EmptyState } from '../../components/placeholder.tsx';
import { StateDot } from '../../components/state.tsx';
import { createColumns } from '../../components/table/columns.ts';
import { DataTable } from '../../components/table/data-table.tsx';
import { parseRecordSegment } from '../../components/use-opening.ts';
import { useOperation, useWholeList } from '../../data/use-operation.ts';
import { formatPrice } from '../../format/price.ts';
import { useFormat } from '../../format/use-format.tsx';
import { buildHash } from '../../router/route.ts';
import { leave, navigate, setQuery, useRoute } from '../../router/router.ts';
import { OfferDrawer } from './offer-drawer.tsx';
import classes from './sales.module.css';
import { useSoldText } from './sold-text.ts';

const NO_OFFERS: readonly Offer[] = [];

/** Below this width the list has no columns for plan and state. */
const PHONE = '(width < 640px)';

const column = createColumns<Offer>();

/** Page `#/sales/offers`; `plan` in the query shows the offers of one plan. */
export function Offers() {
  const { t } = useTranslation('sales');
  const { path, query } = useRoute();
  const planId = parseRecordSegment(query.get('plan') ?? undefined);
  const ofPlan = typeof planId === 'number' ? planId : null;
  const offers = useOperation('listOffers', ofPlan === null ? {} : { tariff_id: ofPlan });
  const plans = useWholeList('listTariffs', {});
  const names = useMemo(() => new Map(plans.data?.items.map(({ id, name }) => [id, name])), [plans.data]);
  const list = query.size > 0 ? buildHash(['sales', 'offers'], query) : buildHash(['sales', 'offers']);
  const buildHref = (offer: Offer) => buildHash(['sales', 'offers', offer.id], query);
  const columns = useOfferColumns(names, buildHref);
  const open = parseRecordSegment(path[2]);
  const hasPlans = plans.data === undefined || plans.data.items.length > 0;
  return (
    <>
      {ofPlan !== null && (
        <FilterChips
          chips={[
            {
              id: 'plan',
              label: `${t('offer.columns.plan')}: ${names.get(ofPlan) ?? ofPlan}`,
              onRemove: () => setQuery({ plan: null }),
            },
          ]}
        />
      )}
      <DataTable
        label={t('tabs.offers')}
        columns={columns}
        rows={offers.data?.items ?? NO_OFFERS}
        reading={offers}
        rowId={({ id }) => id}
        rowName={({ name }) => name}
        buildHref={buildHref}
        openId={typeof open === 'number' ? open : null}
        listKey={String(ofPlan)}
        empty={
          <EmptyState
            icon={<IconReceipt size={20} stroke={1.5} />}
            title={t('offer.empty')}
            text={t(hasPlans ? 'offer.emptyHint' : 'offer.emptyNoPlan')}
            {...(hasPlans && {
              action: (
                <Button onClick={() => navigate(buildHash(['sales', 'offers', 'new'], query))}>
                  {t('offer.create')}
                </Button>
              ),
            })}
          />
        }
      />
      {plans.data !== undefined && offers.data !== undefined && (
        <OfferDrawer
          open={open}
          offers={offers.data.items}
          plans={plans.data.items}
          planId={ofPlan}
          onClose={() => leave(list)}
        />
      )}
    </>
  );
}

function useOfferColumns(names: ReadonlyMap<number, string>, buildHref: (offer: Offer) => string) {
  const { t } = useTranslation('sales');
  const { locale } = useFormat();
  const soldText = useSoldText();
  const isPhone = useMediaQuery(PHONE) ?? false;
  return useMemo(
    () =>
      column.columns([
        column.accessor('name', {
          meta: { label: t('offer.columns.name'), sort: 'name', isFixed: true },
          cell: ({ row: { original } }) => (
            <Identity
              name={original.name}
              detail={[
                ...(isPhone ? [names.get(original.tariff_id) ?? ''] : []),
                ...(soldText(original.sold) === original.name ? [] : [soldText(original.sold)]),
                ...(original.audience === 'all' ? [] : [t(`offer.audience.${original.audience}`)]),
                ...(isPhone && !original.on_sale ? [t('offer.offSale')] : []),
              ].join(' · ')}
              href={buildHref(original)}
            />
          ),
        }),
        column.accessor(({ tariff_id }) => names.get(tariff_id) ?? '', {
          id: 'plan',
          meta: { label: t('offer.columns.plan'), width: 200, sort: 'plan', hideBelow: 480 },
          // Look up the name when rendering: the table reads the value once, which may be before the plans have loaded.
          cell: ({ row: { original } }) => names.get(original.tariff_id) ?? '',
        }),
        column.accessor(({ prices }) => prices[0]?.amount ?? -1, {
          id: 'prices',
          meta: { label: t('offer.columns.prices'), width: isPhone ? 144 : 220, align: 'end' },
          cell: ({ row: { original } }) =>
            original.trial ? (
              t('offer.free')
            ) : original.prices.length === 0 ? (
              <span className={classes.quiet}>{t('offer.noPrice')}</span>
            ) : (
              original.prices.map((price) => formatPrice(price, locale)).join(' · ')
            ),
        }),
        column.accessor(({ on_sale }) => Number(on_sale), {
          id: 'state',
          meta: { label: t('offer.columns.state'), width: 144, sort: 'state', hideBelow: 860 },
          cell: ({ row: { original } }) => (
            <StateDot
              state={original.on_sale ? 'active' : 'disabled'}
              label={t(original.on_sale ? 'offer.onSale' : 'offer.offSale')}
            />
          ),
        }),
      ]),
    [t, locale, soldText, names, buildHref, isPhone],
  );
}
