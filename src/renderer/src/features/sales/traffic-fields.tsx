// The fields for amount and lifetime of traffic, in offers and promo codes.
import { Select } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { BytesInput } from '../../components/form/bytes-input.tsx';
import { WholeNumberInput } from '../../components/form/whole-number-input.tsx';
import type { TrafficValue } from './traffic-value.ts';

interface TrafficFieldsProps {
  readonly value: TrafficValue;
  readonly onChange: (part: Partial<TrafficValue>) => void;
  readonly error: ReactNode;
  /** The field's name in the contract, to which errors refer. */
  readonly path: string;
}

export function TrafficFields({ value, onChange, error, path }: TrafficFieldsProps) {
  const { t } = useTranslation('sales');
  return (
    <>
      <BytesInput
        label={t('offer.fields.bytes')}
        value={value.bytes}
        onChange={(bytes) => onChange({ bytes })}
        error={error}
        data-path={path}
      />
      <Select
        label={t('offer.fields.lifetime')}
        data={(['used', 'period', 'days'] as const).map((one) => ({ value: one, label: t(`offer.fields.${one}`) }))}
        allowDeselect={false}
        comboboxProps={{ shadow: 'none' }}
        value={value.lifetime}
        onChange={(lifetime) => lifetime !== null && onChange({ lifetime })}
      />
      {value.lifetime === 'days' && (
        <WholeNumberInput
          label={t('offer.fields.dayCount')}
          min={1}
          value={value.days}
          onChange={(days) => onChange({ days: days === '' ? '' : Number(days) })}
        />
      )}
    </>
  );
}
