// The command palette: users and acts in one list, by typing. Loaded when it is first opened.
import { Modal } from '@mantine/core';
import { IconSearch, IconUser } from '@tabler/icons-react';
import { type KeyboardEvent, useDeferredValue, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { matchCommands, useAllCommands } from '../components/commands.ts';
import { KeyHint } from '../components/key-hint.tsx';
import { StateDot } from '../components/state.tsx';
import { useOperation } from '../data/use-operation.ts';
import { showHidden } from '../format/show-hidden.ts';
import { hashOf } from '../router/route.ts';
import { navigate } from '../router/router.ts';
import { closeOverlay } from './overlays.ts';
import classes from './palette.module.css';

interface Item {
  readonly id: string;
  readonly group: 'users' | 'goTo' | 'acts' | 'appearance';
  readonly content: React.ReactNode;
  run(): void;
}

const GROUPS = ['users', 'acts', 'goTo', 'appearance'] as const;
const MAX_USERS = 6;

export function Palette() {
  const { t } = useTranslation('frame');
  return (
    <Modal.Root
      opened
      onClose={closeOverlay}
      size={560}
      yOffset="12vh"
      transitionProps={{ transition: 'pop', duration: 120 }}
    >
      <Modal.Overlay className={classes.scrim} />
      <Modal.Content classNames={{ content: classes.content ?? '' }} aria-label={t('palette.title')}>
        <Search />
      </Modal.Content>
    </Modal.Root>
  );
}

function Search() {
  const { t } = useTranslation('frame');
  const id = useId();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const items = useItems(useDeferredValue(text.trim()));
  const index = Math.min(at, Math.max(0, items.length - 1));

  useEffect(() => {
    list.current?.querySelector(`[data-at="${index}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [index]);

  const run = (item: Item | undefined) => {
    if (!item) return;
    closeOverlay();
    item.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt((index + step + items.length) % Math.max(1, items.length));
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault();
      run(items[index]);
    }
  };

  return (
    <>
      <div className={classes.input}>
        <IconSearch size={18} stroke={1.5} aria-hidden />
        <input
          data-autofocus
          role="combobox"
          aria-expanded
          aria-controls={`${id}-list`}
          aria-activedescendant={items[index] ? `${id}-${index}` : undefined}
          aria-label={t('palette.placeholder')}
          placeholder={t('palette.placeholder')}
          autoComplete="off"
          spellCheck={false}
          maxLength={100}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div ref={list} id={`${id}-list`} className={classes.list} role="listbox" aria-label={t('palette.title')}>
        {GROUPS.map((group) => {
          const members = items.map((item, at) => ({ item, at })).filter(({ item }) => item.group === group);
          if (members.length === 0) return null;
          return (
            // biome-ignore lint/a11y/useSemanticElements: a group of options in a listbox has no element of its own.
            <div key={group} role="group" aria-label={t(`palette.${group}`)}>
              <div className={classes.group} aria-hidden>
                {t(`palette.${group}`)}
              </div>
              {members.map(({ item, at: position }) => (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the input's, which names the chosen option.
                // biome-ignore lint/a11y/useFocusableInteractive: options are chosen by aria-activedescendant, the focus stays in the input.
                <div
                  key={item.id}
                  id={`${id}-${position}`}
                  data-at={position}
                  className={classes.item}
                  role="option"
                  aria-selected={position === index}
                  onPointerMove={() => setAt(position)}
                  onClick={() => run(item)}
                >
                  {item.content}
                </div>
              ))}
            </div>
          );
        })}
        {items.length === 0 && <p className={classes.nothing}>{t('palette.nothing', { text: text.trim() })}</p>}
      </div>
      <div className={classes.foot} aria-hidden>
        <span>
          <KeyHint keys="arrowup" /> <KeyHint keys="arrowdown" /> {t('palette.hint')}
        </span>
        <span>
          <KeyHint keys="enter" /> {t('palette.open')}
        </span>
      </div>
    </>
  );
}

/** Users only for a text: the palette is no list of them. */
function useItems(text: string): readonly Item[] {
  const commands = matchCommands(useAllCommands(), text);
  const { data } = useOperation(
    'listUsers',
    { q: text, limit: MAX_USERS },
    { enabled: text !== '', keepPrevious: true },
  );
  const users = text === '' ? [] : (data?.items ?? []);
  const all: Item[] = [
    ...users.map(({ id, name, contact, state }) => ({
      id: `user ${id}`,
      group: 'users' as const,
      run: () => navigate(hashOf(['users', id])),
      content: (
        <>
          <IconUser size={16} stroke={1.5} aria-hidden />
          <span className={classes.label}>
            {showHidden(name)} <span className={classes.quiet}>{showHidden(contact)}</span>
          </span>
          <StateDot state={state} />
        </>
      ),
    })),
    ...commands.map(({ id, group, label, keys, icon: Icon, run }) => ({
      id,
      group,
      run,
      content: (
        <>
          {Icon && <Icon size={16} stroke={1.5} aria-hidden />}
          <span className={classes.label}>{label}</span>
          {keys !== undefined && <KeyHint keys={keys} />}
        </>
      ),
    })),
  ];
  return GROUPS.flatMap((group) => all.filter((item) => item.group === group));
}
