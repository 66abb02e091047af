// The navigation: a rail with names, icons alone where it is narrow, a bar at the bottom on a phone.
import { Tooltip } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useTranslation } from 'react-i18next';
import { Logo } from '../components/logo.tsx';
import { useOperation } from '../data/use-operation.ts';
import { hashOf } from '../router/route.ts';
import { useRoute } from '../router/router.ts';
import { PRODUCT } from '../router/title.ts';
import classes from './rail.module.css';
import { SCREENS, screenOf } from './screens.ts';

export function Rail() {
  const { t } = useTranslation('frame');
  const product = useOperation('panelState', {}).data?.panel_title ?? PRODUCT;
  const current = screenOf(useRoute().path);
  const hasNames = useMediaQuery('(min-width: 1100px)') ?? true;
  const isBar = useMediaQuery('(max-width: 640px)') ?? false;
  return (
    <nav className={classes.rail} aria-label={t('nav.label')}>
      <a className={classes.brand} href={hashOf(['overview'])}>
        <Logo />
        <span className={classes.product} title={product}>
          {product}
        </span>
      </a>
      <ul className={classes.list}>
        {SCREENS.map(({ id, icon: Icon, load }) => {
          const name = t(`nav.${id}`);
          return (
            <li key={id} className={classes.item}>
              <Tooltip label={name} position="right" disabled={hasNames || isBar} openDelay={200}>
                <a
                  className={classes.link}
                  href={hashOf([id])}
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
        })}
      </ul>
    </nav>
  );
}
