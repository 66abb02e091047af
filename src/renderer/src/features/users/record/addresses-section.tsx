// The networks of the user's present and recent connections, as nodes' engines report them, without full addresses.
import { useTranslation } from 'react-i18next';
import type { Output } from '../../../../../contract/table.ts';
import type { User } from '../../../../../contract/users/users.ts';
import { RelativeTime } from '../../../components/figures.tsx';
import { ErrorState } from '../../../components/placeholder.tsx';
import { DrawerSection } from '../../../components/record-drawer.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';
import { StateDot } from '../../../components/state.tsx';
import { useOperation, useWholeList } from '../../../data/use-operation.ts';
import { useFormat } from '../../../format/use-format.tsx';
import classes from './record.module.css';

const EVERY_MS = 15_000;

export function AddressesSection({ user: { id } }: { readonly user: User }) {
  const { t } = useTranslation('users');
  const report = useOperation('getUserAddresses', { id }, { pollMs: EVERY_MS });
  const nodes = useWholeList('listNodes', {});
  const { data } = report;
  if (data === undefined)
    return (
      <DrawerSection title={t('addresses.title')}>
        {report.error === null ? (
          <Skeleton width="60%" />
        ) : (
          <ErrorState size="small" failure={report.error} onRetry={() => void report.refetch()} />
        )}
      </DrawerSection>
    );
  const { concurrent, addresses } = data;
  return (
    <DrawerSection title={t('addresses.title')}>
      <p className={classes.quiet}>
        {concurrent === null ? t('addresses.unknown') : t('addresses.now', { count: concurrent })}
      </p>
      <ul className={classes.addresses}>
        {addresses.map((address) => {
          const { node_id: nodeId, network, first_seen_at: since } = address;
          const node = nodes.data?.items.find(({ id: other }) => other === nodeId)?.name;
          const place = node ?? t('addresses.node', { id: nodeId });
          return <AddressLine key={`${nodeId} ${network} ${since}`} address={address} node={place} />;
        })}
      </ul>
    </DrawerSection>
  );
}

interface AddressLineProps {
  readonly address: Output<'getUserAddresses'>['addresses'][number];
  readonly node: string;
}

function AddressLine({ address, node }: AddressLineProps) {
  const { t } = useTranslation('users');
  const format = useFormat();
  const { network, connected, first_seen_at: since, last_seen_at: last } = address;
  return (
    <li className={classes.grant} data-over={!connected || undefined}>
      <span className={classes.grantText}>
        <span className="figures">{network}</span>
        <span className={classes.quiet}>
          {node} · {t('addresses.since', { date: format.moment(since, 'dateTime') })}
        </span>
      </span>
      {connected ? <StateDot state="online" label={t('addresses.connected')} /> : <RelativeTime at={last} />}
    </li>
  );
}
