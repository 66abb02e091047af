// Shown if the panel cannot store the secret of the second factor: why, and what to do about it.
import { useTranslation } from 'react-i18next';
import { useHost, usePanelCommand } from '../../data/host.ts';
import { useOperation } from '../../data/use-operation.ts';
import { CopyButton } from '../copy-button.tsx';
import classes from './credentials.module.css';

/** Whether a secret can be sealed; null: not known yet. */
export function useCanSeal(): boolean | null {
  const { data } = useOperation('getVault', {});
  return data === undefined ? null : data.state === 'unlocked' || data.state === 'headless';
}

/** Renders nothing while a secret can be sealed. */
export function VaultRemedy() {
  const { t } = useTranslation('access');
  const host = useHost();
  const { data } = useOperation('getVault', {});
  const command = `${usePanelCommand()} serve --key-file ~/gatehouse.key`;
  if (data === undefined || data.state === 'unlocked' || data.state === 'headless') return null;
  const takesKeyFile = data.state === 'absent' && host.kind === 'browser';
  return (
    <div className={classes.remedy} role="status">
      <p className={classes.remedyTitle}>{t('vault.title')}</p>
      <p>{t(takesKeyFile ? 'vault.absent' : 'vault.closed')}</p>
      {takesKeyFile && (
        <p className={classes.secret}>
          <code>{command}</code>
          <CopyButton value={command} label={t('vault.copy')} />
        </p>
      )}
    </div>
  );
}
