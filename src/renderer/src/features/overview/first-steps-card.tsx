// The way from an empty panel to the first customer, as a list that is ticked off.
import { Button } from '@mantine/core';
import { IconCircle, IconCircleCheckFilled } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { SectionCard } from '../../components/page.tsx';
import { hashOf } from '../../router/route.ts';
import type { Step, StepKind } from './first-steps.ts';
import classes from './overview.module.css';

const PLACES: Readonly<Record<StepKind, readonly string[]>> = {
  address: ['settings', 'addresses'],
  node: ['nodes', 'new'],
  connection: ['connections', 'new'],
  plan: ['plans', 'new'],
  user: ['users', 'new'],
};

export function FirstStepsCard({ steps }: { readonly steps: readonly Step[] }) {
  const { t } = useTranslation('overview');
  const next = steps.find(({ kind, isDone }) => !isDone && kind !== 'address');
  return (
    <SectionCard title={t('steps.title')} description={t('steps.description')} flush>
      <ol className={classes.attention}>
        {steps.map(({ kind, isDone, isWaiting }) => (
          <li key={kind} className={classes.matter} data-done={isDone || undefined}>
            <span className={classes.stepIcon} data-done={isDone || undefined} aria-hidden>
              {isDone ? <IconCircleCheckFilled size={20} /> : <IconCircle size={20} stroke={1.5} />}
            </span>
            <div className={classes.stepText}>
              <p className={classes.matterTitle}>
                {t(`steps.${kind}.title`)}
                {isDone && <span className="visually-hidden"> {t('steps.done')}</span>}
              </p>
              <p className={classes.quiet}>{isWaiting ? t('steps.node.waiting') : t(`steps.${kind}.hint`)}</p>
            </div>
            {isWaiting ? (
              <StepLink path={['nodes']} label={t('steps.node.look')} isNext={false} />
            ) : (
              !isDone && <StepLink path={PLACES[kind]} label={t(`steps.${kind}.act`)} isNext={kind === next?.kind} />
            )}
          </li>
        ))}
      </ol>
    </SectionCard>
  );
}

interface StepLinkProps {
  readonly path: readonly string[];
  readonly label: string;
  /** The one that is to be done now. */
  readonly isNext: boolean;
}

function StepLink({ path, label, isNext }: StepLinkProps) {
  return (
    <Button
      component="a"
      href={hashOf(path)}
      variant={isNext ? 'filled' : 'subtle'}
      className={classes.matterAct ?? ''}
    >
      {label}
    </Button>
  );
}
