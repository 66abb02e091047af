// The acts on one user: the message of each when it is done, and how it is undone.
import { useTranslation } from 'react-i18next';
import type { User } from '../../../../../contract/users.ts';
import { usePanel } from '../../../data/panel.tsx';
import { type Act, useAct } from '../../../data/use-act.ts';
import { useFormat } from '../../../format/use-format.tsx';

/** Describes a changed term by its new end, with an undo where that is possible. */
export function useTermMessage(before: User, act: 'extended' | 'shortened') {
  const { t } = useTranslation('users');
  const { client, invalidate } = usePanel();
  const format = useFormat();
  return (user: User, now: number) => {
    const { name, hold, expires_at: date } = user;
    if (hold !== null) return { text: t('said.held', { name, term: format.term(hold) }) };
    const isOver = date !== null && Date.parse(date) <= now;
    const end = date === null ? '' : format.moment(date);
    const text = isOver ? t('said.ended', { name }) : t(`said.${act}`, { name, date: end });
    const former = before.expires_at;
    // A term that was over has started again, maybe with its counter: setting the date alone would not undo that.
    if (former === null || Date.parse(former) <= now) return { text };
    const undo = async () => {
      await client.updateUser({ id: user.id, expires_at: former });
      invalidate('user');
    };
    return { text, undo };
  };
}

export interface UserActs {
  readonly reset: Act<'resetUserTraffic'>;
  readonly reissue: Act<'reissueUser'>;
  readonly remove: Act<'deleteUser'>;
  readonly isSwitching: boolean;
  /** Enables a disabled user, disables an enabled one. */
  toggle(): void;
}

export function useUserActs({ id, name, enabled }: User): UserActs {
  const { t } = useTranslation('users');
  const { client, invalidate } = usePanel();
  const change = useAct('updateUser', {
    message: (user, input) => ({
      text: t(input.enabled ? 'said.enabled' : 'said.disabled', { name: user.name }),
      undo: async () => {
        await client.updateUser({ id, enabled: !input.enabled });
        invalidate('user');
      },
    }),
  });
  return {
    reset: useAct('resetUserTraffic', { message: () => ({ text: t('said.reset', { name }) }) }),
    reissue: useAct('reissueUser', { message: () => ({ text: t('said.reissued', { name }) }) }),
    remove: useAct('deleteUser', { message: () => ({ text: t('said.deleted', { name }) }) }),
    isSwitching: change.isRunning,
    toggle: () => change.start({ id, enabled: !enabled }),
  };
}
