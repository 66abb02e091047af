// Shows toasts, with an undo button if possible. They never ask a question.
import { Notifications, notifications } from '@mantine/notifications';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PanelCallError } from '../../../contract/client.ts';
import {
  dequeueMessages,
  type Message,
  notify,
  notifyFailure,
  type PendingMessage,
  useMessages,
} from '../state/messages.ts';
import { randomHex } from '../state/random.ts';
import { useFailureText } from './failure.ts';
import classes from './toasts.module.css';

const SHORT_MS = 5000;
/** How long a toast with an undo button stays. */
const UNDO_MS = 10_000;
const FAILURE_MS = 12_000;

/** The position of toasts, once for the whole page: never over a drawer's buttons, which are on the right. */
export function Toasts() {
  const { t } = useTranslation('common');
  const pending = useMessages((messages) => messages.pending);
  useEffect(() => {
    if (pending.length === 0) return;
    for (const message of dequeueMessages()) show(message, t('close'));
  }, [pending, t]);
  return <Notifications position="bottom-left" limit={4} zIndex={400} containerWidth={380} />;
}

function show(message: PendingMessage, closeLabel: string): void {
  if (message instanceof PanelCallError) {
    const id = `failure-${message.code}`;
    showToast(id, <FailureToast failure={message} />, 'failed', FAILURE_MS, closeLabel);
  } else {
    const id = randomHex(8);
    const [kind, autoClose] = message.isRefusal
      ? (['failed', FAILURE_MS] as const)
      : (['done', message.undo ? UNDO_MS : SHORT_MS] as const);
    showToast(id, <DoneToast id={id} message={message} />, kind, autoClose, closeLabel);
  }
}

function showToast(
  id: string,
  content: ReactNode,
  kind: 'done' | 'failed',
  autoClose: number,
  closeLabel: string,
): void {
  notifications.hide(id);
  notifications.show({
    id,
    message: content,
    autoClose,
    icon: kind === 'done' ? <IconCheck size={16} stroke={2} /> : <IconAlertTriangle size={16} stroke={1.75} />,
    role: kind === 'done' ? 'status' : 'alert',
    closeButtonProps: { 'aria-label': closeLabel },
    classNames: {
      root: classes.toast ?? '',
      icon: (kind === 'done' ? classes.done : classes.failed) ?? '',
      body: classes.body ?? '',
      description: classes.text ?? '',
      closeButton: classes.close ?? '',
    },
  });
}

function DoneToast({ id, message: { text, undo } }: { readonly id: string; readonly message: Message }) {
  const { t } = useTranslation('common');
  const [isBusy, setBusy] = useState(false);
  const onUndo = async () => {
    setBusy(true);
    try {
      await undo?.();
      notifications.hide(id);
      notify({ text: t('undone') });
    } catch (failure) {
      setBusy(false);
      notifyFailure(failure);
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

function FailureToast({ failure }: { readonly failure: PanelCallError }) {
  const { t } = useTranslation('common');
  const { text, requestId } = useFailureText()(failure);
  return (
    <>
      {text}
      {requestId !== null && <code className={classes.id}>{t('requestId', { id: requestId })}</code>}
    </>
  );
}
