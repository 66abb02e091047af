// A modal in the middle of the window, for questions that must be answered first. Records and forms open in drawers instead.
import { Modal } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './dialog.module.css';
import { SidePanelContext } from './side-panel.ts';

interface DialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** px */
  readonly width?: number;
  readonly children: ReactNode;
}

/** The content is mounted only while it is open, so that it starts without former input. */
export function Dialog({ isOpen, ...props }: DialogProps) {
  return isOpen ? <OpenDialog {...props} /> : null;
}

function OpenDialog({ onClose, title, width = 440, children }: Omit<DialogProps, 'isOpen'>) {
  const { t } = useTranslation('common');
  const content = useRef<HTMLDivElement>(null);
  useEscape(content, onClose, true);
  useFocusBack();
  return (
    <Modal.Root
      opened
      onClose={onClose}
      centered
      size={width}
      padding={0}
      closeOnEscape={false}
      transitionProps={{ transition: 'pop', duration: 150 }}
    >
      <Modal.Overlay className={classes.scrim ?? ''} />
      <Modal.Content ref={content} classNames={{ content: classes.content ?? '' }}>
        <div className={classes.head}>
          <Modal.Title className={classes.title ?? ''}>{title}</Modal.Title>
          <Modal.CloseButton aria-label={t('close')} icon={<IconX size={18} stroke={1.5} />} />
        </div>
        <SidePanelContext value={false}>
          <div className={classes.body}>{children}</div>
        </SidePanelContext>
      </Modal.Content>
    </Modal.Root>
  );
}

/** Returns the focus to the element that opened the dialog; if that was a menu's entry, to the menu's button. */
function useFocusBack(): void {
  const [openers] = useState(() => {
    const opener = document.activeElement;
    const menu = opener?.closest('[role="menu"]')?.getAttribute('aria-labelledby');
    return [opener, menu ? document.getElementById(menu) : null];
  });
  useEffect(
    () => () => {
      requestAnimationFrame(() => {
        if (document.activeElement !== document.body) return;
        const opener = openers.find((one) => one instanceof HTMLElement && one !== document.body && one.isConnected);
        if (opener instanceof HTMLElement) opener.focus({ preventScroll: true });
      });
    },
    [openers],
  );
}

// Escape closes the topmost layer only: a question first, then the drawer below, then the list's state.

/** `dialog`: the element with the role of a dialog. While `isOn`, Escape calls `onEscape` unless another dialog is above it. */
export function useEscape(dialog: RefObject<HTMLElement | null>, onEscape: () => void, isOn: boolean): void {
  const latest = useRef(onEscape);
  useEffect(() => {
    latest.current = onEscape;
  });
  useEffect(() => {
    if (!isOn) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return;
      // Mantine's open lists and menus handle the key themselves, and mark their element.
      const { target } = event;
      if (target instanceof Element && target.getAttribute('data-mantine-stop-propagation') === 'true') return;
      const top = [...document.querySelectorAll('[role="dialog"][aria-modal="true"]')].at(-1);
      if (top !== dialog.current) return;
      event.preventDefault();
      latest.current();
    };
    // On the document, before the window: an open tooltip handles the key too and stops it there.
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [dialog, isOn]);
}
