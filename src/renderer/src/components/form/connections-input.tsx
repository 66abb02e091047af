// The allowed connections: all, including future ones, or selected ones, grouped by node.
import { Checkbox, Input, Radio } from '@mantine/core';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Inbound } from '../../../../contract/inbounds.ts';
import { useWholeList } from '../../data/use-operation.ts';
import { ErrorState } from '../placeholder.tsx';
import classes from './connections-input.module.css';

interface ConnectionsInputProps {
  readonly label: string;
  readonly description?: string;
  readonly error?: React.ReactNode;
  /** null: all. */
  readonly value: readonly number[] | null;
  readonly onChange: (value: number[] | null) => void;
  /** Without the choice "all". */
  readonly onlyChosen?: boolean;
  /** Leaves out the connections of this node. */
  readonly exceptNode?: number;
  readonly 'data-path'?: string;
}

export function ConnectionsInput({
  label,
  description,
  error,
  value,
  onChange,
  onlyChosen = false,
  exceptNode,
  ...props
}: ConnectionsInputProps) {
  const { t } = useTranslation('frame');
  const connections = useWholeList('listInbounds', {});
  const nodes = useWholeList('listNodes', {});
  const groups = useMemo(() => {
    const names = new Map(nodes.data?.items.map(({ id, name }) => [id, name]));
    const offered = connections.data?.items.filter(({ node_id }) => node_id !== exceptNode) ?? [];
    const byNode = Map.groupBy<number, Inbound>(offered, ({ node_id }) => node_id);
    return [...byNode].map(([id, items]) => ({ id, name: names.get(id) ?? '', items }));
  }, [connections.data, nodes.data, exceptNode]);
  const toggle = (id: number, isOn: boolean) =>
    onChange(isOn ? [...(value ?? []), id].sort((a, b) => a - b) : (value ?? []).filter((other) => other !== id));
  return (
    <div>
      {onlyChosen ? (
        <Input.Wrapper {...props} label={label} description={description} error={error} labelElement="div" />
      ) : (
        <Radio.Group
          {...props}
          label={label}
          description={description}
          error={error}
          value={value === null ? 'all' : 'chosen'}
          onChange={(which) => onChange(which === 'all' ? null : (connections.data?.items.map(({ id }) => id) ?? []))}
        >
          <div className={classes.choice}>
            <Radio value="all" label={t('connections.all')} />
            <Radio value="chosen" label={t('connections.chosen')} />
          </div>
        </Radio.Group>
      )}
      {value !== null && (
        <div className={classes.groups} {...(onlyChosen && { role: 'group', 'aria-label': label })}>
          {connections.error !== null && connections.data === undefined && (
            <ErrorState size="small" failure={connections.error} onRetry={() => void connections.refetch()} />
          )}
          {groups.map(({ id, name, items }) => (
            <fieldset key={id} className={classes.group}>
              <legend className={classes.node}>{name}</legend>
              {items.map((item) => (
                <Checkbox
                  key={item.id}
                  label={item.enabled ? item.name : t('connections.disabled', { name: item.name })}
                  checked={value.includes(item.id)}
                  onChange={(event) => toggle(item.id, event.currentTarget.checked)}
                />
              ))}
            </fieldset>
          ))}
          {value.length === 0 && !onlyChosen && <p className={classes.none}>{t('connections.none')}</p>}
        </div>
      )}
    </div>
  );
}
