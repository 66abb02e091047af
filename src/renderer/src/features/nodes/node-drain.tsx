// The question before draining a node: what to do with users who are limited to its connections.
import { Radio } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Node } from '../../../../contract/nodes/nodes.ts';
import { ActQuestion } from '../../components/acts/act-menu.tsx';
import { ConnectionsInput } from '../../components/form/connections-input.tsx';
import { useAct } from '../../data/use-act.ts';
import { useWholeList } from '../../data/use-operation.ts';
import classes from './nodes.module.css';

interface NodeDrainProps {
  readonly node: Node;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onDrain: () => Promise<unknown>;
}

type Choice = 'leave' | 'move';

export function NodeDrain({ node, isOpen, onClose, onDrain }: NodeDrainProps) {
  const { t } = useTranslation('nodes');
  const { id, name } = node;
  const [choice, setChoice] = useState<Choice>('leave');
  const [to, setTo] = useState<number[]>([]);
  const { data } = useWholeList('listInbounds', { node_id: id }, { enabled: isOpen });
  const undo = useAct('undoActs');
  const move = useAct('bulkUsers', {
    message: ({ affected, audit_id: auditId }) => ({
      text: t('drain.moved', { count: affected, name }),
      ...(auditId !== undefined && affected > 0 && { undo: () => undo.run({ entries: [auditId] }) }),
    }),
  });
  const close = () => {
    setChoice('leave');
    setTo([]);
    onClose();
  };
  const from = data?.items.map((connection) => connection.id) ?? [];
  return (
    <ActQuestion
      act="nodes.drain"
      isOpen={isOpen}
      onClose={close}
      title={t('drain.title', { name })}
      name={name}
      id={id}
      isReady={choice === 'leave' || (to.length > 0 && from.length > 0)}
      onConfirm={async () => {
        await onDrain();
        if (choice === 'leave') return;
        await move.run({ action: 'move_inbounds', filter: { node_id: id }, from_inbounds: from, inbounds: to });
      }}
    >
      <p>{t('drain.text')}</p>
      <Radio.Group
        label={t('drain.users')}
        value={choice}
        onChange={(value) => setChoice(value === 'move' ? 'move' : 'leave')}
      >
        <div className={classes.choices}>
          <Radio value="leave" label={t('drain.leave')} description={t('drain.leaveHint')} />
          <Radio value="move" label={t('drain.move')} description={t('drain.moveHint')} />
        </div>
      </Radio.Group>
      {choice === 'move' && (
        <ConnectionsInput
          label={t('drain.to')}
          onlyChosen
          exceptNode={id}
          value={to}
          onChange={(value) => setTo(value ?? [])}
        />
      )}
    </ActQuestion>
  );
}
