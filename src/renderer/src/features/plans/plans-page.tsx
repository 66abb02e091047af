// The plans that users are created from; archived ones are listed separately.
import { Button } from '@mantine/core';
import { IconPlus, IconStack2 } from '@tabler/icons-react';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { useActs } from '../../components/acts/use-acts.ts';
import { FilterTabs } from '../../components/filters.tsx';
import { Page, PageHeader } from '../../components/page.tsx';
import { EmptyState } from '../../components/placeholder.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import { parseRecordSegment } from '../../components/use-opening.ts';
import { useWholeList } from '../../data/use-operation.ts';
import { buildHash, changedQuery } from '../../router/route.ts';
import { leave, navigate, setQuery, useRoute } from '../../router/router.ts';
import { usePlanColumns } from './plan-columns.tsx';
import { PlanDrawer } from './plan-drawer.tsx';
import type { Plan } from './plan-values.ts';

const NO_PLANS: readonly Plan[] = [];

export function PlansPage() {
  const { t } = useTranslation('plans');
  const { path, query } = useRoute();
  const plans = useWholeList('listTariffs', {});
  const all = plans.data?.items ?? NO_PLANS;
  const isArchive = query.get('archived') === 'true';
  const rows = all.filter(({ archived }) => archived === isArchive);

  const search = changedQuery(query, { from: null }).toString();
  const buildHref = useCallback(({ id }: Plan) => buildHash(['plans', id], new URLSearchParams(search)), [search]);
  const columns = usePlanColumns(buildHref);
  const create = () => navigate(buildHash(['plans', 'new']));
  useActs({ 'plans.create': create });

  const open = parseRecordSegment(path[1]);
  const from = all.find(({ id }) => String(id) === query.get('from'));
  const currency = all.findLast(({ price }) => price !== null)?.price?.currency ?? t('usualCurrency');
  // A copy starts with the values of its original, so the form waits until that is loaded.
  const isWaiting = open === 'new' && query.has('from') && plans.isPending;
  return (
    <Page fill>
      <PageHeader
        title={t('title')}
        actions={
          <Button leftSection={<IconPlus size={16} stroke={1.75} />} onClick={create}>
            {t('create')}
          </Button>
        }
      />
      <FilterTabs
        label={t('tabs.label')}
        value={isArchive ? 'archived' : ''}
        onChange={(tab) => setQuery({ archived: tab === 'archived' ? true : null })}
        items={[
          { value: '', label: t('tabs.offered'), count: plans.data && all.filter(({ archived }) => !archived).length },
          {
            value: 'archived',
            label: t('tabs.archived'),
            count: plans.data && all.filter(({ archived }) => archived).length,
          },
        ]}
      />
      <DataTable
        label={t('title')}
        columns={columns}
        rows={rows}
        reading={plans}
        rowId={({ id }) => id}
        rowName={({ name }) => name}
        buildHref={buildHref}
        openId={typeof open === 'number' ? open : null}
        rowActs={({ id }) => ({
          'plans.copy': () => navigate(buildHash(['plans', 'new'], { from: id })),
          'plans.offers': () => navigate(buildHash(['sales', 'offers'], { plan: id })),
          'plans.users': () => navigate(buildHash(['users'], { tariff_id: id })),
        })}
        listKey={isArchive ? 'archived' : 'offered'}
        empty={
          isArchive ? (
            <EmptyState title={t('emptyArchive')} text={t('emptyArchiveHint')} />
          ) : (
            <EmptyState
              icon={<IconStack2 size={20} stroke={1.5} />}
              title={t('empty')}
              text={t('emptyHint')}
              action={<Button onClick={create}>{t('create')}</Button>}
            />
          )
        }
      />
      <PlanDrawer
        open={isWaiting ? null : open}
        from={from}
        currency={currency}
        onClose={() => leave(buildHash(['plans'], new URLSearchParams(search)))}
      />
    </Page>
  );
}
