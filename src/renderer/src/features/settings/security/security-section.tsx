// Settings, Security: password, second factor, sessions, API keys and the secret store.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { SectionCard } from '../../../components/page.tsx';
import { useOperation } from '../../../data/use-operation.ts';
import { buildHash } from '../../../router/route.ts';
import { PasswordCard } from './password-card.tsx';
import { SessionsCard } from './sessions-card.tsx';
import { TwoFactorCard } from './two-factor-card.tsx';
import { VaultCard } from './vault-card.tsx';

export function SecuritySection() {
  return (
    <>
      <TwoFactorCard />
      <PasswordCard />
      <ApiCard />
      <SessionsCard />
      <VaultCard />
    </>
  );
}

/** The link to the section of the API, with the number of keys. */
function ApiCard() {
  const { t } = useTranslation('settings');
  const { data } = useOperation('listKeys', {});
  const active = data?.items.filter(({ state }) => state === 'active').length;
  return (
    <SectionCard
      title={t('sections.api')}
      description={t('security.apiText')}
      actions={
        <>
          {active !== undefined && (
            <span>{active === 0 ? t('security.apiNone') : t('security.api', { count: active })}</span>
          )}
          <Button component="a" variant="default" href={buildHash(['settings', 'security', 'api'])}>
            {t('security.apiOpen')}
          </Button>
        </>
      }
    />
  );
}
