// Settings, Desktop: the desktop application on this computer. Shown in that application only.
import { Switch } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { type DesktopSettings, QUICK_SEARCH } from '../../../../../bridge/desktop-api.ts';
import type { HostApi } from '../../../../../bridge/host-api.ts';
import { isMac } from '../../../components/acts/key-hint.tsx';
import { SectionCard } from '../../../components/page.tsx';
import { useHost } from '../../../data/host.ts';
import { notify, notifyFailure } from '../../../state/messages.ts';
import rows from '../parts/rows.module.css';

const KEY = ['desktop'];
const QUICK_SEARCH_KEYS = QUICK_SEARCH.replace('CommandOrControl', isMac ? '⌘' : 'Ctrl');

export function DesktopSection() {
  const { shell } = useHost();
  return shell === null ? null : <Cards shell={shell} />;
}

interface CardsProps {
  readonly shell: NonNullable<HostApi['shell']>;
}

function Cards({ shell }: CardsProps) {
  const { t } = useTranslation('settings');
  const queries = useQueryClient();
  const { data } = useQuery({
    queryKey: KEY,
    queryFn: async () => ({ settings: await shell.settings(), versions: await shell.versions() }),
  });
  if (data === undefined) return null;
  const { settings, versions } = data;

  const change = async (wanted: Partial<DesktopSettings>) => {
    const now = await shell.changeSettings(wanted);
    queries.setQueryData(KEY, { settings: now, versions });
    if (wanted.staySignedIn === true && !now.staySignedIn) notify({ text: t('desktop.notKept'), isRefusal: true });
    if (wanted.quickSearch === true && !now.quickSearch) notify({ text: t('desktop.keyTaken'), isRefusal: true });
  };
  const names = ['closeToTray', 'startAtLogin', 'staySignedIn', 'notifications', 'quickSearch'] as const;
  return (
    <>
      <SectionCard title={t('desktop.title')} description={t('desktop.description')}>
        <div className={rows.stack}>
          {names.map((name) => (
            <Switch
              key={name}
              label={t(`desktop.${name}`)}
              description={t(
                name === 'startAtLogin' && settings[name] === null ? 'desktop.noLoginItems' : `desktop.${name}Hint`,
                { keys: QUICK_SEARCH_KEYS },
              )}
              disabled={settings[name] === null}
              checked={settings[name] === true}
              onChange={({ currentTarget }) => void change({ [name]: currentTarget.checked }).catch(notifyFailure)}
            />
          ))}
        </div>
      </SectionCard>
      <SectionCard title={t('desktop.versions')}>
        <dl className={rows.facts}>
          {(
            [
              ['Gatehouse', versions.app],
              ['Electron', versions.electron],
              ['Chromium', versions.chromium],
              ['Node.js', versions.node],
            ] as const
          ).map(([name, version]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{version}</dd>
            </div>
          ))}
        </dl>
      </SectionCard>
    </>
  );
}
