// Everything that can be done to the user, with a question before what cannot be undone.
import { ActionIcon, Menu, Tooltip } from '@mantine/core';
import {
  IconCalendarMinus,
  IconCalendarPlus,
  IconCheck,
  IconDots,
  IconKey,
  IconPlus,
  IconRefresh,
  IconTrash,
  IconUserOff,
} from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { User } from '../../../../../contract/users.ts';
import { Confirm, ConfirmByName } from '../../../components/confirm.tsx';
import { useFormat } from '../../../format/use-format.tsx';
import type { OpenPart } from './record-context.tsx';
import { useUserActs } from './use-user-acts.ts';

interface ActMenuProps {
  readonly user: User;
  readonly onPart: (part: OpenPart) => void;
  readonly onDeleted: () => void;
}

const icon = { size: 16, stroke: 1.5 } as const;

export function ActMenu({ user, onPart, onDeleted }: ActMenuProps) {
  const { t } = useTranslation('users');
  const format = useFormat();
  const acts = useUserActs(user);
  const [asking, setAsking] = useState<'reset' | 'reissue' | 'delete' | null>(null);
  const { id, name, enabled } = user;
  const close = () => setAsking(null);
  return (
    <>
      <Menu position="bottom-end" width={208}>
        <Menu.Target>
          <Tooltip label={t('act.more')}>
            <ActionIcon variant="subtle" color="gray" size={32} aria-label={t('act.more')}>
              <IconDots size={18} stroke={1.5} />
            </ActionIcon>
          </Tooltip>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconCalendarPlus {...icon} />} onClick={() => onPart('extend')}>
            {t('act.extend')}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconCalendarMinus {...icon} />}
            onClick={() => onPart('shorten')}
            disabled={user.expires_at === null && user.hold === null}
          >
            {t('act.shorten')}
          </Menu.Item>
          <Menu.Item leftSection={<IconPlus {...icon} />} onClick={() => onPart('grant')}>
            {t('act.addTraffic')}
          </Menu.Item>
          <Menu.Item leftSection={<IconRefresh {...icon} />} onClick={() => setAsking('reset')}>
            {t('act.reset')}
          </Menu.Item>
          <Menu.Item leftSection={<IconKey {...icon} />} onClick={() => setAsking('reissue')}>
            {t('act.reissue')}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item
            leftSection={enabled ? <IconUserOff {...icon} /> : <IconCheck {...icon} />}
            onClick={acts.toggle}
            disabled={acts.isSwitching}
          >
            {t(enabled ? 'act.disable' : 'act.enable')}
          </Menu.Item>
          <Menu.Item color="red" leftSection={<IconTrash {...icon} />} onClick={() => setAsking('delete')}>
            {t('act.delete')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Confirm
        isOpen={asking === 'reset'}
        onClose={close}
        title={t('confirm.resetTitle', { name })}
        action={t('act.reset')}
        onConfirm={() => acts.reset.run({ id })}
      >
        {t('confirm.resetText', { used: format.bytes(user.used_up + user.used_down) })}
      </Confirm>
      <Confirm
        isOpen={asking === 'reissue'}
        onClose={close}
        title={t('confirm.reissueTitle', { name })}
        action={t('act.reissue')}
        isDangerous
        onConfirm={() => acts.reissue.run({ id })}
      >
        {t('confirm.reissueText', { name })}
      </Confirm>
      <ConfirmByName
        isOpen={asking === 'delete'}
        onClose={close}
        title={t('confirm.deleteTitle', { name })}
        name={name}
        action={t('act.delete')}
        onConfirm={async () => {
          await acts.remove.run({ id });
          onDeleted();
        }}
      >
        <p>{t('confirm.deleteText')}</p>
        {enabled && <p>{t('confirm.deleteInstead')}</p>}
      </ConfirmByName>
    </>
  );
}
