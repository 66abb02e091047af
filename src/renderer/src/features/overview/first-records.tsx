// Short forms of the first plan and the first user, in the list of steps, with the required fields only.
import { Button, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Duration } from '../../../../domain/users/term.ts';
import { BytesInput } from '../../components/form/bytes-input.tsx';
import { FieldRow } from '../../components/form/form-drawer.tsx';
import { FormFailure } from '../../components/form/form-failure.tsx';
import { TermInput } from '../../components/form/term-input.tsx';
import { type OperationForm, useOperationForm } from '../../components/form/use-operation-form.ts';
import { useOperation } from '../../data/use-operation.ts';
import { buildHash } from '../../router/route.ts';
import { navigate } from '../../router/router.ts';
import classes from './overview.module.css';

type PlanValues = { name: string; duration: Duration | null; traffic_limit: number | null };

export function FirstPlan() {
  const { t } = useTranslation('overview');
  const initial: PlanValues = { name: t('steps.plan.usual'), duration: { months: 1 }, traffic_limit: null };
  const operation = useOperationForm({
    operation: 'createTariff',
    initial,
    toInput: (values) => ({ ...values, reset_strategy: values.traffic_limit === null ? 'none' : 'month' }),
  });
  const { form } = operation;
  return (
    <StepForm
      label={t('steps.plan.title')}
      act={t('steps.plan.act')}
      all={buildHash(['plans', 'new'])}
      operation={operation}
    >
      <TextInput label={t('steps.plan.name')} maxLength={100} {...form.getInputProps('name')} />
      <FieldRow>
        <TermInput
          label={t('steps.plan.term')}
          placeholder={t('steps.plan.endless')}
          {...form.getInputProps('duration')}
          value={form.values.duration}
        />
        <BytesInput
          label={t('steps.plan.traffic')}
          placeholder={t('steps.plan.unlimited')}
          {...form.getInputProps('traffic_limit')}
          value={form.values.traffic_limit}
        />
      </FieldRow>
    </StepForm>
  );
}

/** After creation the record opens with the user's page. */
export function FirstUser() {
  const { t } = useTranslation('overview');
  const plans = useOperation('listTariffs', { limit: 1 });
  const operation = useOperationForm({
    operation: 'createUser',
    initial: { name: '' },
    toInput: ({ name }) => ({ name, tariff_id: plans.data?.items[0]?.id ?? 0 }),
    onDone: ({ id }) => navigate(buildHash(['users', id], { do: 'link' })),
  });
  return (
    <StepForm
      label={t('steps.user.title')}
      act={t('steps.user.act')}
      all={buildHash(['users', 'new'], { do: 'link' })}
      operation={operation}
    >
      <TextInput label={t('steps.user.name')} autoComplete="off" {...operation.form.getInputProps('name')} />
    </StepForm>
  );
}

interface StepFormProps {
  readonly label: string;
  readonly act: string;
  /** Address of the complete form. */
  readonly all: string;
  readonly operation: Pick<OperationForm<Record<string, unknown>>, 'submit' | 'isBusy' | 'failure'>;
  readonly children: ReactNode;
}

function StepForm({ label, act, all, operation, children }: StepFormProps) {
  const { t } = useTranslation('overview');
  return (
    <form className={classes.stepBody} aria-label={label} onSubmit={operation.submit}>
      {children}
      <FormFailure failure={operation.failure} />
      <div className={classes.stepActs}>
        <Button type="submit" loading={operation.isBusy}>
          {act}
        </Button>
        <Button component="a" href={all} variant="subtle">
          {t('steps.all')}
        </Button>
      </div>
    </form>
  );
}
