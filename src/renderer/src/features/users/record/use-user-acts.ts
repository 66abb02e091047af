// The actions on one user, with their toasts and undos.
import { useTranslation } from 'react-i18next';
import { PanelCallError } from '../../../../../contract/client.ts';
import { buildProblem } from '../../../../../contract/errors.ts';
import type { User } from '../../../../../contract/users/users.ts';
import { usePanel } from '../../../data/panel.tsx';
import { type OperationRunner, useAct } from '../../../data/use-act.ts';
import { useFormat } from '../../../format/use-format.tsx';

/** Undoes the last action of its kind on a user; fails if the user was changed since. */
function useUndoLast(action: 'extendUser' | 'shortenUser' | 'resetUserTraffic') {
  const { client, invalidate } = usePanel();
  return async (id: number) => {
    const { items } = await client.listAudit({ target: `user:${id}`, action, limit: 1 });
    const { left } = await client.undoActs({ entries: items.map((entry) => entry.id) });
    invalidate('user');
    invalidate('panel');
    if (left > 0) throw new PanelCallError(buildProblem('precondition_failed', ''));
  };
}

/** Whether an extension starts a new term with a reset traffic counter. */
export function canBeginAgain(user: User, now: number): boolean {
  const { expires_at: end, reset_strategy: strategy, used_up, used_down } = user;
  return strategy === 'period' && end !== null && Date.parse(end) <= now && used_up + used_down > 0;
}

/** The toast of a changed term: its new end, with an undo. */
export function useTermMessage(before: User, act: 'extended' | 'shortened') {
  const { t } = useTranslation('users');
  const undoLast = useUndoLast(act === 'extended' ? 'extendUser' : 'shortenUser');
  const format = useFormat();
  return (user: User, now: number) => {
    const { id, name, hold, expires_at: date } = user;
    const undo = () => undoLast(id);
    if (hold !== null) return { text: t('toast.held', { name, term: format.term(hold) }), undo };
    const isOver = date !== null && Date.parse(date) <= now;
    const end = date === null ? '' : format.moment(date);
    if (isOver) return { text: t('toast.ended', { name }), undo };
    const isAgain = act === 'extended' && canBeginAgain(before, now);
    return { text: t(isAgain ? 'toast.extendedAgain' : `toast.${act}`, { name, date: end }), undo };
  };
}

export interface UserActs {
  readonly reset: OperationRunner<'resetUserTraffic'>;
  readonly reissue: OperationRunner<'reissueUser'>;
  readonly remove: OperationRunner<'deleteUser'>;
  readonly isSwitching: boolean;
  /** Enables a disabled user, disables an enabled one. */
  toggle(): void;
}

export function useUserActs({ id, name, enabled }: User): UserActs {
  const { t } = useTranslation('users');
  const { client, invalidate } = usePanel();
  const undoReset = useUndoLast('resetUserTraffic');
  const change = useAct('updateUser', {
    message: (user, input) => ({
      text: t(input.enabled ? 'toast.enabled' : 'toast.disabled', { name: user.name }),
      undo: async () => {
        await client.updateUser({ id, enabled: !input.enabled });
        invalidate('user');
      },
    }),
  });
  return {
    reset: useAct('resetUserTraffic', {
      message: () => ({ text: t('toast.reset', { name }), undo: () => undoReset(id) }),
    }),
    reissue: useAct('reissueUser', { message: () => ({ text: t('toast.reissued', { name }) }) }),
    remove: useAct('deleteUser', { message: () => ({ text: t('toast.deleted', { name }) }) }),
    isSwitching: change.isRunning,
    toggle: () => change.start({ id, enabled: !enabled }),
  };
}
