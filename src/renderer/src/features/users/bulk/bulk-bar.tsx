// The selection with its acts, over the lower edge of the list.
import { Button, Menu } from '@mantine/core';
import {
  IconCalendarPlus,
  IconCheck,
  IconDots,
  IconPlus,
  IconRefresh,
  IconTag,
  IconTagOff,
  IconTemplate,
  IconTrash,
  IconUserOff,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { BulkAction } from '../../../../../contract/user-acts.ts';
import { SelectionBar } from '../../../components/selection-bar.tsx';
import type { Selection } from '../../../components/table/selection.ts';

const ICONS = {
  extend: IconCalendarPlus,
  reset: IconRefresh,
  disable: IconUserOff,
  enable: IconCheck,
  grant: IconPlus,
  set_tariff: IconTemplate,
  add_tags: IconTag,
  remove_tags: IconTagOff,
  delete: IconTrash,
} as const satisfies Record<BulkAction, unknown>;

const BUTTONS = ['extend', 'reset', 'disable', 'enable'] as const;
const MENU = ['grant', 'set_tariff', 'add_tags', 'remove_tags'] as const;

interface BulkBarProps {
  readonly selection: Selection;
  readonly count: number;
  readonly total: number | undefined;
  readonly onAct: (action: BulkAction) => void;
}

export function BulkBar({ selection, count, total, onAct }: BulkBarProps) {
  const { t } = useTranslation('users');
  return (
    <SelectionBar
      count={count}
      onClear={selection.clear}
      {...(total !== undefined && !selection.isAll && { total, onSelectAll: selection.selectAll })}
    >
      {BUTTONS.map((action) => (
        <BulkButton key={action} action={action} onAct={onAct} />
      ))}
      <Menu position="top-end" width={208}>
        <Menu.Target>
          <Button variant="default" leftSection={<IconDots size={16} stroke={1.5} />}>
            {t('bulk.menuLabel')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {MENU.map((action) => {
            const Icon = ICONS[action];
            return (
              <Menu.Item key={action} leftSection={<Icon size={16} stroke={1.5} />} onClick={() => onAct(action)}>
                {t(`bulk.menu.${action}`)}
              </Menu.Item>
            );
          })}
        </Menu.Dropdown>
      </Menu>
      <BulkButton action="delete" onAct={onAct} />
    </SelectionBar>
  );
}

interface BulkButtonProps {
  readonly action: (typeof BUTTONS)[number] | 'delete';
  readonly onAct: (action: BulkAction) => void;
}

function BulkButton({ action, onAct }: BulkButtonProps) {
  const { t } = useTranslation('users');
  const Icon = ICONS[action];
  return (
    <Button
      variant="default"
      leftSection={<Icon size={16} stroke={1.5} />}
      {...(action === 'delete' && { c: 'var(--g-bad-ink)' })}
      onClick={() => onAct(action)}
    >
      {t(`act.${action}`)}
    </Button>
  );
}
