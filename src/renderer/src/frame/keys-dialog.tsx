// The dialog that lists the keys of the present screen, opened by `?`.
import { Switch } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { KeyHint } from '../components/acts/key-hint.tsx';
import { type Shortcut, useAllShortcuts } from '../components/acts/keys.ts';
import { Dialog } from '../components/dialog.tsx';
import { changeView, useView } from '../state/view.ts';
import classes from './keys-dialog.module.css';
import { closeOverlay } from './overlays.ts';

const GROUPS = ['here', 'list', 'general', 'goTo'] as const;

export function KeysDialog() {
  const { t } = useTranslation('frame');
  const all = useAllShortcuts().filter(({ label }) => label !== '');
  const hasLetterKeys = useView((view) => view.hasLetterKeys);
  const titles = {
    here: t('keys.here'),
    list: t('keys.list'),
    general: t('keys.general'),
    goTo: t('palette.goTo'),
  };
  return (
    <Dialog isOpen onClose={closeOverlay} title={t('keys.title')} width={640}>
      <div className={classes.groups}>
        {GROUPS.map((group) => {
          const keys = unique(all.filter((shortcut) => (shortcut.group ?? 'here') === group));
          if (keys.length === 0) return null;
          return (
            <section key={group} aria-label={titles[group]}>
              <h3 className={classes.group}>{titles[group]}</h3>
              <dl className={classes.list}>
                {keys.map(({ keys: chord, label }) => (
                  <div key={chord} className={classes.item}>
                    <dt>{label}</dt>
                    <dd>
                      <KeyHint keys={chord} />
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          );
        })}
      </div>
      <Switch
        label={t('keys.letters')}
        description={t('keys.lettersHint')}
        checked={hasLetterKeys}
        onChange={(event) => changeView({ hasLetterKeys: event.currentTarget.checked })}
      />
    </Dialog>
  );
}

function unique(shortcuts: readonly Shortcut[]): readonly Shortcut[] {
  return [...new Map(shortcuts.map((shortcut) => [shortcut.keys, shortcut])).values()];
}
