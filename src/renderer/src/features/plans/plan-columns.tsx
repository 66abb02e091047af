// The columns of the list of plans.
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Identity } from '../../components/identity.tsx';
import { createColumns } from '../../components/table/columns.ts';
import { formatPrice } from '../../format/price.ts';
import { useFormat } from '../../format/use-format.tsx';
import { buildHash } from '../../router/route.ts';
import { PlanMenu } from './plan-menu.tsx';
import { computeDays, type Plan } from './plan-values.ts';
import classes from './plans.module.css';

const column = createColumns<Plan>();

const noop = () => {};

export function usePlanColumns(buildHref: (plan: Plan) => string) {
  const { t } = useTranslation(['plans', 'common']);
  const format = useFormat();
  return useMemo(() => {
    const termAndPrice = ({ duration, price }: Plan) =>
      [
        duration === null ? t('plans:endless') : format.term(duration),
        ...(price === null ? [] : [formatPrice(price, format.locale)]),
      ].join(' · ');
    return column.columns([
      column.accessor('name', {
        meta: { label: t('plans:columns.name'), sort: 'name', isFixed: true },
        cell: ({ row: { original } }) => (
          <Identity
            name={original.name}
            detail={
              <>
                <span className={classes.wide}>
                  {original.inbounds !== null && t('plans:connections', { count: original.inbounds.length })}
                </span>
                <span className={classes.narrow}>{termAndPrice(original)}</span>
              </>
            }
            href={buildHref(original)}
          />
        ),
      }),
      column.accessor(({ traffic_limit }) => traffic_limit ?? Number.POSITIVE_INFINITY, {
        id: 'traffic',
        meta: { label: t('common:traffic.label'), width: 144, sort: 'traffic', align: 'end' },
        cell: ({ row: { original: plan } }) =>
          plan.traffic_limit === null ? quiet(t('common:unlimited')) : format.bytes(plan.traffic_limit),
      }),
      column.accessor('reset_strategy', {
        meta: { label: t('plans:columns.reset'), width: 220, hideBelow: 1100 },
        cell: ({ getValue }) => quiet(t(`plans:reset.${getValue()}`)),
      }),
      column.accessor(({ duration }) => computeDays(duration), {
        id: 'term',
        meta: { label: t('plans:columns.term'), width: 112, sort: 'term', align: 'end', hideBelow: 640 },
        cell: ({ row: { original: plan } }) =>
          plan.duration === null ? quiet(t('plans:endless')) : format.term(plan.duration),
      }),
      column.accessor(({ device_limit }) => device_limit ?? Number.POSITIVE_INFINITY, {
        id: 'devices',
        meta: { label: t('plans:columns.devices'), width: 144, sort: 'devices', align: 'end', hideBelow: 860 },
        cell: ({ row: { original: plan } }) =>
          plan.device_limit === null ? quiet(t('common:unlimited')) : format.number(plan.device_limit),
      }),
      column.accessor(({ price }) => price?.amount ?? -1, {
        id: 'price',
        meta: { label: t('plans:columns.price'), width: 104, sort: 'price', align: 'end', hideBelow: 640 },
        cell: ({ row: { original: plan } }) =>
          plan.price === null ? quiet('—') : formatPrice(plan.price, format.locale),
      }),
      column.accessor('users', {
        meta: {
          label: t('plans:columns.users'),
          width: 132,
          sort: 'users',
          align: 'end',
          descFirst: true,
          hideBelow: 480,
        },
        cell: ({ row: { original: plan } }) => (
          <a className={classes.link} href={buildHash(['users'], { tariff_id: plan.id })}>
            {format.number(plan.users)}
          </a>
        ),
      }),
      column.display({
        id: 'acts',
        meta: { label: t('plans:columns.acts'), width: 56, isBare: true, isFixed: true, hideBelow: 480 },
        cell: ({ row: { original } }) => <PlanMenu plan={original} onGone={noop} />,
      }),
    ]);
  }, [t, format, buildHref]);
}

function quiet(text: string) {
  return <span className={classes.quiet}>{text}</span>;
}
