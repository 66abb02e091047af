// How to join a remote node's machine: the command to run there, what it does, and its progress.
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { NODE_PORT, type Node } from '../../../../contract/nodes/nodes.ts';
import type { Output } from '../../../../contract/table.ts';
import { WholeNumberInput } from '../../components/form/whole-number-input.tsx';
import { DrawerSection } from '../../components/record-drawer.tsx';
import { SecretOnce } from '../../components/secret-once.tsx';
import { StateDot } from '../../components/state.tsx';
import { useNodeCommand } from '../../data/host.ts';
import { useAct } from '../../data/use-act.ts';
import { useOperation } from '../../data/use-operation.ts';
import { useFormat } from '../../format/use-format.tsx';
import classes from './nodes.module.css';

const STEPS_EVERY_MS = 2000;

interface NodeJoinProps {
  readonly node: Node;
  /** Whether the record is on screen. */
  readonly isOpen: boolean;
}

export function NodeJoin({ node, isOpen }: NodeJoinProps) {
  const { t } = useTranslation('nodes');
  const format = useFormat();
  const command = useNodeCommand();
  const [port, setPort] = useState<number | string>(NODE_PORT);
  const [made, setMade] = useState<Output<'inviteNode'> | null>(null);
  /** Fingerprint of the machine that is to be replaced. */
  const [former, setFormer] = useState<string | null>(null);
  const invite = useAct('inviteNode', {
    onDone: (output) => {
      setMade(output);
      setFormer(node.fingerprint);
    },
  });
  return (
    <DrawerSection title={t('join.title')}>
      <p className={classes.joinText}>{t('join.text')}</p>
      <WholeNumberInput
        label={t('join.port')}
        description={t('join.portHint', { address: node.address ?? '' })}
        min={1}
        max={65_535}
        maw={260}
        value={port}
        onChange={setPort}
      />
      <Button
        className={classes.joinAct ?? ''}
        variant="default"
        loading={invite.isRunning}
        onClick={() => invite.start({ id: node.id, port: Number(port) })}
      >
        {made === null ? t('join.make') : t('join.again')}
      </Button>
      {made !== null && (
        <section aria-label={t('join.command')}>
          <p className={classes.joinText}>{t('join.does')}</p>
          <SecretOnce
            value={`echo ${made.token} | ${command} node join && ${command} node run`}
            copyLabel={t('join.copy')}
            warning={t('join.once', { until: format.moment(made.expires_at, 'dateTime') })}
          />
          <Steps first={node} former={former} isOpen={isOpen} />
        </section>
      )}
    </DrawerSection>
  );
}

interface StepsProps {
  readonly first: Node;
  /** Fingerprint of the former machine. */
  readonly former: string | null;
  readonly isOpen: boolean;
}

function Steps({ first, former, isOpen }: StepsProps) {
  const { t } = useTranslation('nodes');
  const { data } = useOperation('getNode', { id: first.id }, { enabled: isOpen, pollMs: STEPS_EVERY_MS });
  const { fingerprint, core, status } = data ?? first;
  const joined = fingerprint !== null && fingerprint !== former;
  const hasEngine = status === 'up' && core !== null;
  return (
    <ul className={classes.steps} aria-label={t('join.steps')} aria-live="polite">
      <li>
        <StateDot state={joined ? 'up' : 'unknown'} label={joined ? t('join.connected') : t('join.waiting')} />
      </li>
      {joined && <li>{t('join.compare', { fingerprint })}</li>}
      {joined && (
        <li>
          <StateDot
            state={hasEngine ? 'up' : 'unknown'}
            label={hasEngine ? `${t('join.engine')}: ${core.name} ${core.version}` : t('join.engineWaiting')}
          />
        </li>
      )}
    </ul>
  );
}
