// Adds filters: states, plan, node, traffic, tag, online, expiring. Each takes effect at once and is part of the address.
import { Autocomplete, Button, Checkbox, NativeSelect, SegmentedControl } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { USER_STATES } from '../../../../contract/users/users.ts';
import chips from '../../components/filters.module.css';
import { FilterPopover } from '../../components/filters.tsx';
import { useWholeList } from '../../data/use-operation.ts';
import { useFormat } from '../../format/use-format.tsx';
import { useNow } from '../../format/use-now.ts';
import { setQuery } from '../../router/router.ts';
import { buildExpiryFilter, type Filter, type FilterName, findExpiryRange, listStates, RANGE_DAYS } from './filter.ts';
import type { Plans } from './use-plans.ts';
import { knownTags } from './user-reads.ts';
import classes from './users.module.css';

interface FilterMenuProps {
  readonly filter: Filter;
  readonly plans: Plans;
}

export function FilterMenu(props: FilterMenuProps) {
  const { t } = useTranslation('users');
  return <FilterPopover label={t('filter.add')}>{(close) => <Conditions {...props} onDone={close} />}</FilterPopover>;
}

function Conditions({ filter, plans, onDone }: FilterMenuProps & { readonly onDone: () => void }) {
  const { t } = useTranslation(['users', 'common']);
  const now = useNow();
  const nodes = useWholeList('listNodes', {}).data?.items ?? [];
  const queries = useQueryClient();
  const [tag, setTag] = useState(filter.tag ?? '');
  const [known] = useState(() => knownTags(queries));
  const ranges = RANGE_DAYS.map((days) => ({
    value: String(days),
    label: t('users:filter.withinDays', { count: days }),
  }));
  const range = findExpiryRange(filter, now);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (tag.trim() !== (filter.tag ?? '')) setQuery({ tag: tag.trim() }, { push: true });
    onDone();
  };
  return (
    <form className={chips.conditions} onSubmit={submit}>
      <Checkbox.Group
        label={t('users:filter.states')}
        value={listStates(filter)}
        onChange={(states) => setQuery({ state: states.join() }, { push: true })}
      >
        <div className={classes.states}>
          {USER_STATES.map((state) => (
            <Checkbox key={state} size="xs" value={state} label={t(`common:state.${state}`)} />
          ))}
        </div>
      </Checkbox.Group>
      <NativeSelect
        label={t('users:filter.plan')}
        value={String(filter.tariff_id ?? '')}
        onChange={(event) => setQuery({ tariff_id: event.currentTarget.value }, { push: true })}
        data={[
          { value: '', label: t('users:filter.any') },
          ...plans.all.map(({ id, name }) => ({ value: String(id), label: name })),
        ]}
      />
      <NativeSelect
        label={t('users:filter.expires')}
        value={range}
        onChange={(event) => setQuery(buildExpiryFilter(event.currentTarget.value, now), { push: true })}
        data={[
          { value: '', label: t('users:filter.any') },
          ...ranges,
          { value: 'over', label: t('users:filter.overdue') },
          ...(range === 'own' ? [{ value: 'own', label: '…', disabled: true }] : []),
        ]}
      />
      <div>
        <span className={classes.fieldLabel} aria-hidden>
          {t('users:filter.online')}
        </span>
        <SegmentedControl
          fullWidth
          aria-label={t('users:filter.online')}
          value={filter.online === undefined ? '' : String(filter.online)}
          onChange={(online) => setQuery({ online: online === '' ? null : online }, { push: true })}
          data={[
            { value: '', label: t('users:filter.any') },
            { value: 'true', label: t('users:filter.online') },
            { value: 'false', label: t('users:filter.offline') },
          ]}
        />
      </div>
      <Checkbox
        size="xs"
        label={t('users:filter.never')}
        checked={filter.connected === false}
        onChange={(event) => setQuery({ connected: event.currentTarget.checked ? false : null }, { push: true })}
      />
      <Checkbox
        size="xs"
        label={t('users:filter.low')}
        checked={filter.traffic_low === true}
        onChange={(event) => setQuery({ traffic_low: event.currentTarget.checked ? true : null }, { push: true })}
      />
      {nodes.length > 0 && (
        <NativeSelect
          label={t('users:filter.node')}
          value={String(filter.node_id ?? '')}
          onChange={(event) => setQuery({ node_id: event.currentTarget.value }, { push: true })}
          data={[
            { value: '', label: t('users:filter.any') },
            ...nodes.map(({ id, name }) => ({ value: String(id), label: name })),
          ]}
        />
      )}
      <Autocomplete
        label={t('users:filter.tag')}
        description={t('users:filter.tagHint')}
        value={tag}
        onChange={setTag}
        onOptionSubmit={(value) => setQuery({ tag: value }, { push: true })}
        data={known}
        limit={8}
        maxLength={32}
        comboboxProps={{ withinPortal: false, shadow: 'none' }}
      />
      <Button type="submit" variant="default">
        {t('users:filter.apply')}
      </Button>
    </form>
  );
}

// The text of each filter, for its chip and for a list that it has made empty.

export function useFilterLabels(filter: Filter, plans: Plans): (name: FilterName) => string {
  const { t } = useTranslation(['users', 'common']);
  const format = useFormat();
  const nodes = useWholeList('listNodes', {}, { enabled: filter.node_id !== undefined }).data?.items ?? [];
  return (name) => {
    switch (name) {
      case 'state':
        return t('users:filter.chip.state', {
          value: listStates(filter)
            .map((state) => t(`common:state.${state}`))
            .join(', '),
        });
      case 'tariff_id':
        return t('users:filter.chip.tariff_id', { value: plans.getPlanName(filter.tariff_id ?? null) });
      case 'online':
        return filter.online ? t('users:filter.chip.online') : t('users:filter.chip.offline');
      case 'connected':
        return filter.connected ? t('users:filter.chip.connected') : t('users:filter.never');
      case 'traffic_low':
        return filter.traffic_low ? t('users:filter.low') : t('users:filter.chip.notLow');
      case 'node_id':
        return t('users:filter.chip.node_id', {
          value: nodes.find(({ id }) => id === filter.node_id)?.name ?? filter.node_id ?? '',
        });
      case 'expires': {
        const from = filter.expires_after === undefined ? '' : format.moment(filter.expires_after);
        const to = filter.expires_before === undefined ? '' : format.moment(filter.expires_before);
        if (from === '') return t('users:filter.chip.expiresBefore', { to });
        return to === '' ? t('users:filter.chip.expiresAfter', { from }) : t('users:filter.chip.expires', { from, to });
      }
      default:
        return t(`users:filter.chip.${name}`, { value: filter[name] ?? '' });
    }
  };
}
