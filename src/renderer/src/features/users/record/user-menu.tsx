// All actions on the user, with a question before irreversible ones.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { User } from '../../../../../contract/users/users.ts';
import { ActMenu, ActQuestion } from '../../../components/acts/act-menu.tsx';
import type { ActId, ActRuns } from '../../../components/acts/acts.ts';
import { useActs } from '../../../components/acts/use-acts.ts';
import { useFormat } from '../../../format/use-format.tsx';
import { useOpenWindow } from './open-window.ts';
import type { OpenPart } from './record-context.tsx';
import { useUserActs } from './use-user-acts.ts';

interface UserMenuProps {
  readonly user: User;
  readonly onPart: (part: OpenPart) => void;
  readonly onDeleted: () => void;
}

export function UserMenu({ user, onPart, onDeleted }: UserMenuProps) {
  const { t } = useTranslation('users');
  const format = useFormat();
  const acts = useUserActs(user);
  const openWindow = useOpenWindow();
  const [confirming, setConfirming] = useState<'reset' | 'reissue' | 'delete' | null>(null);
  const { id, name, enabled } = user;
  const close = () => setConfirming(null);
  const hasTerm = user.expires_at !== null || user.hold !== null;
  const runs: ActRuns = {
    'users.extend': () => onPart('extend'),
    'users.shorten': () => onPart('shorten'),
    'users.grant': () => onPart('grant'),
    'users.reset': () => setConfirming('reset'),
    'users.reissue': () => setConfirming('reissue'),
    'users.window': openWindow && (() => openWindow(id)),
    [enabled ? 'users.disable' : 'users.enable']: acts.toggle,
    'users.delete': () => setConfirming('delete'),
  };
  const disabled: readonly ActId[] = [
    ...(hasTerm ? [] : (['users.shorten'] as const)),
    ...(acts.isSwitching ? (['users.disable', 'users.enable'] as const) : []),
  ];
  const possible = Object.fromEntries(Object.entries(runs).filter(([id]) => !disabled.includes(id as ActId)));
  useActs(possible, { inDialog: true, about: name });
  return (
    <>
      <ActMenu label={t('act.more')} acts={runs} disabled={disabled} />
      <ActQuestion
        act="users.reset"
        name={name}
        id={id}
        isOpen={confirming === 'reset'}
        onClose={close}
        title={t('confirm.resetTitle', { name })}
        onConfirm={() => acts.reset.run({ id })}
      >
        {t('confirm.resetText', { used: format.bytes(user.used_up + user.used_down) })}
      </ActQuestion>
      <ActQuestion
        act="users.reissue"
        name={name}
        id={id}
        isOpen={confirming === 'reissue'}
        onClose={close}
        title={t('confirm.reissueTitle', { name })}
        isDangerous
        onConfirm={() => acts.reissue.run({ id })}
      >
        {t('confirm.reissueText', { name })}
      </ActQuestion>
      <ActQuestion
        act="users.delete"
        isOpen={confirming === 'delete'}
        onClose={close}
        title={t('confirm.deleteTitle', { name })}
        name={name}
        id={id}
        onConfirm={async () => {
          await acts.remove.run({ id });
          onDeleted();
        }}
      >
        <p>{t('confirm.deleteText')}</p>
        {enabled && <p>{t('confirm.deleteInstead')}</p>}
      </ActQuestion>
    </>
  );
}
