// Selects the nodes of a connection, which is one definition for all of them.
import { Checkbox } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Inbound } from '../../../../contract/inbounds.ts';
import { ActQuestion } from '../../components/acts/act-menu.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { useAct } from '../../data/use-act.ts';
import { useWholeList } from '../../data/use-operation.ts';
import classes from './connections.module.css';
import { listSiblings } from './group.ts';

interface ConnectionNodesProps {
  readonly inbound: Inbound;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** The connection was removed from its node. */
  readonly onGone: () => void;
  readonly onChanged: () => void;
}

export function ConnectionNodes({ inbound, isOpen, onClose, onGone, onChanged }: ConnectionNodesProps) {
  const { t } = useTranslation('connections');
  const { id, name, node_id: nodeId } = inbound;
  const nodes = useWholeList('listNodes', {}, { enabled: isOpen });
  const all = useWholeList('listInbounds', {}, { enabled: isOpen });
  const present = [nodeId, ...listSiblings(inbound, all.data?.items ?? []).map((other) => other.node_id)].map(String);
  const [chosen, setChosen] = useState<string[] | null>(null);
  const place = useAct('placeInbound', {
    message: ({ items }) => ({ text: t('group.saved', { name, count: items.length }) }),
    onDone: ({ items }) => (items.some((item) => item.id === id) ? onChanged() : onGone()),
  });
  const close = () => {
    setChosen(null);
    onClose();
  };
  const value = chosen ?? present;
  const leaves = present.filter((one) => !value.includes(one)).length;
  return (
    <ActQuestion
      act="connections.place"
      isOpen={isOpen}
      onClose={close}
      title={t('group.choose', { name })}
      name={name}
      id={id}
      onConfirm={() => place.run({ id, node_ids: value.map(Number) })}
    >
      <p>{t('group.hint')}</p>
      {nodes.data === undefined || all.data === undefined ? (
        <Skeleton height={96} />
      ) : (
        <Checkbox.Group
          label={t('group.nodes')}
          value={value}
          onChange={setChosen}
          error={value.length === 0 ? t('group.none') : undefined}
        >
          <div className={classes.nodes}>
            {nodes.data.items.map((node) => (
              <Checkbox key={node.id} value={String(node.id)} label={node.name} />
            ))}
          </div>
        </Checkbox.Group>
      )}
      {leaves > 0 && <p>{t('group.leaves', { count: leaves })}</p>}
    </ActQuestion>
  );
}
