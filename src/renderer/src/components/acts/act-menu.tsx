// The menu of a record's actions behind three dots, in a row and in the record, and the confirmation of an action. Both come from the
// registry.
import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Confirm, ConfirmByName, wordToType } from '../confirm.tsx';
import { ACTS, type ActId, type ActRuns, actsIn, isDeletion } from './acts.ts';
import { useActTexts } from './use-acts.ts';

interface ActMenuProps {
  /** Accessible name of the button: whose actions these are. */
  readonly label: string;
  readonly acts: ActRuns;
  /** Actions that are not possible now. */
  readonly disabled?: readonly ActId[];
}

export function ActMenu({ label, acts, disabled = [] }: ActMenuProps) {
  const { getActName } = useActTexts();
  return (
    <Menu position="bottom-end" width={208} shadow="none">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size={32} aria-label={label}>
          <IconDots size={18} stroke={1.5} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {actsIn(acts).map((act, index) => [
          index > 0 && act.startsPart && <Menu.Divider key={`${act.id} part`} />,
          <Menu.Item
            key={act.id}
            leftSection={<act.icon size={16} stroke={1.5} />}
            {...(isDeletion(act.id) && { c: 'var(--g-bad-ink)' })}
            disabled={disabled.includes(act.id)}
            onClick={act.run}
          >
            {getActName(act)}
          </Menu.Item>,
        ])}
      </Menu.Dropdown>
    </Menu>
  );
}

interface ActQuestionProps {
  readonly act: ActId;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** The action with its object: "Delete Anna Smirnova". */
  readonly title: string;
  /** The record's name and id, one of which must be typed if the action demands it. */
  readonly name: string;
  readonly id: number;
  readonly children: ReactNode;
  readonly isDangerous?: boolean;
  readonly isReady?: boolean;
  readonly onConfirm: () => Promise<unknown>;
}

/** The confirmation of an action, whose name is on the button. */
export function ActQuestion({ act, name, id, ...props }: ActQuestionProps) {
  const { getActName } = useActTexts();
  const value = { id: act, ...ACTS[act] };
  const action = getActName(value);
  return 'confirm' in value && value.confirm === 'name' ? (
    <ConfirmByName {...props} name={wordToType(name, id)} action={action} />
  ) : (
    <Confirm {...props} action={action} />
  );
}
