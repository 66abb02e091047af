// A whole number, 0 or more, that stays as typed: one out of bounds is refused with its reason, not changed.
import { NumberInput, type NumberInputProps } from '@mantine/core';

type Props = Omit<NumberInputProps, 'clampBehavior' | 'allowDecimal' | 'allowNegative' | 'hideControls'>;

export function WholeNumberInput(props: Props) {
  return <NumberInput clampBehavior="none" allowDecimal={false} allowNegative={false} hideControls {...props} />;
}
