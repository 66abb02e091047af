// What an address shows that leads nowhere.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Page } from '../components/page.tsx';
import { EmptyState } from '../components/placeholder.tsx';
import { hashOf } from '../router/route.ts';
import { useTitle } from '../router/title.ts';

export function NotFound() {
  const { t } = useTranslation('frame');
  useTitle(t('notFound.title'));
  return (
    <Page>
      <EmptyState
        title={t('notFound.title')}
        text={t('notFound.hint')}
        action={
          <Button component="a" href={hashOf(['overview'])}>
            {t('notFound.home')}
          </Button>
        }
      />
    </Page>
  );
}
