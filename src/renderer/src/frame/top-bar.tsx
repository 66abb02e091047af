// The bar over every screen: search, status, appearance, and the signed-in administrator.
import { ActionIcon, Menu, Tooltip } from '@mantine/core';
import {
  IconCheck,
  IconDeviceDesktop,
  IconKeyboard,
  IconLogout,
  IconMoon,
  IconSearch,
  IconShieldLock,
  IconSun,
  IconUser,
} from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LANGUAGES } from '../../../i18n/languages.ts';
import { KeyHint } from '../components/acts/key-hint.tsx';
import { useOperation, useWholeList } from '../data/use-operation.ts';
import { useLocale } from '../i18n/use-locale.ts';
import { buildHash } from '../router/route.ts';
import { useConnection } from '../state/connection.ts';
import { changeView, useView } from '../state/view.ts';
import { openOverlay } from './overlays.ts';
import classes from './top-bar.module.css';
import { useSignOut } from './use-sign-out.ts';

export function TopBar() {
  const { t } = useTranslation('frame');
  return (
    <header className={classes.bar}>
      <button type="button" className={classes.search} onClick={() => openOverlay('palette')}>
        <IconSearch size={16} stroke={1.5} aria-hidden />
        <span className={classes.searchText}>{t('search')}</span>
        <span className={classes.searchKeys} aria-hidden>
          <KeyHint keys="mod+k" />
        </span>
      </button>
      <div className={classes.right}>
        <StatusDot />
        <ViewMenu />
        <AccountMenu />
      </div>
    </header>
  );
}

const THEME_ICONS = { system: IconDeviceDesktop, light: IconSun, dark: IconMoon } as const;
const THEMES = ['system', 'light', 'dark'] as const;
const DENSITIES = ['compact', 'comfortable'] as const;
const UNITS = ['decimal', 'binary'] as const;

function ViewMenu() {
  const { t } = useTranslation('frame');
  const { theme, density, units } = useView();
  const locale = useLocale();
  const Icon = THEME_ICONS[theme];
  const [isOpen, setOpen] = useState(false);
  return (
    <Menu position="bottom-end" width={208} opened={isOpen} onChange={setOpen}>
      <Menu.Target>
        <Tooltip label={t('theme.label')} disabled={isOpen}>
          <ActionIcon variant="subtle" color="gray" size={32} aria-label={t('theme.label')}>
            <Icon size={18} stroke={1.5} />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        <Choices
          label={t('theme.label')}
          value={theme}
          items={THEMES.map((one) => [one, t(`theme.${one}`)] as const)}
          onChoose={(next) => changeView({ theme: next })}
        />
        <Menu.Divider />
        <Choices
          label={t('density.label')}
          value={density}
          items={DENSITIES.map((one) => [one, t(`density.${one}`)] as const)}
          onChoose={(next) => changeView({ density: next })}
        />
        <Menu.Divider />
        <Choices
          label={t('units.label')}
          value={units}
          items={UNITS.map((one) => [one, t(`units.${one}`)] as const)}
          onChoose={(next) => changeView({ units: next })}
        />
        <Menu.Divider />
        <Choices
          label={t('language')}
          value={locale}
          items={LANGUAGES.map(({ code, name }) => [code, name] as const)}
          onChoose={(next) => changeView({ locale: next })}
        />
      </Menu.Dropdown>
    </Menu>
  );
}

interface ChoicesProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly items: readonly (readonly [Value, string])[];
  readonly onChoose: (value: Value) => void;
}

/** A menu with one checked choice. */
function Choices<Value extends string>({ label, value, items, onChoose }: ChoicesProps<Value>) {
  return (
    <Menu.RadioGroup value={value} onChange={(next) => onChoose(next as Value)}>
      <Menu.Label>{label}</Menu.Label>
      {items.map(([one, name]) => (
        <Menu.RadioItem key={one} value={one} checkIcon={<IconCheck size={16} stroke={1.75} aria-hidden />}>
          {name}
        </Menu.RadioItem>
      ))}
    </Menu.RadioGroup>
  );
}

function AccountMenu() {
  const { t } = useTranslation('frame');
  const { data } = useOperation('panelState', {});
  const signOut = useSignOut();
  const [isOpen, setOpen] = useState(false);
  return (
    <Menu position="bottom-end" width={224} opened={isOpen} onChange={setOpen}>
      <Menu.Target>
        <Tooltip label={t('account.label')} disabled={isOpen}>
          <ActionIcon variant="subtle" color="gray" size={32} aria-label={t('account.label')}>
            <IconUser size={18} stroke={1.5} />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        <div className={classes.who}>
          <span>{t('account.signedInAs')}</span>
          <strong>{data?.signed_in?.name ?? '—'}</strong>
        </div>
        <Menu.Divider />
        <Menu.Item
          component="a"
          href={buildHash(['settings', 'security'])}
          leftSection={<IconShieldLock size={16} stroke={1.5} />}
        >
          {t('account.security')}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconKeyboard size={16} stroke={1.5} />}
          rightSection={<KeyHint keys="?" />}
          onClick={() => openOverlay('keys')}
        >
          {t('keys.title')}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} stroke={1.5} />} onClick={signOut}>
          {t('account.signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

// The panel's status as one dot: whether events arrive, and whether a node is down.

const NODES_MS = 30_000;

function StatusDot() {
  const { t } = useTranslation('frame');
  const reach = useConnection((connection) => connection.reach);
  const isLive = useConnection((connection) => connection.isLive);
  const { data } = useWholeList('listNodes', {}, { pollMs: NODES_MS });
  // A node that has not been polled yet does not count as down.
  const down = data?.items.filter(({ enabled, status }) => enabled && status === 'down').length ?? 0;
  const [tone, text] =
    reach !== 'reached'
      ? (['bad', t(`status.${reach}`)] as const)
      : !isLive
        ? (['idle', t('status.connecting')] as const)
        : down > 0
          ? (['warn', t('status.nodesDown', { count: down })] as const)
          : (['ok', t('status.live')] as const);
  return (
    <Tooltip label={text}>
      <a className={classes.status} href={buildHash(['nodes'])} data-tone={tone}>
        <span className={classes.dot} role="status" aria-label={`${t('status.label')}: ${text}`} data-tone={tone} />
      </a>
    </Tooltip>
  );
}
