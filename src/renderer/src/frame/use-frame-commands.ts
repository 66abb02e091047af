// The commands and keys of every screen.
import { IconBook, IconLanguage, IconMoon, IconSettings, IconSun } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { LANGUAGES } from '../../../i18n/languages.ts';
import type { ActRuns } from '../components/acts/acts.ts';
import { type Command, useCommands } from '../components/acts/commands.ts';
import { useShortcuts } from '../components/acts/keys.ts';
import { useActs } from '../components/acts/use-acts.ts';
import { useHost } from '../data/host.ts';
import { listSections } from '../features/settings/sections.ts';
import { useLocale } from '../i18n/use-locale.ts';
import { buildHash } from '../router/route.ts';
import { navigate } from '../router/router.ts';
import { notify, notifyFailure } from '../state/messages.ts';
import { whilePrinting } from '../state/printing.ts';
import { changeView } from '../state/view.ts';
import { useScheme } from '../theme/use-scheme.ts';
import { closeOverlay, openOverlay, useOverlay } from './overlays.ts';
import { SCREENS } from './screens.ts';
import { useSignOut } from './use-sign-out.ts';

export function useFrameCommands(): void {
  const { t } = useTranslation(['frame', 'settings']);
  const scheme = useScheme();
  const locale = useLocale();
  const signOut = useSignOut();
  const host = useHost();
  const isOpen = useOverlay(({ open }) => open === 'palette');

  const screens = SCREENS.map(({ id, icon, key }) => {
    const label = t('frame:keys.goTo', { screen: t(`frame:nav.${id}`) });
    return { id: `go ${id}`, label, icon, keys: `g ${key}`, run: () => navigate(buildHash([id])) };
  });
  const otherTheme = scheme === 'dark' ? 'light' : 'dark';
  // Actions on users, while none is focused or selected: lead to the list, where they are chosen first.
  const chooseUsers = () => {
    navigate(buildHash(['users']));
    notify({ text: t('frame:palette.choose') });
  };
  const sections = listSections(host.kind).map(
    ({ id, path }): Command => ({
      id: `go settings ${id}`,
      group: 'goTo',
      label: t('frame:palette.about', { act: t('frame:nav.settings'), about: t(`settings:sections.${id}`) }),
      settingsLabel: t(`settings:sections.${id}`),
      icon: IconSettings,
      keywords: t(`frame:sectionWords.${id}`),
      run: () => navigate(buildHash(['settings', ...path])),
    }),
  );
  const documentation: Command = {
    id: 'go documentation',
    group: 'goTo',
    label: t('settings:api.docs.title'),
    icon: IconBook,
    keywords: t('frame:sectionWords.documentation'),
    run: () => navigate(buildHash(['settings', 'security', 'api', 'docs'])),
  };
  const secretPath: Command = {
    id: 'go secret path',
    group: 'goTo',
    label: t('frame:palette.about', { act: t('frame:nav.settings'), about: t('settings:addresses.secret.title') }),
    settingsLabel: t('settings:addresses.secret.title'),
    icon: IconSettings,
    keywords: t('settings:addresses.secret.rotate'),
    run: () => navigate(buildHash(['settings', 'addresses'], { at: 'secret' })),
  };
  const commands: Command[] = [
    ...screens.map((screen) => ({ ...screen, group: 'goTo' as const })),
    ...sections,
    documentation,
    secretPath,
    {
      id: 'theme',
      group: 'appearance',
      label: `${t('frame:theme.label')}: ${t(`frame:theme.${otherTheme}`)}`,
      icon: otherTheme === 'dark' ? IconMoon : IconSun,
      keywords: t('frame:theme.words'),
      run: () => changeView({ theme: otherTheme }),
    },
    ...LANGUAGES.filter(({ code }) => code !== locale).map(({ code, name, word }) => ({
      id: `language ${code}`,
      group: 'appearance' as const,
      label: `${t('frame:language')}: ${name}`,
      icon: IconLanguage,
      keywords: `language ${word}`,
      run: () => changeView({ locale: code }),
    })),
  ];
  useCommands(commands);

  // On any screen; a screen's own action with the same id takes precedence.
  useActs(
    {
      ...NEW_RECORDS,
      'users.extend': chooseUsers,
      'users.grant': chooseUsers,
      'users.reset': chooseUsers,
      'users.set_tariff': chooseUsers,
    },
    { hasKeys: false },
  );
  const { makePdf } = host;
  // Saved after printing has ended, so that the save dialog is over the page in its normal look.
  const savePdf = async (make: NonNullable<typeof makePdf>) =>
    host.save('gatehouse.pdf', 'application/pdf', await whilePrinting(make));
  useActs(
    {
      'frame.keys': () => openOverlay('keys'),
      'frame.print': () => void whilePrinting(host.print).catch(notifyFailure),
      'frame.savePdf': makePdf === null ? undefined : () => void savePdf(makePdf).catch(notifyFailure),
      'frame.signOut': signOut,
    },
    { group: 'general' },
  );
  useActs(
    { 'frame.palette': () => (isOpen ? closeOverlay() : openOverlay('palette')) },
    { hasCommands: false, group: 'general' },
  );
  useShortcuts(screens.map(({ keys, label, run }) => ({ keys, label, group: 'goTo', run })));
}

const NEW_RECORDS: ActRuns = {
  'users.create': () => navigate(buildHash(['users', 'new'])),
  'plans.create': () => navigate(buildHash(['plans', 'new'])),
  'connections.create': () => navigate(buildHash(['connections', 'new'])),
  'nodes.create': () => navigate(buildHash(['nodes', 'new'])),
};
