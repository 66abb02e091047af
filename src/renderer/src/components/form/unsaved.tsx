// Leaving a form with unsaved input asks first, whether to another section, another screen, Back or another page.
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useHost } from '../../data/host.ts';
import { cancelNavigation, proceed, useHold, useIsWaiting } from '../../router/router.ts';
import { Confirm } from '../confirm.tsx';

/** `isOn`: there is unsaved input. */
export function useUnsaved(isOn: boolean): void {
  // Not in the desktop, whose window would silently refuse to close.
  const isInBrowser = useHost().kind === 'browser';
  useHold(isOn);
  useEffect(() => {
    if (!isOn || !isInBrowser) return;
    const preventUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', preventUnload);
    return () => window.removeEventListener('beforeunload', preventUnload);
  }, [isOn, isInBrowser]);
}

/** The question, rendered once for all forms. */
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
