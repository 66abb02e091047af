// The filters of the log: actor, action, record, time. Each takes effect at once and is part of the address.
import { NativeSelect, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { AUDIT_ACTOR_KINDS } from '../../../../contract/access/audit.ts';
import { FilterPopover } from '../../components/filters.tsx';
import { useOperation, useWholeList } from '../../data/use-operation.ts';
import { fromDateField, toDateField } from '../../format/date-field.ts';
import { useFormat } from '../../format/use-format.tsx';
import { setQuery } from '../../router/router.ts';
import { ACTION_GROUPS } from './actions.ts';
import type { Filter, FilterName } from './filter.ts';
import { parseTarget } from './target.ts';
import type { EntryTexts } from './use-entry-texts.ts';

interface FilterMenuProps {
  readonly filter: Filter;
  readonly texts: EntryTexts;
}

export function FilterMenu(props: FilterMenuProps) {
  const { t } = useTranslation('audit');
  return <FilterPopover label={t('filter.add')}>{() => <Conditions {...props} />}</FilterPopover>;
}

function Conditions({ filter, texts }: FilterMenuProps) {
  const { t } = useTranslation('audit');
  const { timeZone } = useFormat();
  const keys = useOperation('listKeys', {});
  const any = { value: '', label: t('filter.any') };
  const set = (name: string, value: string | null) => setQuery({ [name]: value }, { push: true });
  const moment = (name: 'since' | 'until') => (
    <TextInput
      type="datetime-local"
      label={t(`filter.${name}`)}
      defaultValue={filter[name] === undefined ? '' : toDateField(Date.parse(filter[name]), timeZone)}
      onChange={(event) => set(name, fromDateField(event.currentTarget.value, timeZone))}
    />
  );
  return (
    <>
      <NativeSelect
        label={t('columns.who')}
        value={filter.key_id === undefined ? (filter.actor ?? '') : `key:${filter.key_id}`}
        onChange={(event) => set('actor', event.currentTarget.value)}
        data={[
          any,
          ...AUDIT_ACTOR_KINDS.map((kind) => ({
            value: kind,
            label: t(kind === 'key' ? 'filter.anyKey' : `actor.${kind}`),
          })),
          ...(keys.data?.items ?? []).map(({ id, name }) => ({
            value: `key:${id}`,
            label: t('filter.key', { name }),
          })),
        ]}
      />
      <NativeSelect
        label={t('columns.what')}
        value={filter.action ?? ''}
        onChange={(event) => set('action', event.currentTarget.value)}
        data={[
          any,
          ...Object.entries(ACTION_GROUPS).map(([group, ids]) => ({
            group: t(`group.${group as keyof typeof ACTION_GROUPS}`),
            items: ids.map((id) => ({ value: id, label: texts.formatAction(id) })),
          })),
        ]}
      />
      <TargetSelect value={filter.target ?? null} onChange={(target) => set('target', target)} />
      {moment('since')}
      {moment('until')}
    </>
  );
}

const MAX_USERS = 8;

/** Selects a record by its name: users are searched for, other records are few and all listed. */
function TargetSelect(props: { readonly value: string | null; readonly onChange: (target: string | null) => void }) {
  const { t } = useTranslation(['audit', 'frame']);
  const [text, setText] = useState('');
  const users = useOperation(
    'listUsers',
    { q: text.trim(), limit: MAX_USERS },
    { enabled: text.trim() !== '', keepPrevious: true },
  );
  const plans = useWholeList('listTariffs', {});
  const connections = useWholeList('listInbounds', {});
  const nodes = useWholeList('listNodes', {});
  const group = (
    name: string,
    kind: string,
    items: readonly { readonly id: number; readonly name: string }[] = [],
  ) => ({
    group: name,
    items: items.map(({ id, name: label }) => ({ value: `${kind}:${id}`, label })),
  });
  const groups = [
    group(t('frame:nav.users'), 'user', text.trim() === '' ? [] : users.data?.items),
    group(t('frame:nav.plans'), 'tariff', plans.data?.items),
    group(t('frame:nav.connections'), 'inbound', connections.data?.items),
    group(t('frame:nav.nodes'), 'node', nodes.data?.items),
  ].filter(({ items }) => items.length > 0);
  const isHere = groups.some(({ items }) => items.some(({ value }) => value === props.value));
  const present = props.value !== null && !isHere ? [{ value: props.value, label: props.value }] : [];
  return (
    <Select
      {...props}
      label={t('audit:columns.whom')}
      placeholder={t('audit:filter.targetHint')}
      data={[...present, ...groups]}
      searchable
      clearable
      onSearchChange={setText}
      nothingFoundMessage={t('audit:filter.noTarget')}
      limit={60}
      comboboxProps={{ withinPortal: false, shadow: 'none' }}
    />
  );
}

// Texts of the filters' chips: "Who: billing bot".

export function useFilterLabels(filter: Filter, texts: EntryTexts): (name: FilterName) => string {
  const { t } = useTranslation('audit');
  const format = useFormat();
  const keys = useOperation('listKeys', {}, { enabled: filter.key_id !== undefined });
  const target = filter.target === undefined ? null : parseTarget(filter.target);
  const userId = target?.kind === 'user' && /^[1-9]\d{0,15}$/.test(target.id) ? Number(target.id) : null;
  const user = useOperation('getUser', { id: userId ?? 1 }, { enabled: userId !== null });

  function valueText(name: FilterName): string {
    switch (name) {
      case 'action':
        return texts.formatAction(filter.action ?? '');
      case 'actor':
        return filter.key_id === undefined
          ? t(filter.actor === 'key' ? 'filter.anyKey' : `actor.${filter.actor ?? 'unknown'}`)
          : (keys.data?.items.find(({ id }) => id === filter.key_id)?.name ?? String(filter.key_id));
      case 'target': {
        const known = texts.findName({ target: filter.target ?? null, detail: {}, action: '' });
        const name = known ?? (userId === null ? null : (user.data?.name ?? null));
        return name ?? (target === null ? (filter.target ?? '') : texts.describeTarget(target));
      }
      case 'since':
      case 'until':
        return format.moment(filter[name] ?? 0, 'dateTime');
    }
  }
  return (name) => t(`filter.chip.${name}`, { value: valueText(name) });
}
