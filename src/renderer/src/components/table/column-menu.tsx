// The menu that selects and orders a list's columns.
import { ActionIcon, Checkbox, Popover, Tooltip } from '@mantine/core';
import { IconChevronDown, IconChevronUp, IconColumns3 } from '@tabler/icons-react';
import { type KeyboardEvent, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { changeTableView, useView } from '../../state/view.ts';
import classes from './column-menu.module.css';
import { type Columns, mapColumnLooks } from './columns.ts';
import { computeOrder, isShown, widthByKey } from './use-column-state.ts';

interface ColumnMenuProps<Row extends object> {
  /** The name under which the list's columns are stored. */
  readonly remember: string;
  readonly columns: Columns<Row>;
}

/** px: the starting width when a column without a width is resized. */
const UNSET = 240;

export function ColumnMenu<Row extends object>({ remember, columns }: ColumnMenuProps<Row>) {
  const { t } = useTranslation('frame');
  const [isOpen, setOpen] = useState(false);
  const looks = useMemo(() => mapColumnLooks(columns), [columns]);
  const view = useView(({ tables }) => tables[remember]) ?? {};
  const order = computeOrder(looks, view);
  const move = (id: string, step: -1 | 1) => {
    const next = [...order];
    const from = next.indexOf(id);
    next.splice(from, 1);
    next.splice(from + step, 0, id);
    changeTableView(remember, { order: next });
  };
  const resize = (event: KeyboardEvent, id: string, usual: number) => {
    const width = event.shiftKey ? widthByKey(event.key, view.widths?.[id] ?? usual) : null;
    if (width === null) return;
    event.preventDefault();
    changeTableView(remember, { widths: { ...view.widths, [id]: width } });
  };
  const items = order.flatMap((id) => {
    const look = looks.get(id);
    return look && look.isBare !== true ? [{ id, look }] : [];
  });
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="bottom-end"
      width={264}
      shadow="none"
      classNames={{ dropdown: classes.menu ?? '' }}
    >
      <Popover.Target>
        <Tooltip label={t('table.columns')} disabled={isOpen}>
          <ActionIcon variant="default" size={32} aria-label={t('table.columns')} onClick={() => setOpen(!isOpen)}>
            <IconColumns3 size={16} stroke={1.5} />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('table.columns')}>
        <ul className={classes.list} aria-label={t('table.columns')}>
          {items.map(({ id, look }, index) => (
            <li key={id} className={classes.item}>
              <Checkbox
                size="xs"
                label={look.label}
                checked={isShown(id, look, view)}
                disabled={look.isFixed === true}
                aria-keyshortcuts="Shift+ArrowLeft Shift+ArrowRight"
                onKeyDown={(event) => resize(event, id, look.width ?? UNSET)}
                onChange={(event) =>
                  changeTableView(remember, { shown: { ...view.shown, [id]: event.currentTarget.checked } })
                }
              />
              <span className={classes.moves}>
                <ActionIcon
                  size={24}
                  variant="subtle"
                  color="gray"
                  aria-label={t('table.moveUp', { column: look.label })}
                  disabled={index === 0}
                  onClick={() => move(id, -1)}
                >
                  <IconChevronUp size={14} stroke={1.5} />
                </ActionIcon>
                <ActionIcon
                  size={24}
                  variant="subtle"
                  color="gray"
                  aria-label={t('table.moveDown', { column: look.label })}
                  disabled={index === items.length - 1}
                  onClick={() => move(id, 1)}
                >
                  <IconChevronDown size={14} stroke={1.5} />
                </ActionIcon>
              </span>
            </li>
          ))}
        </ul>
        <p className={classes.hint}>{t('table.widthHint')}</p>
      </Popover.Dropdown>
    </Popover>
  );
}
