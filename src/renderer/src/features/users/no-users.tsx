// A panel without users: what they are for, and the first act.
import { Button } from '@mantine/core';
import { IconUsers } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../components/placeholder.tsx';
import { hashOf } from '../../router/route.ts';
import type { Plans } from './use-plans.ts';

export function NoUsers({ plans, onCreate }: { readonly plans: Plans; readonly onCreate: () => void }) {
  const { t } = useTranslation('users');
  const hasPlan = plans.isPending || plans.usable.length > 0;
  return (
    <EmptyState
      icon={<IconUsers size={20} stroke={1.5} />}
      title={t('empty')}
      text={hasPlan ? t('emptyHint') : t('emptyNoPlans')}
      action={
        hasPlan ? (
          <Button onClick={onCreate}>{t('create')}</Button>
        ) : (
          <Button component="a" href={hashOf(['plans', 'new'])}>
            {t('makePlan')}
          </Button>
        )
      }
    />
  );
}
