// A check list from an empty panel to the first customer.
import { Button } from '@mantine/core';
import { IconCircle, IconCircleCheckFilled } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { Node } from '../../../../contract/nodes/nodes.ts';
import { SectionCard } from '../../components/page.tsx';
import { useWholeList } from '../../data/use-operation.ts';
import { buildHash } from '../../router/route.ts';
import { FirstPlan, FirstUser } from './first-records.tsx';
import type { Step, StepKind } from './first-steps.ts';
import { LocalNode } from './local-node.tsx';
import classes from './overview.module.css';

const NODE_EVERY_MS = 3000;

const PLACES: Readonly<Record<StepKind, readonly string[]>> = {
  address: ['settings', 'addresses'],
  node: ['nodes', 'new'],
  connection: ['connections', 'new'],
  plan: ['plans', 'new'],
  user: ['users', 'new'],
  backup: ['settings', 'backups', 'places', 'new'],
};

const TROUBLES: Readonly<Record<NonNullable<Step['trouble']>, readonly string[]>> = {
  waiting: ['nodes'],
  untrusted: ['settings', 'certificates'],
};

/** The step of the link opens the first user's record with the user's page. */
function buildStepHref(kind: StepKind): string {
  return buildHash(PLACES[kind], new URLSearchParams(kind === 'user' ? { do: 'link' } : {}));
}

interface FirstStepsCardProps {
  readonly steps: readonly Step[];
  readonly nodes: readonly Node[];
}

export function FirstStepsCard({ steps, nodes }: FirstStepsCardProps) {
  const { t } = useTranslation('overview');
  // Polls while a node is expected to connect.
  const isExpected = steps.some(({ trouble }) => trouble === 'waiting');
  useWholeList('listNodes', {}, { enabled: isExpected, pollMs: NODE_EVERY_MS });
  const next = steps.find(({ kind, isDone, trouble }) => !isDone && trouble === null && kind !== 'address');
  // A remote node is finished in its own form, a local one here.
  const isRemote = nodes.length > 0 && nodes.every(({ kind }) => kind === 'remote');
  const renderBody = (kind: StepKind) => {
    if (kind === 'plan') return <FirstPlan />;
    if (kind === 'user') return <FirstUser />;
    if (kind === 'backup') return null;
    return isRemote || kind === 'address' ? null : <LocalNode node={nodes.find(({ kind }) => kind === 'local')} />;
  };
  // After a step is done by keyboard, the focus moves to the next one.
  const list = useRef<HTMLOListElement>(null);
  const shown = useRef(next?.kind);
  useEffect(() => {
    if (shown.current === next?.kind) return;
    shown.current = next?.kind;
    if (document.activeElement === document.body)
      list.current?.querySelector<HTMLElement>('[data-open] :is(input, button)')?.focus();
  }, [next?.kind]);
  return (
    <SectionCard
      title={t('steps.title')}
      description={t('steps.description')}
      actions={
        <Button component="a" href={buildHash(['settings', 'import'])} variant="default">
          {t('steps.import')}
        </Button>
      }
      flush
    >
      <ol ref={list} className={classes.attention}>
        {steps.map(({ kind, isDone, trouble }) => {
          const body = kind === next?.kind ? renderBody(kind) : null;
          return (
            <li
              key={kind}
              className={classes.matter}
              data-done={isDone || undefined}
              data-open={body !== null || undefined}
            >
              <span className={classes.stepIcon} data-done={isDone || undefined} aria-hidden>
                {isDone ? <IconCircleCheckFilled size={20} /> : <IconCircle size={20} stroke={1.5} />}
              </span>
              <div className={classes.stepText}>
                <p className={classes.matterTitle}>
                  {t(`steps.${kind}.title`)}
                  {isDone && <span className="visually-hidden"> {t('steps.done')}</span>}
                </p>
                <p className={classes.quiet}>
                  {t(trouble === null ? `steps.${kind}.hint` : `steps.trouble.${trouble}`)}
                </p>
                {body}
              </div>
              {trouble !== null ? (
                <StepLink to={buildHash(TROUBLES[trouble])} label={t(`steps.look.${trouble}`)} isNext={false} />
              ) : (
                !isDone &&
                body === null && (
                  <StepLink to={buildStepHref(kind)} label={t(`steps.${kind}.act`)} isNext={kind === next?.kind} />
                )
              )}
            </li>
          );
        })}
      </ol>
    </SectionCard>
  );
}

interface StepLinkProps {
  readonly to: string;
  readonly label: string;
  /** The step to do now. */
  readonly isNext: boolean;
}

function StepLink({ to, label, isNext }: StepLinkProps) {
  return (
    <Button component="a" href={to} variant={isNext ? 'filled' : 'subtle'} className={classes.matterAct ?? ''}>
      {label}
    </Button>
  );
}
