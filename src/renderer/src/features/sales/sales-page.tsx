// The page Sales, with its tabs.
import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { FilterTabs } from '../../components/filters.tsx';
import { Page, PageHeader } from '../../components/page.tsx';
import { useOperation } from '../../data/use-operation.ts';
import { buildHash } from '../../router/route.ts';
import { navigate, useRoute } from '../../router/router.ts';
import { Attention } from './attention.tsx';
import { Offers } from './offers.tsx';
import { ExportButton } from './order-export.tsx';
import { Orders } from './orders.tsx';
import { Promos } from './promos.tsx';
import { Reconciliation } from './reconciliation.tsx';
import { Referrals } from './referrals.tsx';
import { SalesOverview } from './sales-overview.tsx';

const TABS = ['overview', 'orders', 'attention', 'reconciliation', 'offers', 'promos', 'referrals'] as const;

export function SalesPage() {
  const { t } = useTranslation('sales');
  const { path, query } = useRoute();
  const waiting = useOperation('listAttention', { limit: 1 });
  const tab = TABS.find((one) => one === path[1]) ?? 'overview';
  return (
    <Page fill={tab !== 'overview' && tab !== 'referrals'}>
      <PageHeader
        title={t('title')}
        actions={
          tab === 'offers' || tab === 'promos' ? (
            <Button
              leftSection={<IconPlus size={16} stroke={1.75} />}
              onClick={() => navigate(buildHash(['sales', tab, 'new'], query))}
            >
              {t(tab === 'offers' ? 'offer.create' : 'promo.create')}
            </Button>
          ) : (
            tab !== 'reconciliation' && tab !== 'referrals' && <ExportButton />
          )
        }
      />
      <FilterTabs
        label={t('tabs.label')}
        value={tab}
        items={TABS.map((value) => ({
          value,
          label: t(`tabs.${value}`),
          count: value === 'attention' && waiting.data?.total !== 0 ? waiting.data?.total : undefined,
        }))}
        onChange={(next) => navigate(buildHash(next === 'overview' ? ['sales'] : ['sales', next]))}
      />
      {tab === 'overview' && <SalesOverview />}
      {tab === 'orders' && <Orders />}
      {tab === 'attention' && <Attention />}
      {tab === 'reconciliation' && <Reconciliation />}
      {tab === 'offers' && <Offers />}
      {tab === 'promos' && <Promos />}
      {tab === 'referrals' && <Referrals />}
    </Page>
  );
}
