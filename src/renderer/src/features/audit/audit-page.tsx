// The audit log: who did what, to which record, from which address.
import { TextInput } from '@mantine/core';
import { IconHistory, IconSearch } from '@tabler/icons-react';
import { useCallback, useDeferredValue, useEffect, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { AuditEntry } from '../../../../contract/access/audit.ts';
import { useShortcuts } from '../../components/acts/keys.ts';
import { useFailureText } from '../../components/failure.ts';
import { FilterChips } from '../../components/filters.tsx';
import { Page, PageHeader } from '../../components/page.tsx';
import { EmptyState } from '../../components/placeholder.tsx';
import { ColumnMenu } from '../../components/table/column-menu.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import { parseRecordSegment } from '../../components/use-opening.ts';
import { useFormat } from '../../format/use-format.tsx';
import { buildHash } from '../../router/route.ts';
import { leave, setQuery, useRoute } from '../../router/router.ts';
import classes from './audit.module.css';
import { useAuditColumns } from './audit-columns.tsx';
import { EntryDrawer } from './entry-drawer.tsx';
import { ExportButton } from './export-button.tsx';
import { type FilterName, listFilterNames, matches, parseFilter } from './filter.ts';
import { FilterMenu, useFilterLabels } from './filter-menu.tsx';
import { type Entries, useEntries } from './use-entries.ts';
import { useEntryTexts } from './use-entry-texts.ts';

/** Entries that a search reads without being asked to continue. */
const SEARCHED = 5000;
const SEARCH_PAGE = 500;
/** This many matches fill the window, so that reading stops. */
const ENOUGH = 60;
const AHEAD = 20;

export function AuditPage() {
  const { t } = useTranslation('audit');
  const { path, query } = useRoute();
  const filter = parseFilter(query);
  const text = useDeferredValue((query.get('q') ?? '').trim());
  const texts = useEntryTexts();
  const formatFilter = useFilterLabels(filter, texts);
  const entries = useEntries(filter);
  const { items, hasMore, readMore, reading } = entries;
  const input = useRef<HTMLInputElement>(null);
  useShortcuts([{ keys: '/', label: t('search'), group: 'list', run: () => input.current?.select() }]);

  const found = useMemo(
    () =>
      text === ''
        ? items
        : items.filter((entry) =>
            matches(
              entry,
              text,
              `${texts.formatAction(entry.action)}\n${texts.findName(entry) ?? ''}\n${texts.formatActor(entry.actor)}`,
            ),
          ),
    [items, text, texts],
  );
  const wantsMore = text !== '' && hasMore && found.length < ENOUGH && items.length < SEARCHED;
  useEffect(() => {
    if (wantsMore) readMore(SEARCH_PAGE);
  }, [wantsMore, readMore]);

  const count = found.length + (hasMore && text === '' ? 1 : 0);
  const rows = useMemo(() => ({ count, at: (index: number) => found[index] }), [count, found]);
  const onWindow = useCallback(
    (_start: number, end: number) => {
      if (end >= found.length - AHEAD && text === '') readMore();
    },
    [found.length, text, readMore],
  );

  const search = query.toString();
  const buildHref = useCallback(
    ({ id }: AuditEntry) => buildHash(['audit', id], new URLSearchParams(search)),
    [search],
  );
  const columns = useAuditColumns(texts, buildHref);
  const names = listFilterNames(filter);
  const drop = (dropped: readonly FilterName[]) =>
    setQuery(Object.fromEntries(dropped.map((name) => [name, null])), { push: true });
  const open = parseRecordSegment(path[1]);
  return (
    <Page fill>
      <PageHeader
        title={t('title')}
        actions={
          <>
            <ExportButton filter={filter} text={text} texts={texts} />
            <ColumnMenu remember="audit" columns={columns} />
          </>
        }
      />
      <div className={classes.tools}>
        <TextInput
          ref={input}
          className={classes.search ?? ''}
          type="search"
          aria-label={t('search')}
          placeholder={t('searchPlaceholder')}
          autoComplete="off"
          spellCheck={false}
          maxLength={100}
          leftSection={<IconSearch size={16} stroke={1.5} aria-hidden />}
          defaultValue={query.get('q') ?? ''}
          onChange={(event) => setQuery({ q: event.currentTarget.value })}
        />
        <FilterChips
          chips={names.map((name) => ({ id: name, label: formatFilter(name), onRemove: () => drop([name]) }))}
          onClear={() => drop(names)}
        >
          <FilterMenu filter={filter} texts={texts} />
        </FilterChips>
      </div>
      {(text !== '' || entries.failure !== null) && (
        <SearchFoot
          entries={entries}
          found={text === '' ? null : found.length}
          isSearching={wantsMore}
          onMore={() => readMore(text === '' ? undefined : SEARCH_PAGE)}
        />
      )}
      <DataTable
        label={t('title')}
        columns={columns}
        rows={rows}
        reading={wantsMore && found.length === 0 ? { ...reading, isPending: true } : reading}
        rowId={({ id }) => id}
        rowName={({ action }) => texts.formatAction(action)}
        buildHref={buildHref}
        openId={typeof open === 'number' ? open : null}
        openIndex={found.findIndex(({ id }) => id === open)}
        onWindow={onWindow}
        listKey={`${JSON.stringify(filter)} ${text}`}
        remember="audit"
        empty={<EmptyState icon={<IconHistory size={20} stroke={1.5} />} title={t('empty')} text={t('emptyHint')} />}
        onClearFilters={names.length > 0 || text !== '' ? () => clearAll(input.current, drop, names) : undefined}
      />
      <EntryDrawer
        id={typeof open === 'number' ? open : null}
        items={items}
        texts={texts}
        onClose={() => leave(buildHash(['audit'], query))}
      />
    </Page>
  );
}

function clearAll(
  input: HTMLInputElement | null,
  drop: (names: readonly FilterName[]) => void,
  names: readonly FilterName[],
): void {
  if (input) input.value = '';
  setQuery({ q: null });
  drop(names);
}

// The progress of a search: it reads the log from its newest entry on, and asks before it reads further.

interface SearchFootProps {
  readonly entries: Entries;
  /** null: no search. */
  readonly found: number | null;
  readonly isSearching: boolean;
  readonly onMore: () => void;
}

export function SearchFoot({ entries, found, isSearching, onMore }: SearchFootProps) {
  const { t } = useTranslation(['audit', 'common']);
  const format = useFormat();
  const describeFailure = useFailureText();
  const { items, hasMore, failure } = entries;
  return (
    <div className={classes.foot} role="status">
      {found !== null && (
        <span>
          {t(hasMore ? 'audit:foundIn' : 'audit:foundInAll', {
            count: found,
            amount: format.number(found),
            searched: format.number(items.length),
          })}
        </span>
      )}
      {failure !== null && <span className={classes.bad}>{describeFailure(failure).text}</span>}
      {(failure !== null || (hasMore && !isSearching && found !== null)) && (
        <button type="button" className={classes.footAct} onClick={onMore}>
          {failure === null ? t('audit:searchOn') : t('common:retry')}
        </button>
      )}
    </div>
  );
}
