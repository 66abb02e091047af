// What else can be done with a node: on and off, and out. One that has connections is not deleted.
import { Menu } from '@mantine/core';
import { IconPencil, IconPlugConnected } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Node } from '../../../../contract/nodes.ts';
import { Confirm, ConfirmByName } from '../../components/confirm.tsx';
import { DeleteItem, MoreItem, MoreMenu, ToggleItem } from '../../components/more-menu.tsx';
import { useAct } from '../../data/use-act.ts';
import { useOperation } from '../../data/use-operation.ts';
import { hashOf } from '../../router/route.ts';
import { navigate } from '../../router/router.ts';

interface NodeMenuProps {
  readonly node: Node;
  /** It is no longer there. */
  readonly onGone: () => void;
}

export function NodeMenu({ node, onGone }: NodeMenuProps) {
  const { t } = useTranslation('nodes');
  const { id, name, enabled } = node;
  const [isAsking, setAsking] = useState(false);
  const { data } = useOperation('listInbounds', { node_id: id, limit: 1 }, { enabled: isAsking });
  const count = data?.total ?? 0;
  const update = useAct('updateNode');
  const toggle = useAct('updateNode', {
    message: (_, input) => ({
      text: t(input.enabled ? 'said.enabled' : 'said.disabled', { name }),
      undo: () => update.run({ id, enabled: !input.enabled }),
    }),
  });
  const remove = useAct('deleteNode', { message: () => ({ text: t('said.deleted', { name }) }), onDone: onGone });
  const close = () => setAsking(false);
  return (
    <>
      <MoreMenu label={t('more', { name })}>
        <MoreItem icon={IconPencil} label={t('act.edit')} onClick={() => navigate(hashOf(['nodes', id, 'edit']))} />
        <ToggleItem
          isOn={enabled}
          label={enabled ? t('act.disable') : t('act.enable')}
          onClick={() => toggle.start({ id, enabled: !enabled })}
        />
        <MoreItem
          icon={IconPlugConnected}
          label={t('act.connections')}
          onClick={() => navigate(hashOf(['connections'], { node: id }))}
        />
        <Menu.Divider />
        <DeleteItem label={t('act.delete')} onClick={() => setAsking(true)} />
      </MoreMenu>
      {count > 0 ? (
        <Confirm
          isOpen={isAsking}
          onClose={close}
          title={t('inUse.title', { name })}
          action={t('act.connections')}
          onConfirm={async () => navigate(hashOf(['connections'], { node: id }))}
        >
          <p>{t('inUse.text', { count })}</p>
          <p>{t('inUse.instead')}</p>
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
