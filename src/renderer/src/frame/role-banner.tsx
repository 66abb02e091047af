// Shows on every page that another panel has taken over this data, and how to change that.
import { IconAlertTriangle } from '@tabler/icons-react';
import { Trans, useTranslation } from 'react-i18next';
import { usePanelCommand } from '../data/host.ts';
import { useOperation } from '../data/use-operation.ts';
import classes from './offline-banner.module.css';

const EVERY_MS = 5000;

export function RoleBanner() {
  const { t } = useTranslation('frame');
  const { data: role } = useOperation('getRole', {}, { pollMs: EVERY_MS });
  const values = { command: `${usePanelCommand()} promote --take-back` };
  if (role === undefined || role.state === 'active') return null;
  return (
    <div className={classes.banner} role="alert">
      <IconAlertTriangle size={18} stroke={1.5} aria-hidden />
      <p>
        <strong>{t(`role.${role.state}.title`)}</strong>{' '}
        <Trans t={t} i18nKey={`role.${role.state}.hint`} values={values} components={{ command: <code /> }} />
      </p>
    </div>
  );
}
