// A dialog in the middle of the window, for what must be answered before anything else. Records and forms open in drawers instead.
import { Modal } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { type ReactNode, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './dialog.module.css';
import { useEscape } from './use-escape.ts';

interface DialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** px */
  readonly width?: number;
  readonly children: ReactNode;
}

/** Its content is there only while it is open: nothing typed before stands in it the next time. */
export function Dialog({ isOpen, ...props }: DialogProps) {
  return isOpen ? <OpenDialog {...props} /> : null;
}

function OpenDialog({ onClose, title, width = 440, children }: Omit<DialogProps, 'isOpen'>) {
  const { t } = useTranslation('common');
  const content = useRef<HTMLDivElement>(null);
  useEscape(content, onClose, true);
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
        <div className={classes.body}>{children}</div>
      </Modal.Content>
    </Modal.Root>
  );
}
