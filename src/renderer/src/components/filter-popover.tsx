// The button that opens the conditions of a list, and what holds them.
import { Button, Popover } from '@mantine/core';
import { IconFilter } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import classes from './filter-chips.module.css';

interface FilterPopoverProps {
  readonly label: string;
  /** Made when it opens, so that the fields begin with what holds then. */
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
