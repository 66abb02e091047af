// The acts on one user: what each says when it is done, and how it is undone.
import { useTranslation } from 'react-i18next';
import type { User } from '../../../../../contract/users.ts';
import { usePanel } from '../../../data/panel.tsx';
import { type Act, useAct } from '../../../data/use-act.ts';
import { useFormat } from '../../../format/use-format.tsx';

/** What says of an extension where the term ends now, and puts it back where that can be done. */
export function useExtensionMessage(before: User) {
  const { t } = useTranslation('users');
  const { client, invalidate } = usePanel();
  const format = useFormat();
  return (user: User, now: number) => {
    const { name, hold, expires_at: date } = user;
    if (hold !== null) return { text: t('said.held', { name, term: format.term(hold) }) };
    const text = t('said.extended', { name, date: date === null ? '' : format.moment(date) });
    const former = before.expires_at;
    // A term that was over has begun anew, maybe with its counter: a date alone does not put that back.
    if (former === null || Date.parse(former) <= now) return { text };
    const undo = async () => {
      await client.updateUser({ id: user.id, expires_at: former });
      invalidate('user');
    };
    return { text, undo };
  };
}

export interface UserActs {
  readonly reset: Act<'resetTraffic'>;
  readonly reissue: Act<'reissueUser'>;
  readonly remove: Act<'deleteUser'>;
  readonly isSwitching: boolean;
  /** Enables whoever is disabled, disables whoever is not. */
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
    reset: useAct('resetTraffic', { message: () => ({ text: t('said.reset', { name }) }) }),
    reissue: useAct('reissueUser', { message: () => ({ text: t('said.reissued', { name }) }) }),
    remove: useAct('deleteUser', { message: () => ({ text: t('said.deleted', { name }) }) }),
    isSwitching: change.isRunning,
    toggle: () => change.start({ id, enabled: !enabled }),
  };
}
