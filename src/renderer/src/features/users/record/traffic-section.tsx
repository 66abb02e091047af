// The user's traffic: the plan's part and grants separately, the figures, and the traffic over time.
import { NativeSelect, SegmentedControl } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { RANGES, type Range } from '../../../../../contract/scalars.ts';
import { RESET_STRATEGIES, type User } from '../../../../../contract/users/users.ts';
import { Chart } from '../../../components/chart/chart.tsx';
import { buildTrafficChart, type ChartData } from '../../../components/chart/series.ts';
import { Bytes } from '../../../components/figures.tsx';
import { BytesInput } from '../../../components/form/bytes-input.tsx';
import { ErrorState } from '../../../components/placeholder.tsx';
import { DrawerSection, Fact, Facts } from '../../../components/record-drawer.tsx';
import { TrafficBar } from '../../../components/traffic-bar.tsx';
import { useOperation } from '../../../data/use-operation.ts';
import { useFormat } from '../../../format/use-format.tsx';
import { buildHash } from '../../../router/route.ts';
import { EditableFact } from './editable-fact.tsx';
import classes from './record.module.css';
import type { RecordProps } from './record-context.tsx';

export function TrafficSection({ user, refresh }: RecordProps) {
  const { t } = useTranslation(['users', 'common']);
  const format = useFormat();
  const { traffic_limit: limit, traffic_extra: extra, traffic_remaining: left } = user;
  const used = user.used_up + user.used_down;
  const strategy = t(`users:strategy.${user.reset_strategy}`);
  return (
    <DrawerSection title={t('users:traffic.title')}>
      <TrafficBar used={used} limit={limit} extra={extra} size="record" />
      <div className={classes.figures}>
        <Facts>
          <EditableFact
            user={user}
            refresh={refresh}
            label={t('users:traffic.plan')}
            shown={limit === null ? t('common:unlimited') : <Bytes value={limit} />}
            initial={() => ({ traffic_limit: limit })}
            toPatch={({ traffic_limit }) => ({ traffic_limit })}
            fields={(form) => (
              <BytesInput
                label={t('users:traffic.plan')}
                description={t('users:traffic.limitHint')}
                {...form.getInputProps('traffic_limit')}
              />
            )}
          />
          {left !== null && (
            <Fact label={t('users:traffic.left')}>
              <Bytes value={left} />
            </Fact>
          )}
          <EditableFact
            user={user}
            refresh={refresh}
            label={t('users:traffic.resets')}
            shown={
              user.resets_at === null
                ? strategy
                : t('users:traffic.nextReset', { strategy, date: format.moment(user.resets_at) })
            }
            initial={() => ({ reset_strategy: user.reset_strategy })}
            toPatch={({ reset_strategy }) => ({ reset_strategy })}
            fields={(form) => (
              <NativeSelect
                aria-label={t('users:traffic.resets')}
                description={t('users:traffic.strategyHint')}
                data={RESET_STRATEGIES.map((value) => ({ value, label: t(`users:strategy.${value}`) }))}
                {...form.getInputProps('reset_strategy')}
              />
            )}
          />
          <Fact label={t('users:traffic.total')}>
            <Bytes value={user.total_up + user.total_down} />{' '}
            <span className={classes.quiet}>
              ↓ {format.bytes(user.total_down)} ↑ {format.bytes(user.total_up)}
            </span>
          </Fact>
        </Facts>
      </div>
      <UserChart user={user} />
      <UserNodes id={user.id} />
    </DrawerSection>
  );
}

const HEIGHT = 168;
const EVERY_MS = 60_000;

function UserChart({ user: { id, name } }: { readonly user: User }) {
  const { t } = useTranslation(['users', 'common']);
  const [range, setRange] = useState<Range>('24h');
  const report = useOperation('getUserTraffic', { id, range }, { keepPrevious: true, pollMs: EVERY_MS });
  const chart = useMemo<ChartData | null>(() => {
    if (report.data === undefined) return null;
    return buildTrafficChart(report.data, (direction) => t(`common:traffic.${direction}`));
  }, [report.data, t]);
  return (
    <div className={classes.chart}>
      <SegmentedControl
        className={classes.ranges ?? ''}
        aria-label={t('users:traffic.range')}
        value={range}
        onChange={(next) => setRange(next as Range)}
        data={RANGES.map((one) => ({ value: one, label: t(`users:traffic.${one}`) }))}
      />
      {report.error !== null && report.data === undefined ? (
        <ErrorState size="small" failure={report.error} onRetry={() => void report.refetch()} />
      ) : chart === null ? (
        <div style={{ height: HEIGHT }} aria-busy />
      ) : (
        <div data-stale={report.isPlaceholderData || undefined}>
          <Chart label={t('users:traffic.chart', { name })} height={HEIGHT} {...chart} />
        </div>
      )}
    </div>
  );
}

// The traffic of the last 30 days by node.

function UserNodes({ id }: { readonly id: number }) {
  const { t } = useTranslation('users');
  const format = useFormat();
  const { data } = useOperation('getUserTrafficByNode', { id }, { pollMs: EVERY_MS });
  if (data === undefined) return null;
  return (
    <div className={classes.nodes}>
      <h3>{t('traffic.byNode')}</h3>
      {data.nodes.length === 0 && <p className={classes.quiet}>{t('traffic.byNodeNone')}</p>}
      <ul>
        {data.nodes.map(({ node_id, name, up, down }) => (
          <li key={node_id}>
            {name === null ? (
              <span className={classes.quiet}>{t('traffic.goneNode', { id: node_id })}</span>
            ) : (
              <a href={buildHash(['nodes', node_id])}>{name}</a>
            )}
            <span className={classes.nodeFigures}>
              <Bytes value={up + down} />{' '}
              <span className={classes.quiet}>
                ↓ {format.bytes(down)} ↑ {format.bytes(up)}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
