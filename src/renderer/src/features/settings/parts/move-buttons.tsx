// Buttons that move a row of a list up and down.
import { ActionIcon } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';

interface MoveButtonsProps {
  readonly labels: { readonly up: string; readonly down: string };
  readonly index: number;
  /** The length of the list. */
  readonly count: number;
  readonly isBusy: boolean;
  readonly onMove: (to: number) => void;
}

export function MoveButtons({ labels, index, count, isBusy, onMove }: MoveButtonsProps) {
  const look = { variant: 'subtle', color: 'gray' } as const;
  return (
    <>
      <ActionIcon {...look} disabled={isBusy || index === 0} onClick={() => onMove(index - 1)} aria-label={labels.up}>
        <IconArrowUp size={16} stroke={1.5} />
      </ActionIcon>
      <ActionIcon
        {...look}
        disabled={isBusy || index === count - 1}
        onClick={() => onMove(index + 1)}
        aria-label={labels.down}
      >
        <IconArrowDown size={16} stroke={1.5} />
      </ActionIcon>
    </>
  );
}
