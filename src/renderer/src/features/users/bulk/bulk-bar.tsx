// The bulk bar of users: the selection and its actions, over the lower edge of the list.
import { Button, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { BulkAction } from '../../../../../contract/users/user-acts.ts';
import { type ActRuns, actsIn, isDeletion } from '../../../components/acts/acts.ts';
import { SelectionBar } from '../../../components/acts/selection-bar.tsx';
import { useActs, useActTexts } from '../../../components/acts/use-acts.ts';
import type { Selection } from '../../../components/table/selection.ts';

interface BulkBarProps {
  readonly selection: Selection;
  readonly count: number;
  readonly total: number | undefined;
  readonly onAct: (action: BulkAction) => void;
}

export function BulkBar({ selection, count, total, onAct }: BulkBarProps) {
  const { t } = useTranslation(['users', 'frame']);
  const { getActName } = useActTexts();
  const runs = {
    'users.extend': () => onAct('extend'),
    'users.grant': () => onAct('grant'),
    'users.set_tariff': () => onAct('set_tariff'),
    'users.add_tags': () => onAct('add_tags'),
    'users.remove_tags': () => onAct('remove_tags'),
    'users.set_inbounds': () => onAct('set_inbounds'),
    'users.move_inbounds': () => onAct('move_inbounds'),
    'users.reset': () => onAct('reset'),
    'users.disable': () => onAct('disable'),
    'users.enable': () => onAct('enable'),
    'users.delete': () => onAct('delete'),
  } satisfies ActRuns & Record<`users.${BulkAction}`, () => void>;
  useActs(runs, { isOn: count > 0, about: t('frame:selection.count', { count }), group: 'list' });
  const acts = actsIn(runs);
  const buttons = acts.filter(({ isButton }) => isButton);
  const renderButton = (act: (typeof acts)[number]) => (
    <Button
      key={act.id}
      variant="default"
      leftSection={<act.icon size={16} stroke={1.5} />}
      {...(isDeletion(act.id) && { c: 'var(--g-bad-ink)' })}
      onClick={act.run}
    >
      {getActName(act)}
    </Button>
  );
  return (
    <SelectionBar
      count={count}
      onClear={selection.clear}
      {...(total !== undefined && !selection.isAll && { total, onSelectAll: selection.selectAll })}
    >
      {buttons.filter(({ id }) => !isDeletion(id)).map(renderButton)}
      <Menu position="top-end" width={208}>
        <Menu.Target>
          <Button variant="default" leftSection={<IconDots size={16} stroke={1.5} />}>
            {t('users:bulk.menuLabel')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {acts
            .filter(({ isButton }) => !isButton)
            .map((act) => (
              <Menu.Item key={act.id} leftSection={<act.icon size={16} stroke={1.5} />} onClick={act.run}>
                {getActName(act)}
              </Menu.Item>
            ))}
        </Menu.Dropdown>
      </Menu>
      {buttons.filter(({ id }) => isDeletion(id)).map(renderButton)}
    </SelectionBar>
  );
}
