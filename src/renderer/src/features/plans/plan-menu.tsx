// What else can be done with a plan: a copy, the archive, and out. One that has users is archived, never deleted.
import { ActionIcon, Menu } from '@mantine/core';
import { IconArchive, IconArchiveOff, IconCopyPlus, IconDots, IconTrash, IconUsers } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Confirm, ConfirmByName } from '../../components/confirm.tsx';
import { useAct } from '../../data/use-act.ts';
import { hashOf } from '../../router/place.ts';
import { go } from '../../router/router.ts';
import type { Plan } from './plan-values.ts';

interface PlanMenuProps {
  readonly plan: Plan;
  /** It is no longer there, or no longer where it stood. */
  readonly onGone: () => void;
}

export function PlanMenu({ plan, onGone }: PlanMenuProps) {
  const { t } = useTranslation('plans');
  const { id, name, users, archived } = plan;
  const [isAsking, setAsking] = useState(false);
  const update = useAct('updateTariff');
  const archive = useAct('updateTariff', {
    said: (_, input) => ({
      text: t(input.archived ? 'said.archived' : 'said.restored', { name }),
      undo: () => update.run({ id, archived: !input.archived }),
    }),
    onDone: onGone,
  });
  const remove = useAct('deleteTariff', { said: () => ({ text: t('said.deleted', { name }) }), onDone: onGone });
  const close = () => setAsking(false);
  return (
    <>
      <Menu position="bottom-end" shadow="none">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={t('more', { name })}>
            <IconDots size={18} stroke={1.5} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<IconCopyPlus size={16} stroke={1.5} />}
            onClick={() => go(hashOf(['plans', 'new'], { from: id }))}
          >
            {t('act.copy')}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconUsers size={16} stroke={1.5} />}
            onClick={() => go(hashOf(['users'], { tariff_id: id }))}
          >
            {t('act.users')}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item
            leftSection={archived ? <IconArchiveOff size={16} stroke={1.5} /> : <IconArchive size={16} stroke={1.5} />}
            onClick={() => archive.start({ id, archived: !archived })}
          >
            {archived ? t('act.restore') : t('act.archive')}
          </Menu.Item>
          <Menu.Item color="red" leftSection={<IconTrash size={16} stroke={1.5} />} onClick={() => setAsking(true)}>
            {t('act.delete')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {users > 0 ? (
        <Confirm
          isOpen={isAsking}
          onClose={close}
          title={t('inUse.title', { name })}
          action={archived ? t('act.users') : t('act.archive')}
          onConfirm={async () => {
            if (archived) go(hashOf(['users'], { tariff_id: id }));
            else await archive.run({ id, archived: true });
          }}
        >
          <p>{t('inUse.text', { count: users })}</p>
          <p>{archived ? t('inUse.move') : t('inUse.archive')}</p>
        </Confirm>
      ) : (
        <ConfirmByName
          isOpen={isAsking}
          onClose={close}
          title={t('delete.title', { name })}
          name={name}
          action={t('act.delete')}
          onConfirm={() => remove.run({ id })}
        >
          <p>{t('delete.text')}</p>
        </ConfirmByName>
      )}
    </>
  );
}
