// A price: an amount as people say it, and its currency.
import { Autocomplete, NumberInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { FieldRow } from '../../components/form/form-drawer.tsx';
import { useFormat } from '../../format/use-format.tsx';
import type { PlanValues } from './plan-values.ts';
import { digitsOf } from './price.ts';

interface PriceInputProps {
  readonly value: PlanValues['price'];
  readonly onChange: (value: PlanValues['price']) => void;
  readonly error?: ReactNode;
  readonly 'data-path'?: string;
}

const CURRENCIES = Intl.supportedValuesOf('currency');

export function PriceInput({ value, onChange, error, ...props }: PriceInputProps) {
  const { t } = useTranslation('plans');
  const { locale } = useFormat();
  return (
    <FieldRow>
      <NumberInput
        {...props}
        label={t('fields.price')}
        description={t('fields.priceHint')}
        placeholder={t('fields.noPrice')}
        error={error}
        value={value.amount ?? ''}
        onChange={(amount) => onChange({ ...value, amount: amount === '' ? null : Number(amount) })}
        min={0}
        max={1_000_000_000}
        allowNegative={false}
        decimalScale={digitsOf(value.currency)}
        thousandSeparator={locale === 'ru' ? ' ' : ','}
        decimalSeparator={locale === 'ru' ? ',' : '.'}
        hideControls
        inputMode="decimal"
      />
      <Autocomplete
        label={t('fields.currency')}
        description={t('fields.currencyHint')}
        value={value.currency}
        onChange={(currency) => onChange({ ...value, currency: currency.toUpperCase().slice(0, 3) })}
        data={CURRENCIES}
        limit={40}
        maxLength={3}
        autoCapitalize="characters"
        spellCheck={false}
        disabled={value.amount === null}
        comboboxProps={{ shadow: 'none' }}
      />
    </FieldRow>
  );
}
