// What else can be done with a record: the menu behind three dots, with its usual entries.
import { ActionIcon, Menu } from '@mantine/core';
import { type Icon, IconDots, IconPlayerPause, IconPlayerPlay, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';

interface MoreMenuProps {
  /** For those who do not see the dots: of what these are the acts. */
  readonly label: string;
  readonly children: ReactNode;
}

export function MoreMenu({ label, children }: MoreMenuProps) {
  return (
    <Menu position="bottom-end" shadow="none">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={label}>
          <IconDots size={18} stroke={1.5} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}

interface MoreItemProps {
  readonly icon: Icon;
  readonly label: string;
  readonly onClick: () => void;
}

export function MoreItem({ icon: Glyph, label, onClick }: MoreItemProps) {
  return (
    <Menu.Item leftSection={<Glyph size={16} stroke={1.5} />} onClick={onClick}>
      {label}
    </Menu.Item>
  );
}

/** On or off, whichever it is not. */
export function ToggleItem({ isOn, ...props }: Omit<MoreItemProps, 'icon'> & { readonly isOn: boolean }) {
  return <MoreItem {...props} icon={isOn ? IconPlayerPause : IconPlayerPlay} />;
}

/** Last, in the colour of what cannot be undone. */
export function DeleteItem({ label, onClick }: Omit<MoreItemProps, 'icon'>) {
  return (
    <Menu.Item color="red" leftSection={<IconTrash size={16} stroke={1.5} />} onClick={onClick}>
      {label}
    </Menu.Item>
  );
}
