// Short messages that say what happened, with the way back where there is one. They never ask anything.
import { Notifications, notifications } from '@mantine/notifications';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import i18next from 'i18next';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PanelCallError, toPanelCallError } from '../../../contract/client.ts';
import { useFailureText } from './failure.ts';
import classes from './toasts.module.css';

export interface Said {
  /** What has happened, said back: "Anna extended to 14 Mar 2027". */
  readonly text: string;
  /** Puts it back as it was; the toast then says that it did. */
  readonly undo?: () => Promise<unknown>;
}

const SHORT_MS = 5000;
/** Whoever may want to undo needs time to notice. */
const UNDO_MS = 10_000;
const FAILURE_MS = 12_000;

/** Says that something is done. */
export function say({ text, undo }: Said): void {
  const id = crypto.randomUUID();
  show(id, <Message id={id} text={text} {...(undo && { undo })} />, 'done', undo ? UNDO_MS : SHORT_MS);
}

/** Says why a call failed, with its request id. Not said: a session that ended, for which sign-in is asked. */
export function sayFailure(failure: unknown): void {
  const told = failure instanceof PanelCallError ? failure : toPanelCallError(failure);
  if (told.code === 'signed_out') return;
  show(`failure-${told.code}`, <FailureMessage failure={told} />, 'failed', FAILURE_MS);
}

function show(id: string, message: ReactNode, kind: 'done' | 'failed', autoClose: number): void {
  notifications.hide(id);
  notifications.show({
    id,
    message,
    autoClose,
    icon: kind === 'done' ? <IconCheck size={16} stroke={2} /> : <IconAlertTriangle size={16} stroke={1.75} />,
    role: kind === 'done' ? 'status' : 'alert',
    closeButtonProps: { 'aria-label': i18next.t('common:close') },
    classNames: {
      root: classes.toast ?? '',
      icon: (kind === 'done' ? classes.done : classes.failed) ?? '',
      body: classes.body ?? '',
      description: classes.text ?? '',
      closeButton: classes.close ?? '',
    },
  });
}

function Message({ id, text, undo }: Said & { readonly id: string }) {
  const { t } = useTranslation('common');
  const [isBusy, setBusy] = useState(false);
  const onUndo = async () => {
    setBusy(true);
    try {
      await undo?.();
      notifications.hide(id);
      say({ text: t('undone') });
    } catch (failure) {
      setBusy(false);
      sayFailure(failure);
    }
  };
  return (
    <span className={classes.message}>
      <span>{text}</span>
      {undo && (
        <button type="button" className={classes.undo} disabled={isBusy} onClick={() => void onUndo()}>
          {t('undo')}
        </button>
      )}
    </span>
  );
}

function FailureMessage({ failure }: { readonly failure: PanelCallError }) {
  const { t } = useTranslation('common');
  const { text, requestId } = useFailureText()(failure);
  return (
    <>
      {text}
      {requestId !== null && <code className={classes.id}>{t('requestId', { id: requestId })}</code>}
    </>
  );
}

/** Where they appear, once, around the whole page: never over a drawer and its buttons, which stand on the right. */
export function Toasts() {
  return <Notifications position="bottom-left" limit={4} zIndex={400} containerWidth={380} />;
}
