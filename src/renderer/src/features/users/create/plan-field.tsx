// The choice of a plan, with a summary of the chosen one.
import { NativeSelect } from '@mantine/core';
import type { GetInputPropsReturnType } from '@mantine/form';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Tariff } from '../../../../../contract/tariffs.ts';
import { useFormat } from '../../../format/use-format.tsx';
import type { Plans } from '../use-plans.ts';

interface PlanFieldProps {
  readonly plans: Plans;
  readonly value: string;
  readonly label?: string;
  /** The text of the choice "no plan"; left out: a plan is required. */
  readonly empty?: string;
  readonly inputProps: GetInputPropsReturnType;
}

export function PlanField({ plans, value, label, empty, inputProps }: PlanFieldProps) {
  const { t } = useTranslation('users');
  const formatSummary = useSummary();
  const plan = plans.usable.find(({ id }) => String(id) === value);
  const choices = plans.usable.map(({ id, name }) => ({ value: String(id), label: name }));
  return (
    <NativeSelect
      label={label ?? t('make.plan')}
      description={plan === undefined ? '' : formatSummary(plan)}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      data={empty === undefined ? choices : [{ value: '', label: empty }].concat(choices)}
      {...inputProps}
      // Controlled, so that the shown choice is the one sent even if plans load after the form.
      value={value}
    />
  );
}

/** `1 month · 50 GB, on the 1st of the month · 3 devices` */
function useSummary(): (plan: Tariff) => string {
  const { t } = useTranslation(['users', 'common']);
  const format = useFormat();
  return ({ duration, starts, traffic_limit, reset_strategy, device_limit }) => {
    const term = duration === null ? t('users:standing.neverExpires').replace(/\.$/, '') : format.term(duration);
    const isHeld = duration !== null && starts === 'on_first_use';
    const resets = t(`users:strategy.${reset_strategy}`).toLocaleLowerCase(format.locale);
    const amount = traffic_limit === null ? t('common:unlimited') : format.bytes(traffic_limit);
    return [
      isHeld ? t('users:make.fromFirstUse', { term }) : term,
      traffic_limit === null || reset_strategy === 'none' ? amount : `${amount}, ${resets}`,
      ...(device_limit === null ? [] : [t('users:make.devicesCount', { count: device_limit })]),
    ].join(' · ');
  };
}

/** The initial plan of the form: the one with the most users. */
export function usualPlan({ usable }: Plans): string {
  const [first] = [...usable].sort((a, b) => b.users - a.users);
  return first === undefined ? '' : String(first.id);
}

// Properties of the drawer and of its two forms.

export interface CreateDrawerProps {
  readonly isOpen: boolean;
  readonly plans: Plans;
  /** Address of the list below the drawer. */
  readonly list: string;
  readonly onClose: () => void;
}

export interface CreateProps extends Omit<CreateDrawerProps, 'isOpen'> {
  /** The control that switches between one and many. */
  readonly kind: ReactNode;
}
