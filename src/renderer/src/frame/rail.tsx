// The navigation: a rail with names, or icons only if it is narrow; on a phone a bar at the bottom whose last entry lists the other
// screens.
import { Menu, Tooltip, UnstyledButton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconDots } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Logo } from '../components/logo.tsx';
import { useOperation } from '../data/use-operation.ts';
import { buildHash } from '../router/route.ts';
import { useRoute } from '../router/router.ts';
import { PRODUCT } from '../router/title.ts';
import classes from './rail.module.css';
import { BAR_SCREENS, findScreen, SCREENS, type Screen } from './screens.ts';

export function Rail() {
  const { t } = useTranslation('frame');
  const product = useOperation('panelState', {}).data?.panel_title ?? PRODUCT;
  const isBar = useMediaQuery('(max-width: 640px)') ?? false;
  const inBar = SCREENS.filter(({ id }) => !isBar || BAR_SCREENS.has(id));
  return (
    <nav className={classes.rail} aria-label={t('nav.label')}>
      <a className={classes.brand} href={buildHash(['overview'])}>
        <Logo />
        <span className={classes.product} title={product}>
          {product}
        </span>
      </a>
      <ul className={classes.list}>
        {inBar.map((screen) => (
          <RailItem key={screen.id} screen={screen} isBar={isBar} />
        ))}
        {isBar && <MoreItem screens={SCREENS.filter(({ id }) => !BAR_SCREENS.has(id))} />}
      </ul>
    </nav>
  );
}

function RailItem({ screen: { id, icon: Icon, load }, isBar }: { readonly screen: Screen; readonly isBar: boolean }) {
  const { t } = useTranslation('frame');
  const current = findScreen(useRoute().path);
  const hasNames = useMediaQuery('(min-width: 1100px)') ?? true;
  const name = t(`nav.${id}`);
  return (
    <li className={classes.item}>
      <Tooltip label={name} position="right" disabled={hasNames || isBar} openDelay={200}>
        <a
          className={classes.link}
          href={buildHash([id])}
          aria-current={current?.id === id ? 'page' : undefined}
          onPointerEnter={() => void load()}
          onFocus={() => void load()}
        >
          <Icon size={18} stroke={1.5} aria-hidden />
          <span className={classes.name}>{name}</span>
        </a>
      </Tooltip>
    </li>
  );
}

/** The screens that do not fit into the bar. */
function MoreItem({ screens }: { readonly screens: readonly Screen[] }) {
  const { t } = useTranslation('frame');
  const current = findScreen(useRoute().path);
  const open = screens.find(({ id }) => id === current?.id);
  return (
    <li className={classes.item}>
      <Menu position="top-end" width={208} shadow="none">
        <Menu.Target>
          <UnstyledButton className={classes.link ?? ''} data-current={open !== undefined || undefined}>
            <IconDots size={18} stroke={1.5} aria-hidden />
            <span className={classes.name}>{t('nav.more')}</span>
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          {screens.map(({ id, icon: ScreenIcon }) => (
            <Menu.Item
              key={id}
              component="a"
              href={buildHash([id])}
              aria-current={id === open?.id ? 'page' : undefined}
              leftSection={<ScreenIcon size={16} stroke={1.5} />}
            >
              {t(`nav.${id}`)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </li>
  );
}
