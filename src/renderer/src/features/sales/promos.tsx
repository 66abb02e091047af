// The list of promo codes: effect, validity, limits and uses of each.
import { Button } from '@mantine/core';
import { IconTicket } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Promo } from '../../../../contract/sales/promos.ts';
import { DateTime } from '../../components/figures.tsx';
import { Identity } from '../../components/identity.tsx';
import { EmptyState } from '../../components/placeholder.tsx';
import { StateDot } from '../../components/state.tsx';
import { createColumns } from '../../components/table/columns.ts';
import { DataTable } from '../../components/table/data-table.tsx';
import { parseRecordSegment } from '../../components/use-opening.ts';
import { useOperation, useWholeList } from '../../data/use-operation.ts';
import { buildHash } from '../../router/route.ts';
import { leave, navigate, useRoute } from '../../router/router.ts';
import { panelNow } from '../../state/connection.ts';
import { PromoDrawer } from './promo-drawer.tsx';
import classes from './sales.module.css';
import { useEffectText } from './sold-text.ts';

const NO_PROMOS: readonly Promo[] = [];
const FIRST = 100;
const MAX = 500;

const DOTS = { active: 'active', later: 'on_hold', over: 'expired', used: 'limited', off: 'disabled' } as const;

function computePromoState({ enabled, valid_from, valid_until, max_uses, used, reserved }: Promo): keyof typeof DOTS {
  const now = panelNow();
  if (!enabled) return 'off';
  if (valid_until !== null && Date.parse(valid_until) <= now) return 'over';
  if (max_uses !== null && used + reserved >= max_uses) return 'used';
  return valid_from !== null && Date.parse(valid_from) > now ? 'later' : 'active';
}

const column = createColumns<Promo>();
const buildHref = ({ id }: Promo) => buildHash(['sales', 'promos', id]);

/** Page `#/sales/promos`. */
export function Promos() {
  const { t } = useTranslation('sales');
  const { path } = useRoute();
  const [limit, setLimit] = useState(FIRST);
  const promos = useOperation('listPromos', { limit }, { keepPrevious: true });
  const plans = useWholeList('listTariffs', {});
  const offers = useOperation('listOffers', {});
  const columns = usePromoColumns();
  const open = parseRecordSegment(path[2]);
  return (
    <>
      <DataTable
        label={t('tabs.promos')}
        columns={columns}
        rows={promos.data?.items ?? NO_PROMOS}
        reading={promos}
        rowId={({ id }) => id}
        rowName={({ code }) => code}
        buildHref={buildHref}
        openId={typeof open === 'number' ? open : null}
        listKey="promos"
        empty={
          <EmptyState
            icon={<IconTicket size={20} stroke={1.5} />}
            title={t('promo.empty')}
            text={t('promo.emptyHint')}
            action={
              <Button onClick={() => navigate(buildHash(['sales', 'promos', 'new']))}>{t('promo.create')}</Button>
            }
          />
        }
      />
      {promos.data?.next_before != null && limit < MAX && (
        <Button variant="default" onClick={() => setLimit(MAX)}>
          {t('order.more')}
        </Button>
      )}
      {promos.data !== undefined && plans.data !== undefined && offers.data !== undefined && (
        <PromoDrawer
          open={open}
          promos={promos.data.items}
          plans={plans.data.items}
          offers={offers.data.items}
          onClose={() => leave(buildHash(['sales', 'promos']))}
        />
      )}
    </>
  );
}

function usePromoColumns() {
  const { t } = useTranslation('sales');
  const effectText = useEffectText();
  return useMemo(
    () =>
      column.columns([
        column.accessor('code', {
          meta: { label: t('promo.columns.code'), sort: 'code', isFixed: true },
          cell: ({ row: { original: promo } }) => (
            <Identity name={promo.code} detail={effectText(promo.effect)} href={buildHref(promo)} />
          ),
        }),
        column.accessor('note', {
          meta: { label: t('promo.columns.note'), width: 200, hideBelow: 1100 },
          cell: ({ getValue }) => <span className={classes.quiet}>{getValue()}</span>,
        }),
        column.accessor('used', {
          meta: { label: t('promo.columns.used'), width: 140, align: 'end', sort: 'used', descFirst: true },
          cell: ({ row: { original: promo } }) =>
            promo.max_uses === null
              ? t('promo.used', { used: promo.used })
              : t('promo.usedOf', { used: promo.used, most: promo.max_uses }),
        }),
        column.accessor(({ valid_until }) => valid_until ?? '', {
          id: 'until',
          meta: { label: t('promo.columns.until'), width: 150, sort: 'until', hideBelow: 860 },
          cell: ({ row: { original: promo } }) =>
            promo.valid_until === null ? (
              <span className={classes.quiet}>{t('promo.noEnd')}</span>
            ) : (
              <DateTime at={promo.valid_until} />
            ),
        }),
        column.accessor((promo) => computePromoState(promo), {
          id: 'state',
          meta: { label: t('promo.columns.state'), width: 144, sort: 'state', hideBelow: 640 },
          cell: ({ row: { original: promo } }) => {
            const state = computePromoState(promo);
            return <StateDot state={DOTS[state]} label={t(`promo.state.${state}`)} />;
          },
        }),
      ]),
    [t, effectText],
  );
}
