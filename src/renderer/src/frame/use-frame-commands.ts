// The commands and keys that are there on every screen.
import {
  IconKeyboard,
  IconLanguage,
  IconLogout,
  IconMoon,
  IconPlugConnected,
  IconServer2,
  IconStack2,
  IconSun,
  IconUserPlus,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { LANGUAGES } from '../../../i18n/languages.ts';
import { type Command, useCommands } from '../components/commands.ts';
import { type Shortcut, useShortcuts } from '../components/keys.ts';
import { useLocale } from '../i18n/use-locale.ts';
import { hashOf } from '../router/route.ts';
import { navigate } from '../router/router.ts';
import { changeView } from '../state/view.ts';
import { useScheme } from '../theme/use-scheme.ts';
import { closeOverlay, openOverlay, useOverlay } from './overlays.ts';
import { SCREENS } from './screens.ts';
import { useSignOut } from './use-sign-out.ts';

export function useFrameCommands(): void {
  const { t } = useTranslation('frame');
  const scheme = useScheme();
  const locale = useLocale();
  const signOut = useSignOut();
  const isOpen = useOverlay(({ open }) => open === 'palette');

  const screens = SCREENS.map(({ id, icon, key }) => {
    const label = t('keys.goTo', { screen: t(`nav.${id}`) });
    return { id: `go ${id}`, label, icon, keys: `g ${key}`, run: () => navigate(hashOf([id])) };
  });
  // From any screen; a screen's own command with the same id takes precedence.
  const makes: readonly Command[] = (
    [
      ['users', IconUserPlus],
      ['plans', IconStack2],
      ['connections', IconPlugConnected],
      ['nodes', IconServer2],
    ] as const
  ).map(([screen, icon]) => ({
    id: `new-${screen}`,
    group: 'acts',
    label: t(`make.${screen}`),
    icon,
    run: () => navigate(hashOf([screen, 'new'])),
  }));
  const otherTheme = scheme === 'dark' ? 'light' : 'dark';
  const commands: Command[] = [
    ...makes,
    ...screens.map((screen) => ({ ...screen, group: 'goTo' as const })),
    {
      id: 'theme',
      group: 'appearance',
      label: `${t('theme.label')}: ${t(`theme.${otherTheme}`)}`,
      icon: otherTheme === 'dark' ? IconMoon : IconSun,
      words: t('theme.words'),
      run: () => changeView({ theme: otherTheme }),
    },
    ...LANGUAGES.filter(({ code }) => code !== locale).map(({ code, name, word }) => ({
      id: `language ${code}`,
      group: 'appearance' as const,
      label: `${t('language')}: ${name}`,
      icon: IconLanguage,
      words: `language ${word}`,
      run: () => changeView({ locale: code }),
    })),
    {
      id: 'keys',
      group: 'appearance',
      label: t('keys.help'),
      icon: IconKeyboard,
      keys: '?',
      run: () => openOverlay('keys'),
    },
    { id: 'sign-out', group: 'appearance', label: t('account.signOut'), icon: IconLogout, run: signOut },
  ];
  useCommands(commands);

  const shortcuts: Shortcut[] = [
    {
      keys: 'mod+k',
      label: t('keys.palette'),
      group: 'general',
      inInputs: true,
      run: () => (isOpen ? closeOverlay() : openOverlay('palette')),
    },
    { keys: '?', label: t('keys.help'), group: 'general', run: () => openOverlay('keys') },
    ...screens.map(({ keys, label, run }) => ({ keys, label, group: 'goTo' as const, run })),
  ];
  useShortcuts(shortcuts);
}
