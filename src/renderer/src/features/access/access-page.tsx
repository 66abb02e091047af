// The page around setup and sign-in: one card in the middle, and the choice of language and theme.
import { ActionIcon, Menu, Tooltip } from '@mantine/core';
import { IconLanguage, IconMoon, IconSun } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { LANGUAGES } from '../../../../i18n/languages.ts';
import { Logo } from '../../components/logo.tsx';
import { useTitle } from '../../router/title.ts';
import { changeView } from '../../state/view.ts';
import { useScheme } from '../../theme/use-scheme.ts';
import classes from './access.module.css';

interface AccessPageProps {
  readonly title: string;
  readonly subtitle?: ReactNode;
  readonly children: ReactNode;
  /** Content below the card. */
  readonly foot?: ReactNode;
  /** Shown over a page, whose title returns later. */
  readonly isOverlay?: boolean;
}

export function AccessPage({ title, subtitle, children, foot, isOverlay = false }: AccessPageProps) {
  useTitle(title, isOverlay ? 2 : 0);
  return (
    <div className={classes.page}>
      <div className={classes.corner}>
        <AppearanceButtons />
      </div>
      <main className={classes.main}>
        <Logo size={36} />
        <h1 className={classes.title}>{title}</h1>
        {subtitle !== undefined && <p className={classes.subtitle}>{subtitle}</p>}
        <div className={classes.card}>{children}</div>
        {foot !== undefined && <p className={classes.foot}>{foot}</p>}
      </main>
    </div>
  );
}

function AppearanceButtons() {
  const { t } = useTranslation('frame');
  const scheme = useScheme();
  const other = scheme === 'dark' ? 'light' : 'dark';
  const label = `${t('theme.label')}: ${t(`theme.${other}`)}`;
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Tooltip label={t('language')}>
            <ActionIcon variant="subtle" color="gray" size={32} aria-label={t('language')}>
              <IconLanguage size={18} stroke={1.5} />
            </ActionIcon>
          </Tooltip>
        </Menu.Target>
        <Menu.Dropdown>
          {LANGUAGES.map(({ code, name }) => (
            <Menu.Item key={code} lang={code} onClick={() => changeView({ locale: code })}>
              {name}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Tooltip label={label}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={32}
          aria-label={label}
          onClick={() => changeView({ theme: other })}
        >
          {other === 'dark' ? <IconMoon size={18} stroke={1.5} /> : <IconSun size={18} stroke={1.5} />}
        </ActionIcon>
      </Tooltip>
    </>
  );
}
