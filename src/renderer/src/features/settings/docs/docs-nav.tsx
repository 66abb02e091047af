// Navigation of the API documentation: chapters, and methods by group, with search and arrow keys. On narrow screens it opens above the page.
import { Button, TextInput } from '@mantine/core';
import { IconList, IconSearch } from '@tabler/icons-react';
import { type KeyboardEvent, useDeferredValue, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { KeyHint } from '../../../components/acts/key-hint.tsx';
import { useShortcuts } from '../../../components/acts/keys.ts';
import { EmptyState } from '../../../components/placeholder.tsx';
import { buildHash } from '../../../router/route.ts';
import { navigate } from '../../../router/router.ts';
import classes from './docs.module.css';
import { DOCS, findGroups, findNeighbours } from './methods.ts';
import { MethodName } from './operation-view.tsx';
import type { Chapter } from './reference.ts';

interface DocsNavProps {
  readonly chapters: readonly Chapter[];
  /** Id of the open method or chapter; undefined: the introduction. */
  readonly current: string | undefined;
}

export function DocsNav({ chapters, current }: DocsNavProps) {
  const { t } = useTranslation('settings');
  const [search, setSearch] = useState('');
  const [isOpen, setOpen] = useState(false);
  const text = useDeferredValue(search).trim();
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const groups = findGroups(text);
  const listGuides = (part: string) =>
    chapters.filter(({ id, title }) => id !== '' && title.toLowerCase().includes(part.toLowerCase()));
  const guides = listGuides(text);
  useKeys(current, () => {
    setOpen(true);
    input.current?.select();
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when another entry is opened.
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
    setOpen(false);
  }, [current]);
  const links = () => [...(list.current?.querySelectorAll('a') ?? [])];
  const walk = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && search !== '') {
      event.preventDefault();
      setSearch('');
      input.current?.focus();
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const all: readonly (Element | null)[] = links();
    const index = all.indexOf(document.activeElement) + step;
    if (index < 0) input.current?.focus();
    else links()[index]?.focus();
  };
  const link = (id: string, label: string, method?: string) => (
    <li key={id}>
      <a
        lang={id === '' ? undefined : 'en'}
        href={buildHash([...DOCS, ...(id === '' ? [] : [id])])}
        aria-current={id === (current ?? '') ? 'page' : undefined}
      >
        <span>{label}</span>
        {method !== undefined && <MethodName method={method} />}
      </a>
    </li>
  );
  return (
    <nav className={classes.nav} aria-label={t('api.docs.nav')} onKeyDown={walk}>
      <div className={classes.find}>
        <TextInput
          ref={input}
          type="search"
          aria-label={t('api.docs.filter')}
          placeholder={t('api.docs.filter')}
          leftSection={<IconSearch size={16} stroke={1.5} />}
          rightSection={search === '' ? <KeyHint keys="/" /> : undefined}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            // Search for the field's present text: the list may not be updated yet.
            const typed = event.currentTarget.value.trim();
            const first = listGuides(typed)[0]?.id ?? findGroups(typed)[0]?.operations[0]?.id;
            if (typed === '' || first === undefined) return;
            navigate(buildHash([...DOCS, first]));
            // Leave the field, so that the shortcuts of the method's page work.
            event.currentTarget.blur();
          }}
        />
        <Button
          className={classes.all}
          variant="default"
          leftSection={<IconList size={16} stroke={1.5} />}
          aria-expanded={isOpen || text !== ''}
          onClick={() => setOpen(!isOpen)}
        >
          {t('api.docs.methods')}
        </Button>
      </div>
      <div ref={list} className={classes.list} data-open={isOpen || text !== '' || undefined}>
        {(text === '' || guides.length > 0) && (
          <>
            <h2>{t('api.docs.guide')}</h2>
            <ul>
              {text === '' && link('', t('api.docs.introduction'))}
              {guides.map(({ id, title }) => link(id, title))}
            </ul>
          </>
        )}
        {groups.map(({ tag, operations }) => (
          <div key={tag}>
            <h2 lang="en">{tag}</h2>
            <ul>{operations.map(({ id, summary, method }) => link(id, summary, method))}</ul>
          </div>
        ))}
        {groups.length === 0 && guides.length === 0 && (
          <EmptyState size="small" title={t('api.docs.nothing', { text })} />
        )}
      </div>
    </nav>
  );
}

function useKeys(current: string | undefined, search: () => void): void {
  const { t } = useTranslation('settings');
  const { previous, next } = findNeighbours(current ?? '');
  const first = findGroups()[0]?.operations[0];
  const to = (id: string | undefined) => () => {
    if (id !== undefined) navigate(buildHash([...DOCS, id]));
  };
  useShortcuts([
    { keys: '/', label: t('api.docs.filter'), group: 'list', run: search },
    { keys: 'j', label: t('api.docs.next'), group: 'list', run: to((current === undefined ? first : next)?.id) },
    { keys: 'k', label: t('api.docs.previous'), group: 'list', run: to(previous?.id) },
  ]);
}
