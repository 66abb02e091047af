// The menu of a connection: enable, disable, duplicate and delete. A connection that plans or users list cannot be deleted.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Inbound } from '../../../../contract/inbounds.ts';
import { RecordMenu } from '../../components/acts/record-menu.tsx';
import { useAct } from '../../data/use-act.ts';
import { useWholeList } from '../../data/use-operation.ts';
import { showHidden } from '../../format/show-hidden.ts';
import { buildHash } from '../../router/route.ts';
import { navigate } from '../../router/router.ts';
import { ConnectionNodes } from './connection-nodes.tsx';

interface ConnectionMenuProps {
  readonly inbound: Inbound;
  /** The connection was deleted. */
  readonly onGone: () => void;
  /** The connection was changed. */
  readonly onChanged: () => void;
}

export function ConnectionMenu({ inbound, onGone, onChanged }: ConnectionMenuProps) {
  const { t } = useTranslation('connections');
  const { id, name, enabled } = inbound;
  const [isDeleting, setDeleting] = useState(false);
  const [isPlacing, setPlacing] = useState(false);
  const plans = useWholeList('listTariffs', {}, { enabled: isDeleting });
  const plansUsing = plans.data?.items.filter(({ inbounds }) => inbounds?.includes(id)) ?? [];
  const update = useAct('updateInbound');
  const toggle = useAct('updateInbound', {
    message: (_, input) => ({
      text: t(input.enabled ? 'toast.enabled' : 'toast.disabled', { name }),
      undo: () => update.run({ id, enabled: !input.enabled }),
    }),
    onDone: onChanged,
  });
  const remove = useAct('deleteInbound', { message: () => ({ text: t('toast.deleted', { name }) }), onDone: onGone });
  return (
    <>
      <RecordMenu
        noun="connections"
        record={inbound}
        acts={{
          [enabled ? 'connections.disable' : 'connections.enable']: () => toggle.start({ id, enabled: !enabled }),
          'connections.copy': () => navigate(buildHash(['connections', 'new'], { from: id })),
          'connections.place': () => setPlacing(true),
        }}
        isDeleting={isDeleting}
        setDeleting={setDeleting}
        onDelete={() => remove.run({ id })}
        deletionHint={t('delete.instead')}
        isInUse={plansUsing.length > 0}
        instead={{
          action: enabled ? t('act.disable') : t('inUse.openPlan'),
          async onConfirm() {
            if (enabled) await toggle.run({ id, enabled: false });
            else navigate(buildHash(['plans', plansUsing[0]?.id ?? '']));
          },
        }}
      >
        <p>{t('inUse.text', { count: plansUsing.length })}</p>
        <ul>
          {plansUsing.map((plan) => (
            <li key={plan.id}>
              <a href={buildHash(['plans', plan.id])} onClick={() => setDeleting(false)}>
                {showHidden(plan.name)}
              </a>
            </li>
          ))}
        </ul>
        <p>{enabled ? t('inUse.disable') : t('inUse.takeOut')}</p>
      </RecordMenu>
      <ConnectionNodes
        inbound={inbound}
        isOpen={isPlacing}
        onClose={() => setPlacing(false)}
        onGone={onGone}
        onChanged={onChanged}
      />
    </>
  );
}
