// The selection with its acts, over the lower edge of the list.
import { Button } from '@mantine/core';
import { IconCalendarPlus, IconCheck, IconRefresh, IconTrash, IconUserOff } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { SelectionBar } from '../../../components/selection-bar.tsx';
import type { Selection } from '../../../components/table/selection.ts';
import { OFFERED_ACTIONS, type OfferedAction } from './run-bulk.ts';

const ICONS = {
  extend: IconCalendarPlus,
  reset: IconRefresh,
  disable: IconUserOff,
  enable: IconCheck,
  delete: IconTrash,
} as const;

interface BulkBarProps {
  readonly selection: Selection;
  readonly count: number;
  readonly total: number | undefined;
  readonly onAct: (action: OfferedAction) => void;
}

export function BulkBar({ selection, count, total, onAct }: BulkBarProps) {
  const { t } = useTranslation('users');
  return (
    <SelectionBar
      count={count}
      onClear={selection.clear}
      {...(total !== undefined && !selection.isAll && { total, onSelectAll: selection.selectAll })}
    >
      {OFFERED_ACTIONS.map((action) => {
        const Icon = ICONS[action];
        return (
          <Button
            key={action}
            variant="default"
            leftSection={<Icon size={16} stroke={1.5} />}
            {...(action === 'delete' && { c: 'var(--g-bad-ink)' })}
            onClick={() => onAct(action)}
          >
            {t(`act.${action}`)}
          </Button>
        );
      })}
    </SelectionBar>
  );
}
