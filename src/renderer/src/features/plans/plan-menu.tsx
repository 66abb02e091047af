// What else can be done with a plan: a copy, the archive, and out. One that has users is archived, never deleted.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ActMenu, ActQuestion } from '../../components/acts/act-menu.tsx';
import { Confirm } from '../../components/confirm.tsx';
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
  const [isAsking, setAsking] = useState(false);
  const update = useAct('updateTariff');
  const archive = useAct('updateTariff', {
    message: (_, input) => ({
      text: t(input.archived ? 'toast.archived' : 'toast.restored', { name }),
      undo: () => update.run({ id, archived: !input.archived }),
    }),
    onDone: onGone,
  });
  const remove = useAct('deleteTariff', { message: () => ({ text: t('toast.deleted', { name }) }), onDone: onGone });
  const close = () => setAsking(false);
  return (
    <>
      <ActMenu
        label={t('more', { name })}
        acts={{
          'plans.copy': () => navigate(buildHash(['plans', 'new'], { from: id })),
          'plans.offers': () => navigate(buildHash(['sales', 'offers'], { plan: id })),
          'plans.users': () => navigate(buildHash(['users'], { tariff_id: id })),
          [archived ? 'plans.restore' : 'plans.archive']: () => archive.start({ id, archived: !archived }),
          'plans.delete': () => setAsking(true),
        }}
      />
      {users > 0 ? (
        <Confirm
          isOpen={isAsking}
          onClose={close}
          title={t('inUse.title', { name })}
          action={archived ? t('act.users') : t('act.archive')}
          onConfirm={async () => {
            if (archived) navigate(buildHash(['users'], { tariff_id: id }));
            else await archive.run({ id, archived: true });
          }}
        >
          <p>{t('inUse.text', { count: users })}</p>
          <p>{archived ? t('inUse.move') : t('inUse.archive')}</p>
        </Confirm>
      ) : (
        <ActQuestion
          act="plans.delete"
          isOpen={isAsking}
          onClose={close}
          title={t('delete.title', { name })}
          name={name}
          id={id}
          onConfirm={() => remove.run({ id })}
        >
          <p>{t('delete.text')}</p>
        </ActQuestion>
      )}
    </>
  );
}
