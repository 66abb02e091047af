// The last step of the desktop application's setup: its behaviour on this computer, which Settings can change later.
import { Button, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { DesktopSettings } from '../../../../bridge/desktop-api.ts';
import type { HostApi } from '../../../../bridge/host-api.ts';
import { notifyFailure } from '../../state/messages.ts';
import classes from './access.module.css';
import { AccessPage } from './access-page.tsx';

const CHOICES = ['startAtLogin', 'closeToTray'] as const;

interface ThisComputerProps {
  readonly shell: NonNullable<HostApi['shell']>;
  readonly onDone: () => void;
}

export function ThisComputer({ shell, onDone }: ThisComputerProps) {
  const { t } = useTranslation(['access', 'settings']);
  const { data: settings } = useQuery({ queryKey: ['desktop', 'first'], queryFn: () => shell.settings() });
  const [chosen, setChosen] = useState<Partial<DesktopSettings>>({});
  const [isBusy, setBusy] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const isLoaded = settings !== undefined;
  useEffect(() => {
    if (isLoaded) box.current?.querySelector('input')?.focus();
  }, [isLoaded]);
  const finish = () => {
    setBusy(true);
    void shell.changeSettings(chosen).catch(notifyFailure).then(onDone);
  };
  return (
    <AccessPage title={t('settings:desktop.title')} subtitle={t('access:setUp.computerText')}>
      <div ref={box} className={classes.stack}>
        {settings &&
          CHOICES.filter((name) => settings[name] !== null).map((name) => (
            <Switch
              key={name}
              label={t(`settings:desktop.${name}`)}
              description={t(`settings:desktop.${name}Hint`)}
              checked={chosen[name] ?? settings[name] ?? false}
              onChange={({ currentTarget }) => setChosen({ ...chosen, [name]: currentTarget.checked })}
            />
          ))}
        <Button fullWidth loading={isBusy} onClick={finish}>
          {t('access:setUp.enter')}
        </Button>
      </div>
    </AccessPage>
  );
}
