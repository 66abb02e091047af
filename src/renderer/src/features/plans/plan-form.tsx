// The form of a plan: what a user created from it gets.
import { Autocomplete, NumberInput, Select, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { CURRENCIES } from '../../../../contract/currencies.ts';
import { RESET_STRATEGIES } from '../../../../contract/users/users.ts';
import { BytesInput } from '../../components/form/bytes-input.tsx';
import { ConnectionsInput } from '../../components/form/connections-input.tsx';
import { FieldRow } from '../../components/form/form-drawer.tsx';
import { TermInput } from '../../components/form/term-input.tsx';
import type { OperationForm } from '../../components/form/use-operation-form.ts';
import { WholeNumberInput } from '../../components/form/whole-number-input.tsx';
import { typedDigits } from '../../format/price.ts';
import { useFormat } from '../../format/use-format.tsx';
import type { PlanValues } from './plan-values.ts';

const STARTS = ['on_creation', 'on_first_use'] as const;

export function PlanFields({ form }: Pick<OperationForm<PlanValues>, 'form'>) {
  const { t } = useTranslation(['plans', 'common']);
  const devices = form.getInputProps('device_limit');
  const addresses = form.getInputProps('concurrent_limit');
  return (
    <>
      <TextInput
        label={t('plans:fields.name')}
        description={t('plans:fields.nameHint')}
        maxLength={100}
        required
        withAsterisk={false}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <FieldRow>
        <BytesInput
          label={t('plans:fields.traffic')}
          description={t('plans:fields.trafficHint')}
          placeholder={t('common:unlimited')}
          {...form.getInputProps('traffic_limit')}
          value={form.values.traffic_limit}
        />
        <Select
          label={t('plans:fields.reset')}
          description={t('plans:fields.resetHint')}
          allowDeselect={false}
          data={RESET_STRATEGIES.map((value) => ({ value, label: t(`plans:reset.${value}`) }))}
          comboboxProps={{ shadow: 'none' }}
          {...form.getInputProps('reset_strategy')}
        />
      </FieldRow>
      <FieldRow>
        <TermInput
          label={t('plans:fields.term')}
          description={t('plans:fields.termHint')}
          placeholder={t('plans:endless')}
          {...form.getInputProps('duration')}
          value={form.values.duration}
        />
        <Select
          label={t('plans:fields.starts')}
          description={t('plans:fields.startsHint')}
          allowDeselect={false}
          data={STARTS.map((value) => ({ value, label: t(`plans:starts.${value}`) }))}
          comboboxProps={{ shadow: 'none' }}
          {...form.getInputProps('starts')}
        />
      </FieldRow>
      <WholeNumberInput
        label={t('plans:fields.devices')}
        description={t('plans:fields.devicesHint')}
        placeholder={t('common:unlimited')}
        {...devices}
        value={form.values.device_limit ?? ''}
        onChange={(value) => devices.onChange(value === '' ? null : Number(value))}
      />
      <WholeNumberInput
        label={t('plans:fields.addresses')}
        description={t('plans:fields.addressesHint')}
        placeholder={t('common:unlimited')}
        {...addresses}
        value={form.values.concurrent_limit ?? ''}
        onChange={(value) => addresses.onChange(value === '' ? null : Number(value))}
      />
      <ConnectionsInput
        label={t('plans:fields.connections')}
        description={t('plans:fields.connectionsHint')}
        {...form.getInputProps('inbounds')}
        value={form.values.inbounds}
      />
      <PriceInput {...form.getInputProps('price')} value={form.values.price} />
    </>
  );
}

// A price: an amount in the major unit, and its currency.

interface PriceInputProps {
  readonly value: PlanValues['price'];
  readonly onChange: (value: PlanValues['price']) => void;
  readonly error?: ReactNode;
  readonly 'data-path'?: string;
}

function PriceInput({ value, onChange, error, ...props }: PriceInputProps) {
  const { t } = useTranslation('plans');
  const { separators } = useFormat();
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
        decimalScale={typedDigits(value.currency)}
        thousandSeparator={separators.thousand}
        decimalSeparator={separators.decimal}
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
