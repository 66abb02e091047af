// The columns of the list: identity, state, term and traffic.
import { useMediaQuery } from '@mantine/hooks';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { User } from '../../../../contract/users/users.ts';
import { Bytes, DateTime, RelativeTime } from '../../components/figures.tsx';
import { Identity } from '../../components/identity.tsx';
import { Mark, StateDot } from '../../components/state.tsx';
import { type Columns, createColumns } from '../../components/table/columns.ts';
import { TrafficBar } from '../../components/traffic-bar.tsx';
import { useFormat } from '../../format/use-format.tsx';
import type { Plans } from './use-plans.ts';
import classes from './users.module.css';

const column = createColumns<User>();
/** In such windows the list is narrower than 480 px. */
const PHONE = '(max-width: 500px)';

/** `buildHref` and `getPlanName` must be memoized: new columns render all rows again. */
export function useUserColumns(getPlanName: Plans['getPlanName'], buildHref: (user: User) => string): Columns<User> {
  const { t } = useTranslation(['users', 'common']);
  const isPhone = useMediaQuery(PHONE) ?? false;
  return useMemo(
    () =>
      column.columns([
        column.accessor('name', {
          meta: { label: t('users:columns.name'), sort: 'name', isFixed: true },
          cell: ({ row: { original } }) => (
            <Identity
              name={original.name}
              detail={isPhone ? <PhoneFacts user={original} /> : original.contact}
              href={buildHref(original)}
            />
          ),
        }),
        column.accessor('state', {
          meta: { label: t('users:columns.state'), width: 164, sort: 'state', hideBelow: 480 },
          cell: ({ row: { original } }) => <UserState user={original} />,
        }),
        column.accessor('tariff_id', {
          meta: { label: t('users:columns.plan'), width: 116, sort: 'tariff_id', hideBelow: 860 },
          cell: ({ getValue }) => <span title={getPlanName(getValue())}>{getPlanName(getValue())}</span>,
        }),
        column.accessor('used_down', {
          id: 'traffic',
          meta: { label: t('users:columns.traffic'), width: 192, sort: 'used', descFirst: true, hideBelow: 640 },
          cell: ({ row: { original: user } }) => (
            <TrafficBar used={user.used_up + user.used_down} limit={user.traffic_limit} extra={user.traffic_extra} />
          ),
        }),
        column.accessor('expires_at', {
          meta: { label: t('users:columns.expires'), width: 136, sort: 'expires_at', hideBelow: 480 },
          cell: ({ row: { original } }) =>
            original.hold === null ? (
              <RelativeTime at={original.expires_at} none={t('common:never')} />
            ) : (
              <span className={classes.quiet}>{t('users:hold')}</span>
            ),
        }),
        column.accessor('online_at', {
          meta: { label: t('users:columns.online'), width: 136, sort: 'online_at', descFirst: true, hideBelow: 860 },
          cell: ({ row: { original } }) =>
            original.online ? (
              <StateDot state="online" label={t('users:online')} />
            ) : (
              <span className={classes.quiet}>
                <RelativeTime at={original.online_at} none={t('users:neverOnline')} />
              </span>
            ),
        }),
        column.accessor('tags', {
          meta: { label: t('users:columns.tags'), width: 92, hideBelow: 1100 },
          cell: ({ getValue }) => <Tags tags={getValue()} />,
        }),
        column.accessor('created_at', {
          meta: {
            label: t('users:columns.created'),
            width: 132,
            sort: 'created_at',
            descFirst: true,
            hideBelow: 1320,
          },
          cell: ({ getValue }) => <DateTime at={getValue()} />,
        }),
        column.accessor('device_limit', {
          meta: { label: t('users:columns.devices'), width: 96, align: 'end', isHidden: true },
          cell: ({ getValue }) => getValue() ?? '∞',
        }),
        column.accessor('concurrent_limit', {
          meta: { label: t('users:columns.addresses'), width: 96, align: 'end', isHidden: true },
          cell: ({ getValue }) => getValue() ?? '∞',
        }),
        column.accessor(({ total_up, total_down }) => total_up + total_down, {
          id: 'total',
          meta: { label: t('users:columns.total'), width: 116, align: 'end', isHidden: true },
          cell: ({ getValue }) => <Bytes value={getValue()} />,
        }),
        column.accessor('note', {
          meta: { label: t('users:columns.note'), width: 200, isHidden: true },
          cell: ({ getValue }) => <span title={getValue()}>{getValue()}</span>,
        }),
        column.accessor('id', {
          meta: { label: t('users:columns.id'), width: 84, align: 'end', sort: 'id', descFirst: true, isHidden: true },
          cell: ({ getValue }) => <span className="figures">{getValue()}</span>,
        }),
      ]),
    [t, getPlanName, buildHref, isPhone],
  );
}

/** State, remaining traffic and end of term on one line, for lists without room for their columns. */
function PhoneFacts({ user }: { readonly user: User }) {
  const { t } = useTranslation(['users', 'common']);
  const format = useFormat();
  const { state, traffic_remaining: left, expires_at, hold } = user;
  const mayConnect = state === 'active' || state === 'on_hold';
  return (
    <>
      <UserState user={user} />
      {mayConnect && left !== null && ` · ${t('common:traffic.left', { amount: format.bytes(left) })}`}
      {' · '}
      {hold === null ? <RelativeTime at={expires_at} none={t('users:neverExpires')} /> : t('users:hold')}
    </>
  );
}

function UserState({ user: { state, concurrent_excess } }: { readonly user: User }) {
  const { t } = useTranslation('users');
  return concurrent_excess?.cut_off_until ? (
    <StateDot state="degraded" label={t('cutOff')} />
  ) : (
    <StateDot state={state} />
  );
}

function Tags({ tags }: { readonly tags: readonly string[] }) {
  const [first] = tags;
  if (first === undefined) return null;
  return (
    <span className={classes.tags} title={tags.join(', ')}>
      <Mark>{first}</Mark>
      {tags.length > 1 && <span className={classes.quiet}>+{tags.length - 1}</span>}
    </span>
  );
}
