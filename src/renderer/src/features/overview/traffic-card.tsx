// Traffic over a day, a week or a month: sent and received, or by node.
import { SegmentedControl } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { RANGES, type Range } from '../../../../contract/scalars.ts';
import type { Output } from '../../../../contract/table.ts';
import { Chart } from '../../components/chart/chart.tsx';
import {
  buildTrafficChart,
  type ChartData,
  type ChartSeries,
  type SeriesColor,
} from '../../components/chart/series.ts';
import { SectionCard } from '../../components/page.tsx';
import { ErrorState } from '../../components/placeholder.tsx';
import { usePanel } from '../../data/panel.tsx';
import { operationQuery, useOperation } from '../../data/use-operation.ts';
import { useFormat } from '../../format/use-format.tsx';
import { setQuery, useRoute } from '../../router/router.ts';
import classes from './overview.module.css';

type Nodes = Output<'listNodes'>['items'];
type Report = Output<'getServerTraffic'>;

const EVERY_MS = 60_000;
const HEIGHT = 260;
/** The number of colours; more nodes could not be distinguished. */
const MAX_NODES = 8;

export function TrafficCard({ nodes }: { readonly nodes: Nodes | undefined }) {
  const { t } = useTranslation(['overview', 'common']);
  const format = useFormat();
  const { query } = useRoute();
  const range = parseRange(query.get('range'));
  const isByNode = query.get('by') === 'node' && (nodes?.length ?? 0) > 1;
  const whole = useOperation('getServerTraffic', { range }, { pollMs: EVERY_MS, keepPrevious: true });
  const shown = (nodes ?? []).slice(0, MAX_NODES);
  const perNode = useNodeTraffic(isByNode ? shown : [], range);

  const chart = useMemo<ChartData | null>(() => {
    const report = whole.data;
    if (report === undefined) return null;
    const chart = buildTrafficChart(report, (direction) => t(`common:traffic.${direction}`));
    return isByNode ? { ...chart, series: nodeSeries(shown, perNode) } : chart;
  }, [whole.data, isByNode, shown, perNode, t]);

  const total = whole.data === undefined ? '' : format.bytes(whole.data.total.up + whole.data.total.down);
  return (
    <SectionCard
      title={t('overview:traffic.title')}
      description={total}
      actions={
        <>
          {(nodes?.length ?? 0) > 1 && (
            <SegmentedControl
              aria-label={t('overview:traffic.show')}
              value={isByNode ? 'node' : 'total'}
              onChange={(by) => setQuery({ by: by === 'node' ? by : null })}
              data={[
                { value: 'total', label: t('overview:traffic.total') },
                { value: 'node', label: t('overview:traffic.byNode') },
              ]}
            />
          )}
          <SegmentedControl
            aria-label={t('overview:traffic.range')}
            value={range}
            onChange={(next) => setQuery({ range: next === '24h' ? null : next })}
            data={RANGES.map((one) => ({ value: one, label: t(`overview:traffic.${one}`) }))}
          />
        </>
      }
    >
      {whole.error !== null && whole.data === undefined ? (
        <ErrorState size="small" failure={whole.error} onRetry={() => void whole.refetch()} />
      ) : chart === null ? (
        <div style={{ height: HEIGHT }} aria-busy />
      ) : (
        <div className={classes.chart} data-stale={whole.isPlaceholderData || undefined}>
          <Chart label={t('overview:traffic.title')} height={HEIGHT} {...chart} />
        </div>
      )}
    </SectionCard>
  );
}

function parseRange(text: string | null): Range {
  return RANGES.find((range) => range === text) ?? '24h';
}

/** The traffic of each node, in the nodes' order; undefined: loading. */
function useNodeTraffic(nodes: Nodes, range: Range): readonly (Report | undefined)[] {
  const panel = usePanel();
  return useQueries({
    queries: nodes.map(({ id }) =>
      operationQuery(panel, 'getServerTraffic', { range, node_id: id }, { pollMs: EVERY_MS }),
    ),
    combine: combineReports,
  });
}

function combineReports(results: readonly { readonly data: Report | undefined }[]): readonly (Report | undefined)[] {
  return results.map(({ data }) => data);
}

function nodeSeries(nodes: Nodes, reports: readonly (Report | undefined)[]): readonly ChartSeries[] {
  return nodes.map(({ id, name }, index) => ({
    id: String(id),
    label: name,
    color: ((index % MAX_NODES) + 1) as SeriesColor,
    values: reports[index]?.points.map(({ up, down }) => up + down) ?? [],
  }));
}
