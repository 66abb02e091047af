// A duration as the contract has it: a number of days or of calendar months.
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { MAX_EXTEND_DAYS, MAX_EXTEND_MONTHS } from '../../../../contract/users/users.ts';
import type { Duration } from '../../../../domain/users/term.ts';
import classes from './form.module.css';
import { WholeNumberInput } from './whole-number-input.tsx';

interface TermInputProps {
  readonly label: string;
  readonly description?: ReactNode;
  readonly placeholder?: string;
  readonly error?: ReactNode;
  /** null: empty. */
  readonly value?: Duration | null;
  readonly onChange: (value: Duration | null) => void;
  readonly onBlur?: () => void;
  /** The unit while the field is empty. */
  readonly unit?: 'days' | 'months';
  readonly 'data-path'?: string;
}

const MAX = { days: MAX_EXTEND_DAYS, months: MAX_EXTEND_MONTHS } as const;

export function TermInput({ value = null, onChange, unit = 'months', ...props }: TermInputProps) {
  const { t } = useTranslation('frame');
  const kind = value === null ? unit : 'days' in value ? 'days' : 'months';
  const amount = value === null ? '' : 'days' in value ? value.days : value.months;
  const term = (count: number, of: 'days' | 'months'): Duration =>
    of === 'days' ? { days: count } : { months: count };
  return (
    <WholeNumberInput
      {...props}
      value={amount}
      onChange={(next) => onChange(next === '' ? null : term(Number(next), kind))}
      min={1}
      max={MAX[kind]}
      rightSectionWidth={112}
      rightSection={
        <select
          aria-label={t('form.unit')}
          className={classes.unit}
          value={kind}
          onChange={(event) => {
            const next = event.currentTarget.value === 'days' ? 'days' : 'months';
            onChange(term(amount === '' ? 1 : amount, next));
          }}
        >
          <option value="days">{t('form.dayCount')}</option>
          <option value="months">{t('form.monthCount')}</option>
        </select>
      }
    />
  );
}
