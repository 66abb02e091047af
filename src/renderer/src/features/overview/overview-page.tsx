// The overview: the present state of the service, what needs attention, and the traffic.
import { useTranslation } from 'react-i18next';
import type { Node } from '../../../../contract/nodes/nodes.ts';
import { HOUR_MS } from '../../../../domain/limits.ts';
import { computeAttention } from '../../../../domain/sales/attention.ts';
import { Page, PageHeader } from '../../components/page.tsx';
import { ErrorState } from '../../components/placeholder.tsx';
import { useOperation, useWholeList } from '../../data/use-operation.ts';
import { useNow } from '../../format/use-now.ts';
import { AttentionCard } from './attention-card.tsx';
import { Figures } from './figures.tsx';
import { listSteps } from './first-steps.ts';
import { FirstStepsCard } from './first-steps-card.tsx';
import { NodeHealth } from './node-health.tsx';
import classes from './overview.module.css';
import { TopUsers } from './top-users.tsx';
import { TrafficCard } from './traffic-card.tsx';
import { UsersByPlan } from './users-by-plan.tsx';

const EVERY_MS = 30_000;
const NO_NODES: readonly Node[] = [];

export function OverviewPage() {
  const { t } = useTranslation('overview');
  const now = useNow();
  const overview = useOperation('getOverview', {}, { pollMs: EVERY_MS });
  const clock = useOperation('getClock', {}, { pollMs: EVERY_MS });
  const nodes = useWholeList('listNodes', {}, { pollMs: EVERY_MS });
  const plans = useOperation('listTariffs', { limit: 1 });
  const connections = useOperation('listInbounds', { limit: 1 });
  const addresses = useOperation('getAddresses', {});
  const certificates = useOperation('getCertificates', {}, { staleMs: HOUR_MS });
  const acme = useOperation('getAcme', {}, { staleMs: HOUR_MS });
  const backups = useOperation('listBackups', {}, { staleMs: HOUR_MS });
  const places = useOperation('listBackupPlaces', {}, { pollMs: EVERY_MS });
  const role = useOperation('getRole', {});
  const updates = useOperation('getUpdates', {}, { staleMs: HOUR_MS });
  const failures = useOperation('getFailedAttempts', {}, { pollMs: EVERY_MS });
  const providers = useOperation('listProviders', {}, { pollMs: EVERY_MS });
  const attention = computeAttention({
    clock: clock.data,
    overview: overview.data,
    nodes: nodes.data,
    plans: plans.data,
    certificates: certificates.data,
    acme: acme.data,
    backups: backups.data,
    places: places.data,
    updates: updates.data,
    failures: failures.data,
    providers: providers.data,
    now,
  });
  const users = overview.data?.users.total;
  const steps = listSteps({
    addresses: addresses.data,
    nodes: nodes.data,
    connections: connections.data,
    plans: plans.data,
    users,
    certificates: certificates.data,
    places: places.data,
    role: role.data,
  });
  // Problems that the steps already show are left out.
  const others = attention.filter(
    ({ kind }) => steps === null || (kind !== 'no-nodes' && kind !== 'no-plans' && kind !== 'backup-away'),
  );
  return (
    <Page>
      <PageHeader title={t('title')} />
      {overview.error !== null && overview.data === undefined ? (
        <ErrorState failure={overview.error} onRetry={() => void overview.refetch()} />
      ) : steps !== null && users === 0 ? (
        <>
          <FirstStepsCard steps={steps} nodes={nodes.data?.items ?? NO_NODES} />
          <AttentionCard items={others} now={now} />
        </>
      ) : (
        <>
          <Figures overview={overview.data} />
          {steps !== null && <FirstStepsCard steps={steps} nodes={nodes.data?.items ?? NO_NODES} />}
          <AttentionCard items={others} now={now} />
          <TrafficCard nodes={nodes.data?.items} />
          <div className={classes.columns}>
            <TopUsers overview={overview.data} />
            <div className={classes.stacked}>
              <NodeHealth nodes={nodes.data?.items} failure={nodes.error} onRetry={() => void nodes.refetch()} />
              <UsersByPlan />
            </div>
          </div>
        </>
      )}
    </Page>
  );
}
