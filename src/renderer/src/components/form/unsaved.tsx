// Leaving a form with input that is not saved asks first, wherever it leads: another section, another screen, Back, another page.
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useHost } from '../../data/host.ts';
import { cancelNavigation, proceed, useHold, useIsWaiting } from '../../router/router.ts';
import { Confirm } from '../confirm.tsx';

/** While `isOn` there is such input. */
export function useUnsaved(isOn: boolean): void {
  // The desktop's window would not close, and say nothing.
  const isInBrowser = useHost().kind === 'browser';
  useHold(isOn);
  useEffect(() => {
    if (!isOn || !isInBrowser) return;
    const preventUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', preventUnload);
    return () => window.removeEventListener('beforeunload', preventUnload);
  }, [isOn, isInBrowser]);
}

/** The question; on screen once for all forms. */
export function UnsavedQuestion() {
  const { t } = useTranslation('frame');
  return (
    <Confirm
      isOpen={useIsWaiting()}
      onClose={cancelNavigation}
      title={t('form.discardTitle')}
      action={t('form.discard')}
      isDangerous
      onConfirm={async () => proceed()}
    >
      {t('form.discardText')}
    </Confirm>
  );
}
