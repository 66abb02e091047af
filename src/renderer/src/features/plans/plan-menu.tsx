// The further actions on a plan: copy, archive, delete. A plan with users can be archived but not deleted.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { RecordMenu } from '../../components/acts/record-menu.tsx';
import { useAct } from '../../data/use-act.ts';
import { buildHash } from '../../router/route.ts';
import { navigate } from '../../router/router.ts';
import type { Plan } from './plan-values.ts';

interface PlanMenuProps {
  readonly plan: Plan;
  /** The plan no longer exists, or is no longer in this list. */
  readonly onGone: () => void;
}

export function PlanMenu({ plan, onGone }: PlanMenuProps) {
  const { t } = useTranslation('plans');
  const { id, name, users, archived } = plan;
  const [isDeleting, setDeleting] = useState(false);
  const update = useAct('updateTariff');
  const archive = useAct('updateTariff', {
    message: (_, input) => ({
      text: t(input.archived ? 'toast.archived' : 'toast.restored', { name }),
      undo: () => update.run({ id, archived: !input.archived }),
    }),
    onDone: onGone,
  });
  const remove = useAct('deleteTariff', { message: () => ({ text: t('toast.deleted', { name }) }), onDone: onGone });
  return (
    <RecordMenu
      noun="plans"
      record={plan}
      acts={{
        'plans.copy': () => navigate(buildHash(['plans', 'new'], { from: id })),
        'plans.offers': () => navigate(buildHash(['sales', 'offers'], { plan: id })),
        'plans.users': () => navigate(buildHash(['users'], { tariff_id: id })),
        [archived ? 'plans.restore' : 'plans.archive']: () => archive.start({ id, archived: !archived }),
      }}
      isDeleting={isDeleting}
      setDeleting={setDeleting}
      onDelete={() => remove.run({ id })}
      isInUse={users > 0}
      instead={{
        action: archived ? t('act.users') : t('act.archive'),
        async onConfirm() {
          if (archived) navigate(buildHash(['users'], { tariff_id: id }));
          else await archive.run({ id, archived: true });
        },
      }}
    >
      <p>{t('inUse.text', { count: users })}</p>
      <p>{archived ? t('inUse.move') : t('inUse.archive')}</p>
    </RecordMenu>
  );
}
