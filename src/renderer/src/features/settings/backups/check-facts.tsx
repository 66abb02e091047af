// What a check found in a backup.
import { useTranslation } from 'react-i18next';
import type { Output } from '../../../../../contract/table.ts';
import { DateTime } from '../../../components/figures.tsx';
import { Fact, Facts } from '../../../components/record-drawer.tsx';
import { useFormat } from '../../../format/use-format.tsx';

export function CheckFacts({ verdict }: { readonly verdict: Output<'checkBackup'> }) {
  const { t } = useTranslation('settings');
  const format = useFormat();
  const { created_at, version, users, keys, secrets } = verdict;
  return (
    <Facts>
      {created_at !== null && (
        <Fact label={t('backups.restore.made')}>
          <DateTime at={created_at} style="dateTime" />
        </Fact>
      )}
      {version !== null && <Fact label={t('backups.restore.version')}>{version}</Fact>}
      {users !== null && <Fact label={t('backups.restore.users')}>{format.number(users)}</Fact>}
      {keys !== null && <Fact label={t('backups.restore.keys')}>{format.number(keys)}</Fact>}
      {secrets !== null && <Fact label={t('backups.restore.secretsLabel')}>{t(`backups.secrets.${secrets}`)}</Fact>}
    </Facts>
  );
}
