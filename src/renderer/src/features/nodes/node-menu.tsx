// The further actions on a node: enable, disable, drain, delete. A node with connections cannot be deleted.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Node } from '../../../../contract/nodes/nodes.ts';
import { RecordMenu } from '../../components/acts/record-menu.tsx';
import { useAct } from '../../data/use-act.ts';
import { useOperation } from '../../data/use-operation.ts';
import { buildHash } from '../../router/route.ts';
import { navigate } from '../../router/router.ts';
import { NodeDrain } from './node-drain.tsx';

interface NodeMenuProps {
  readonly node: Node;
  /** Called when the node has been deleted. */
  readonly onGone: () => void;
}

export function NodeMenu({ node, onGone }: NodeMenuProps) {
  const { t } = useTranslation('nodes');
  const { id, name, enabled, draining } = node;
  const [isDeleting, setDeleting] = useState(false);
  const [isDraining, setDraining] = useState(false);
  const { data } = useOperation('listInbounds', { node_id: id, limit: 1 }, { enabled: isDeleting });
  const count = data?.total ?? 0;
  const update = useAct('updateNode');
  const toggle = useAct('updateNode', {
    message: (_, input) => ({
      text: t(input.enabled ? 'toast.enabled' : 'toast.disabled', { name }),
      undo: () => update.run({ id, enabled: !input.enabled }),
    }),
  });
  const drain = useAct('updateNode', {
    message: (_, input) => ({
      text: t(input.draining ? 'toast.draining' : 'toast.drainingEnded', { name }),
      undo: () => update.run({ id, draining: !input.draining }),
    }),
  });
  const remove = useAct('deleteNode', { message: () => ({ text: t('toast.deleted', { name }) }), onDone: onGone });
  return (
    <>
      <RecordMenu
        noun="nodes"
        record={node}
        acts={{
          'nodes.edit': () => navigate(buildHash(['nodes', id, 'edit'])),
          [enabled ? 'nodes.disable' : 'nodes.enable']: () => toggle.start({ id, enabled: !enabled }),
          ...(draining
            ? { 'nodes.stopDraining': () => drain.start({ id, draining: false }) }
            : { 'nodes.drain': () => setDraining(true) }),
          'nodes.connections': () => navigate(buildHash(['connections'], { node: id })),
          'nodes.users': () => navigate(buildHash(['users'], { node_id: id })),
        }}
        isDeleting={isDeleting}
        setDeleting={setDeleting}
        onDelete={() => remove.run({ id })}
        isInUse={count > 0}
        instead={{
          action: t('act.connections'),
          onConfirm: async () => navigate(buildHash(['connections'], { node: id })),
        }}
      >
        <p>{t('inUse.text', { count })}</p>
        <p>{t('inUse.instead')}</p>
      </RecordMenu>
      <NodeDrain
        node={node}
        isOpen={isDraining}
        onClose={() => setDraining(false)}
        onDrain={() => drain.run({ id, draining: true })}
      />
    </>
  );
}
