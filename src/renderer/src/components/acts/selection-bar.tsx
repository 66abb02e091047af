// The bulk bar: shows how many rows are selected and the actions on them, over the list's lower edge.
import { ActionIcon, Tooltip } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { SELECTION_BAR } from './keys.ts';
import classes from './selection-bar.module.css';

interface SelectionBarProps {
  readonly count: number;
  /** Number of rows that match the filter; selecting all is offered if it exceeds the selection. */
  readonly total?: number;
  readonly onSelectAll?: () => void;
  readonly onClear: () => void;
  readonly children: ReactNode;
}

export function SelectionBar({ count, total, onSelectAll, onClear, children }: SelectionBarProps) {
  const { t } = useTranslation('frame');
  if (count === 0) return null;
  return (
    <div id={SELECTION_BAR} className={classes.bar} role="toolbar" aria-label={t('selection.label')}>
      <span className={classes.count} role="status">
        {t('selection.count', { count })}
      </span>
      {onSelectAll !== undefined && total !== undefined && total > count && (
        <button type="button" className={classes.all} onClick={onSelectAll}>
          {t('selection.all', { count: total })}
        </button>
      )}
      <span className={classes.acts} data-acts>
        {children}
      </span>
      <Tooltip label={t('selection.clear')}>
        <ActionIcon
          className={classes.clear}
          variant="subtle"
          color="gray"
          aria-label={t('selection.clear')}
          onClick={onClear}
        >
          <IconX size={16} stroke={1.5} />
        </ActionIcon>
      </Tooltip>
    </div>
  );
}
