// The command palette: searches users, records and commands. Loaded when it is first opened.
import { Modal } from '@mantine/core';
import {
  IconBookmark,
  IconKey,
  IconPlugConnected,
  IconSearch,
  IconServer2,
  IconStack2,
  IconUser,
  type TablerIcon,
} from '@tabler/icons-react';
import { type KeyboardEvent, useDeferredValue, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { MAX_PASTED } from '../../../contract/users/diagnosis.ts';
import { type Command, matchCommands, useAllCommands } from '../components/acts/commands.ts';
import { KeyHint } from '../components/acts/key-hint.tsx';
import { StateDot } from '../components/state.tsx';
import { useOperation, useWholeList } from '../data/use-operation.ts';
import { showHidden } from '../format/show-hidden.ts';
import { buildHash } from '../router/route.ts';
import { navigate } from '../router/router.ts';
import { closeOverlay } from './overlays.ts';
import classes from './palette.module.css';
import { useIdentified } from './use-identified.tsx';

interface Item {
  readonly id: string;
  readonly group: (typeof GROUPS)[number];
  readonly content: React.ReactNode;
  run(): void;
}

const GROUPS = ['users', 'acts', 'records', 'goTo', 'appearance'] as const;
const MAX_USERS = 6;
/** A longer text was pasted and is not a name. */
const MAX_SEARCHED = 100;

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
          maxLength={MAX_PASTED}
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
            // biome-ignore lint/a11y/useSemanticElements: HTML has no element for a group of options in a listbox.
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

/** Users and records are listed only for a typed text. */
function useItems(text: string): readonly Item[] {
  const commands = matchCommands([...useAllCommands(), ...useRecords(text)], text);
  const { data } = useOperation(
    'listUsers',
    { q: text.slice(0, MAX_SEARCHED), limit: MAX_USERS },
    { enabled: text !== '' && text.length <= MAX_SEARCHED, keepPrevious: true },
  );
  const identified = useIdentified(text);
  const users = text === '' || text.length > MAX_SEARCHED ? [] : (data?.items ?? []);
  const all: Item[] = [
    ...users.map(({ id, name, contact, state }) => ({
      id: `user ${id}`,
      group: 'users' as const,
      run: () => navigate(buildHash(['users', id])),
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
    ...identified.map(({ id, icon: Icon, label, hint, run }) => ({
      id,
      group: 'users' as const,
      run,
      content: (
        <>
          <Icon size={16} stroke={1.5} aria-hidden />
          <span className={classes.label}>
            {label} <span className={classes.quiet}>{hint}</span>
          </span>
        </>
      ),
    })),
    ...commands.map(({ id, group, label, hint, keys, icon: Icon, run }) => ({
      id,
      group,
      run,
      content: (
        <>
          {Icon && <Icon size={16} stroke={1.5} aria-hidden />}
          <span className={classes.label}>
            {label} {hint !== undefined && <span className={classes.quiet}>{hint}</span>}
          </span>
          {keys !== undefined && <KeyHint keys={keys} />}
        </>
      ),
    })),
  ];
  return GROUPS.flatMap((group) => all.filter((item) => item.group === group));
}

/** Nodes, plans, connections and API keys, as commands that open them. */
function useRecords(text: string): readonly Command[] {
  const { t } = useTranslation('frame');
  const isAsked = { enabled: text !== '' };
  const nodes = useWholeList('listNodes', {}, isAsked);
  const plans = useWholeList('listTariffs', {}, isAsked);
  const connections = useWholeList('listInbounds', {}, isAsked);
  const keys = useOperation('listKeys', {}, isAsked);
  const views = useOperation('listUserViews', {}, isAsked);
  if (text === '') return [];
  const nodeNames = new Map(nodes.data?.items.map(({ id, name }) => [id, name]));
  const open = (id: string, name: string, hint: string, icon: TablerIcon, keywords: string, path: Path): Command => {
    const run = () => navigate(buildHash(path));
    return { id, group: 'records', label: showHidden(name), hint: showHidden(hint), icon, keywords, run };
  };
  return [
    ...(views.data?.items ?? []).map(({ id, name }): Command => {
      const run = () => navigate(buildHash(['users'], { open: id }));
      const hint = t('palette.view');
      return {
        id: `view ${id}`,
        group: 'records',
        label: showHidden(name),
        hint,
        icon: IconBookmark,
        keywords: hint,
        run,
      };
    }),
    ...(nodes.data?.items ?? []).map(({ id, name, address }) =>
      open(`node ${id}`, name, t('palette.node'), IconServer2, `${t('palette.node')} ${address}`, ['nodes', id]),
    ),
    ...(plans.data?.items ?? []).map(({ id, name }) =>
      open(`plan ${id}`, name, t('palette.plan'), IconStack2, t('palette.plan'), ['plans', id]),
    ),
    ...(connections.data?.items ?? []).map(({ id, name, protocol, network, security, port, tag, node_id }) => {
      const node = nodeNames.get(node_id) ?? '';
      const keywords = [t('palette.connection'), protocol, network, security, port, tag, node].join(' ');
      return open(`connection ${id}`, name, `${protocol} · ${node}`, IconPlugConnected, keywords, ['connections', id]);
    }),
    ...(keys.data?.items ?? []).map(({ id, name, prefix }) =>
      open(`key ${id}`, name, t('palette.key'), IconKey, `${t('palette.key')} ${prefix}`, KEYS_PATH),
    ),
  ];
}

type Path = readonly (string | number)[];

const KEYS_PATH: Path = ['settings', 'security', 'api'];
