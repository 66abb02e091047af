// The secret store: its state, where its key is, and what to do if it is locked.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../../../../contract/table.ts';
import { SectionCard } from '../../../components/page.tsx';
import { StateBadge } from '../../../components/state.tsx';
import { useAct } from '../../../data/use-act.ts';
import { useOperation } from '../../../data/use-operation.ts';
import { Notice, Reading } from '../parts/parts.tsx';
import rows from '../parts/rows.module.css';

type Vault = Output<'getVault'>;

export function VaultCard() {
  const { t } = useTranslation('settings');
  const vault = useOperation('getVault', {});
  return (
    <Reading title={t('security.vault.title')} query={vault} height={80}>
      {(data) => <VaultState vault={data} />}
    </Reading>
  );
}

const BACKENDS = ['secret-service', 'keychain', 'credential-manager', 'key-file'] as const;

function VaultState({ vault: { state, backend, key_file: keyFile } }: { readonly vault: Vault }) {
  const { t } = useTranslation('settings');
  const isOpen = state === 'unlocked' || state === 'headless';
  const { start, isRunning } = useAct('refreshVault', {
    message: (now) => ({ text: t('security.vault.checked', { state: t(`security.vault.state.${now.state}`) }) }),
  });
  const known = BACKENDS.find((one) => one === backend);
  return (
    <SectionCard
      title={t('security.vault.title')}
      description={t('security.vault.description')}
      actions={
        <>
          <StateBadge
            state={isOpen ? 'up' : state === 'locked' ? 'limited' : 'down'}
            label={t(`security.vault.state.${state}`)}
          />
          <Button variant="default" loading={isRunning} onClick={() => start({})}>
            {t('security.vault.check')}
          </Button>
        </>
      }
    >
      <div className={rows.stack}>
        {isOpen ? (
          <p>{t(`security.vault.text.${state}`)}</p>
        ) : (
          <Notice tone="warn">{t(`security.vault.text.${state}`)}</Notice>
        )}
        {(backend !== null || keyFile !== null) && (
          <dl className={rows.facts}>
            <div>
              <dt>{t('security.vault.backend')}</dt>
              <dd>{known === undefined ? (backend ?? '—') : t(`security.vault.backends.${known}`)}</dd>
            </div>
            {keyFile !== null && (
              <div>
                <dt>{t('security.vault.file')}</dt>
                <dd>
                  <code>{keyFile}</code>
                </dd>
              </div>
            )}
          </dl>
        )}
      </div>
    </SectionCard>
  );
}
