// The filters of a list: each condition as a removable chip, and tabs with counts for the main one.

import { Button, Popover } from '@mantine/core';
import { IconFilter, IconX } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../format/use-format.tsx';
import classes from './filters.module.css';

interface FilterChip {
  readonly id: string;
  /** Its text: "Tag: family". */
  readonly label: string;
  readonly onRemove: () => void;
}

interface FilterChipsProps {
  readonly chips: readonly FilterChip[];
  /** Removes all chips; offered if there are two or more. */
  readonly onClear?: () => void;
  /** The button that adds a condition. */
  readonly children?: ReactNode;
}

export function FilterChips({ chips, onClear, children }: FilterChipsProps) {
  const { t } = useTranslation('frame');
  return (
    <div className={classes.root}>
      {chips.map(({ id, label, onRemove }) => (
        <span key={id} className={classes.chip}>
          <span className={classes.text}>{label}</span>
          <button
            type="button"
            className={classes.remove}
            aria-label={t('filter.remove', { name: label })}
            onClick={onRemove}
          >
            <IconX size={14} stroke={1.75} aria-hidden />
          </button>
        </span>
      ))}
      {children}
      {chips.length > 1 && onClear !== undefined && (
        <button type="button" className={classes.clear} onClick={onClear}>
          {t('filter.clear')}
        </button>
      )}
    </div>
  );
}

interface TabItem {
  /** '' stands for all. */
  readonly value: string;
  readonly label: string;
  /** Number of rows; left out while unknown. */
  readonly count?: number | undefined;
}

interface FilterTabsProps {
  readonly label: string;
  readonly value: string;
  readonly items: readonly TabItem[];
  readonly onChange: (value: string) => void;
}

/** The main filter of a list as a row of tabs, each with its count. */
export function FilterTabs({ label, value, items, onChange }: FilterTabsProps) {
  const format = useFormat();
  return (
    <fieldset className={classes.tabs} aria-label={label}>
      {items.map((item) => (
        <button
          key={item.value}
          type="button"
          className={classes.tab}
          aria-pressed={item.value === value}
          onClick={() => onChange(item.value)}
        >
          {item.label}
          {item.count !== undefined && <span className={classes.count}>{format.number(item.count)}</span>}
        </button>
      ))}
    </fieldset>
  );
}

// The button that opens the conditions of a list, and their popover.

interface FilterPopoverProps {
  readonly label: string;
  /** Rendered when it opens, so that the fields start with the present conditions. */
  readonly children: (close: () => void) => ReactNode;
}

export function FilterPopover({ label, children }: FilterPopoverProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="bottom-start"
      width={320}
      shadow="none"
      trapFocus
      returnFocus
      classNames={{ dropdown: classes.popover ?? '' }}
    >
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<IconFilter size={16} stroke={1.5} />}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={label}>
        {isOpen && <div className={classes.conditions}>{children(() => setOpen(false))}</div>}
      </Popover.Dropdown>
    </Popover>
  );
}
