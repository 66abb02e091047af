// A price: an amount in the major unit, and its currency. Two fields, for the form that shows them to arrange.
import { Autocomplete, type AutocompleteProps, TextInput, type TextInputProps } from '@mantine/core';
import { CURRENCIES } from '../../../../contract/currencies.ts';
import type { TypedPrice } from '../../format/price.ts';

interface PriceInputProps {
  readonly value: TypedPrice;
  readonly onChange: (value: TypedPrice) => void;
  /** Labels and errors of both fields. */
  readonly amount: TextInputProps & { readonly 'data-path'?: string };
  readonly currency: Pick<AutocompleteProps, 'aria-label' | 'label' | 'description' | 'disabled'>;
}

export function PriceInput({ value, onChange, amount, currency }: PriceInputProps) {
  return (
    <>
      <TextInput
        {...amount}
        inputMode="decimal"
        autoComplete="off"
        value={value.amount}
        onChange={(event) => onChange({ ...value, amount: event.currentTarget.value.replace(',', '.') })}
      />
      <Autocomplete
        {...currency}
        data={[...CURRENCIES]}
        limit={40}
        maxLength={3}
        autoCapitalize="characters"
        spellCheck={false}
        comboboxProps={{ shadow: 'none' }}
        value={value.currency}
        onChange={(code) => onChange({ ...value, currency: code.toUpperCase().slice(0, 3) })}
      />
    </>
  );
}
