// A node's traffic over a day, a week or a month.
import { SegmentedControl } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { RANGES, type Range } from '../../../../contract/scalars.ts';
import { Chart } from '../../components/chart/chart.tsx';
import { type ChartData, directionsOf } from '../../components/chart/series.ts';
import { ErrorState } from '../../components/placeholder.tsx';
import { DrawerSection } from '../../components/record-drawer.tsx';
import { useOperation } from '../../data/use-operation.ts';

const EVERY_MS = 60_000;
const HEIGHT = 180;

export function NodeTraffic({ nodeId }: { readonly nodeId: number }) {
  const { t } = useTranslation(['nodes', 'common']);
  const [range, setRange] = useState<Range>('24h');
  const report = useOperation('getTraffic', { range, node_id: nodeId }, { every: EVERY_MS, keep: true });
  const chart = useMemo<ChartData | null>(() => {
    if (report.data === undefined) return null;
    return directionsOf(report.data, (way) => t(`common:traffic.${way}`));
  }, [report.data, t]);
  return (
    <DrawerSection
      title={t('common:traffic.label')}
      actions={
        <SegmentedControl
          aria-label={t('nodes:range')}
          value={range}
          onChange={setRange}
          data={RANGES.map((value) => ({ value, label: t(`nodes:ranges.${value}`) }))}
        />
      }
    >
      {report.error !== null && report.data === undefined ? (
        <ErrorState size="small" failure={report.error} onRetry={() => void report.refetch()} />
      ) : chart === null ? (
        <div style={{ height: HEIGHT }} aria-busy />
      ) : (
        <Chart label={t('common:traffic.label')} height={HEIGHT} {...chart} />
      )}
    </DrawerSection>
  );
}
