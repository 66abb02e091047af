// A whole number of at least 0. A number out of bounds stays as typed and is reported, not changed.
import { NumberInput, type NumberInputProps } from '@mantine/core';

type Props = Omit<NumberInputProps, 'clampBehavior' | 'allowDecimal' | 'allowNegative' | 'hideControls'>;

export function WholeNumberInput(props: Props) {
  return <NumberInput clampBehavior="none" allowDecimal={false} allowNegative={false} hideControls {...props} />;
}
