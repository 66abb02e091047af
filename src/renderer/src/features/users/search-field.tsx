// The search of the list: it searches while typing, and the address stores the text.
import { ActionIcon, TextInput } from '@mantine/core';
import { IconSearch, IconX } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { KeyHint } from '../../components/acts/key-hint.tsx';
import { useShortcuts } from '../../components/acts/keys.ts';
import { setQuery, useRoute } from '../../router/router.ts';
import classes from './users.module.css';

/** Quick key presses share one request; the answer still comes within 100 ms of the last key. */
const PAUSE_MS = 40;
const MAX_LENGTH = 100;

export function SearchField() {
  const { t } = useTranslation(['users', 'common', 'frame']);
  const queryText = useRoute().query.get('q') ?? '';
  const [text, setText] = useState(queryText);
  const sent = useRef(queryText);
  const input = useRef<HTMLInputElement>(null);

  useEffect(() => {
    // Changed elsewhere: a filter was removed, or Back was pressed.
    if (queryText === sent.current) return;
    sent.current = queryText;
    setText(queryText);
  }, [queryText]);
  useEffect(() => {
    if (text === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = text;
      setQuery({ q: text });
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  useShortcuts([{ keys: '/', label: t('frame:keys.search'), group: 'list', run: () => input.current?.select() }]);

  const leave = () => {
    input.current?.blur();
    document.querySelector<HTMLElement>('tr[data-index="0"]')?.focus();
  };
  return (
    <TextInput
      ref={input}
      className={classes.search ?? ''}
      type="search"
      aria-label={t('users:search')}
      placeholder={t('users:searchPlaceholder')}
      autoComplete="off"
      spellCheck={false}
      maxLength={MAX_LENGTH}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && text !== '') setText('');
        else if (event.key === 'Escape' || event.key === 'ArrowDown' || event.key === 'Enter') leave();
        else return;
        event.preventDefault();
      }}
      leftSection={<IconSearch size={16} stroke={1.5} aria-hidden />}
      rightSection={
        text === '' ? (
          <span className={classes.searchKey} aria-hidden>
            <KeyHint keys="/" />
          </span>
        ) : (
          <ActionIcon
            variant="subtle"
            color="gray"
            size={24}
            aria-label={t('common:clear')}
            onClick={() => {
              setText('');
              input.current?.focus();
            }}
          >
            <IconX size={14} stroke={1.75} />
          </ActionIcon>
        )
      }
    />
  );
}
