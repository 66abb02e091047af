// The way from an empty panel to the first customer, as a list that is ticked off.
import { Button } from '@mantine/core';
import { IconCircle, IconCircleCheckFilled } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { SectionCard } from '../../components/page.tsx';
import { useOperation } from '../../data/use-operation.ts';
import { hashOf } from '../../router/route.ts';
import type { Step, StepKind } from './first-steps.ts';
import classes from './overview.module.css';

const NODE_EVERY_MS = 3000;

const PLACES: Readonly<Record<StepKind, readonly string[]>> = {
  address: ['settings', 'addresses'],
  node: ['nodes', 'new'],
  connection: ['connections', 'new'],
  plan: ['plans', 'new'],
  user: ['users', 'new'],
};

const TROUBLES: Readonly<Record<NonNullable<Step['trouble']>, readonly string[]>> = {
  waiting: ['nodes'],
  untrusted: ['settings', 'certificates'],
};

/** The record of the first user opens with what the user sees at the link. */
function toOf(kind: StepKind): string {
  return hashOf(PLACES[kind], new URLSearchParams(kind === 'user' ? { do: 'link' } : {}));
}

export function FirstStepsCard({ steps }: { readonly steps: readonly Step[] }) {
  const { t } = useTranslation('overview');
  // A node that is expected turns green at once.
  const isExpected = steps.some(({ trouble }) => trouble === 'waiting');
  useOperation('listNodes', {}, { enabled: isExpected, pollMs: NODE_EVERY_MS });
  const next = steps.find(({ kind, isDone, trouble }) => !isDone && trouble === null && kind !== 'address');
  return (
    <SectionCard title={t('steps.title')} description={t('steps.description')} flush>
      <ol className={classes.attention}>
        {steps.map(({ kind, isDone, trouble }) => (
          <li key={kind} className={classes.matter} data-done={isDone || undefined}>
            <span className={classes.stepIcon} data-done={isDone || undefined} aria-hidden>
              {isDone ? <IconCircleCheckFilled size={20} /> : <IconCircle size={20} stroke={1.5} />}
            </span>
            <div className={classes.stepText}>
              <p className={classes.matterTitle}>
                {t(`steps.${kind}.title`)}
                {isDone && <span className="visually-hidden"> {t('steps.done')}</span>}
              </p>
              <p className={classes.quiet}>{t(trouble === null ? `steps.${kind}.hint` : `steps.trouble.${trouble}`)}</p>
            </div>
            {trouble !== null ? (
              <StepLink to={hashOf(TROUBLES[trouble])} label={t(`steps.look.${trouble}`)} isNext={false} />
            ) : (
              !isDone && <StepLink to={toOf(kind)} label={t(`steps.${kind}.act`)} isNext={kind === next?.kind} />
            )}
          </li>
        ))}
      </ol>
    </SectionCard>
  );
}

interface StepLinkProps {
  readonly to: string;
  readonly label: string;
  /** The one that is to be done now. */
  readonly isNext: boolean;
}

function StepLink({ to, label, isNext }: StepLinkProps) {
  return (
    <Button component="a" href={to} variant={isNext ? 'filled' : 'subtle'} className={classes.matterAct ?? ''}>
      {label}
    </Button>
  );
}
