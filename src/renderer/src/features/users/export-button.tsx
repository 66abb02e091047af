// Exports what the list shows, and says how far it is.
import { ActionIcon, Tooltip } from '@mantine/core';
import { IconDownload, IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Sort } from '../../../../contract/users.ts';
import { useFormat } from '../../format/use-format.tsx';
import type { Filter } from './filter.ts';
import { useExport } from './use-export.ts';
import type { Plans } from './use-plans.ts';
import classes from './users.module.css';

interface ExportButtonProps {
  readonly filter: Filter;
  readonly sort: Sort;
  readonly plans: Plans;
}

export function ExportButton({ filter, sort, plans }: ExportButtonProps) {
  const { t } = useTranslation('users');
  const format = useFormat();
  const { progress, start, stop } = useExport();
  if (progress !== null) {
    const { done, total } = progress;
    return (
      <span className={classes.exporting} role="status">
        <progress className="visually-hidden" aria-label={t('export.act')} value={done} max={Math.max(1, total)} />
        {t('export.running', { done: format.number(done), total: format.number(total) })}
        <ActionIcon variant="subtle" color="gray" size={24} aria-label={t('export.stop')} onClick={stop}>
          <IconX size={14} stroke={1.75} />
        </ActionIcon>
      </span>
    );
  }
  return (
    <Tooltip label={`${t('export.act')}. ${t('export.hint')}`} multiline maw={260}>
      <ActionIcon
        variant="default"
        size={32}
        aria-label={t('export.act')}
        onClick={() => start(filter, sort, plans.names)}
      >
        <IconDownload size={16} stroke={1.5} />
      </ActionIcon>
    </Tooltip>
  );
}
