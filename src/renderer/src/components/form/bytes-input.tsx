// An amount of traffic as a number and a unit. The value is whole bytes, null if the field is empty.
import { NumberInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { computePower, unitSize } from '../../format/bytes.ts';
import { useFormat } from '../../format/use-format.tsx';
import classes from './form.module.css';

interface BytesInputProps {
  readonly label: string;
  readonly description?: ReactNode;
  readonly placeholder?: string;
  readonly error?: ReactNode;
  /** Whole bytes; null or left out: empty. */
  readonly value?: number | null;
  readonly onChange: (value: number | null) => void;
  readonly onBlur?: () => void;
  readonly required?: boolean;
  readonly 'data-path'?: string;
}

/** Megabytes to terabytes. */
const POWERS = [2, 3, 4] as const;
const USUAL = 3;

export function BytesInput({ value = null, onChange, ...props }: BytesInputProps) {
  const { t } = useTranslation('frame');
  const { units, separators, byteUnit } = useFormat();
  const [power, setPower] = useState<number>(() =>
    value === null ? USUAL : Math.min(Math.max(computePower(value, units), 2), 4),
  );
  const size = unitSize(power, units);
  const amount = value === null ? '' : Number((value / size).toFixed(6));
  return (
    <NumberInput
      {...props}
      value={amount}
      onChange={(next) => onChange(next === '' ? null : Math.round(Number(next) * size))}
      min={0}
      allowNegative={false}
      decimalScale={3}
      thousandSeparator={separators.thousand}
      decimalSeparator={separators.decimal}
      hideControls
      inputMode="decimal"
      rightSectionWidth={76}
      rightSection={
        <select
          aria-label={t('form.unit')}
          className={classes.unit}
          value={String(power)}
          onChange={(event) => {
            const next = Number(event.currentTarget.value);
            setPower(next);
            // Changing the unit keeps the typed number and changes the value.
            if (value !== null) onChange(Math.round((value / size) * unitSize(next, units)));
          }}
        >
          {POWERS.map((one) => (
            <option key={one} value={one}>
              {byteUnit(one)}
            </option>
          ))}
        </select>
      }
    />
  );
}
