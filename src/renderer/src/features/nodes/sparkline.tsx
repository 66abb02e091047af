// A day's traffic of a node at a glance: a bar for each hour, its sum beside.
import { useTranslation } from 'react-i18next';
import { Skeleton } from '../../components/skeleton.tsx';
import { useOperation } from '../../data/use-operation.ts';
import { useFormat } from '../../format/use-format.tsx';
import classes from './nodes.module.css';

const WIDTH = 96;
const HEIGHT = 20;
const GAP = 1;
const EVERY_MS = 60_000;

export function DayTraffic({ nodeId }: { readonly nodeId: number }) {
  const { t } = useTranslation('nodes');
  const format = useFormat();
  const { data } = useOperation('getTraffic', { range: '24h', node_id: nodeId }, { every: EVERY_MS });
  if (data === undefined) return <Skeleton width={WIDTH} />;
  const sums = data.points.map(({ up, down }) => up + down);
  const most = Math.max(1, ...sums);
  const step = WIDTH / sums.length;
  const path = sums
    .map((sum, hour) => {
      const height = sum === 0 ? 1 : Math.max(2, (sum / most) * HEIGHT);
      return `M${(hour * step).toFixed(2)} ${HEIGHT}v${-height.toFixed(2)}h${(step - GAP).toFixed(2)}V${HEIGHT}z`;
    })
    .join('');
  const total = format.bytes(data.total.up + data.total.down);
  const text = t('dayTraffic', { down: format.bytes(data.total.down), up: format.bytes(data.total.up) });
  return (
    <span className={classes.day} title={text}>
      <svg width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden className={classes.bars}>
        <path d={path} />
      </svg>
      <span className={classes.dayTotal}>{total}</span>
    </span>
  );
}
