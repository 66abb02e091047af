// A record over its list, with an address of its own, so that links, reload and Back work.
import { Drawer } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { showHidden } from '../format/show-hidden.ts';
import { useTitle } from '../router/title.ts';
import { useEscape } from './dialog.tsx';
import classes from './record-drawer.module.css';

export interface RecordDrawerProps {
  readonly isOpen: boolean;
  /** Returns to the list: `leave(hashOf(['users'], route.query))`. */
  readonly onClose: () => void;
  /** The record's name; also the window's title. */
  readonly title: string;
  /** Under the name: state, contact. */
  readonly subtitle?: ReactNode;
  /** In the head, beside the close button: a menu, an act. */
  readonly actions?: ReactNode;
  /** 480 for a form, 640 for a record. */
  readonly width?: 480 | 560 | 640;
  /** Fixed at the lower edge: a form's buttons. */
  readonly footer?: ReactNode;
  /** false: a click beside the drawer does not close it; Escape does nothing here. */
  readonly canClose?: boolean;
  /** It fills a window of its own, which closes it. */
  readonly isWindow?: boolean;
  readonly children: ReactNode;
}

export function RecordDrawer(props: RecordDrawerProps) {
  const {
    isOpen,
    onClose,
    subtitle,
    actions,
    width = 640,
    footer,
    canClose = true,
    isWindow = false,
    children,
  } = props;
  const { t } = useTranslation('common');
  const title = showHidden(props.title);
  const content = useRef<HTMLDivElement>(null);
  useTitle(isOpen ? title : undefined, 1);
  useEscape(content, onClose, isOpen && canClose && !isWindow);
  return (
    <Drawer.Root
      opened={isOpen}
      onClose={onClose}
      position="right"
      size={isWindow ? '100%' : width}
      closeOnEscape={false}
      closeOnClickOutside={canClose && !isWindow}
      transitionProps={{ transition: 'slide-left', duration: isWindow ? 0 : 180 }}
      // What is in a portal is not printed.
      withinPortal={!isWindow}
      shadow="none"
    >
      {!isWindow && <Drawer.Overlay className={classes.scrim} />}
      <Drawer.Content
        ref={content}
        data-window={isWindow || undefined}
        classNames={{ inner: classes.inner ?? '', content: classes.content ?? '' }}
      >
        <div className={classes.head}>
          <div className={classes.names}>
            <Drawer.Title className={classes.title ?? ''}>{title}</Drawer.Title>
            {subtitle !== undefined && <div className={classes.subtitle}>{subtitle}</div>}
          </div>
          <div className={classes.actions}>
            {actions}
            {!isWindow && <Drawer.CloseButton aria-label={t('close')} icon={<IconX size={18} stroke={1.5} />} />}
          </div>
        </div>
        <div className={classes.body}>{children}</div>
        {footer !== undefined && <div className={classes.footer}>{footer}</div>}
      </Drawer.Content>
    </Drawer.Root>
  );
}

interface DrawerSectionProps {
  readonly title?: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A part of a record, set off by a quiet line. */
export function DrawerSection({ title, actions, children }: DrawerSectionProps) {
  return (
    <section className={classes.section} aria-label={title}>
      {title !== undefined && (
        <header className={classes.sectionHead}>
          <h3>{title}</h3>
          {actions}
        </header>
      )}
      {children}
    </section>
  );
}

/** A fact of a record: what it is on the left, how it is on the right. */
export function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className={classes.fact}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Around facts. */
export function Facts({ children }: { readonly children: ReactNode }) {
  return <dl className={classes.facts}>{children}</dl>;
}

// A form inside a record returns the focus when it closes: to the element that opened it, else to the record.

/** `box`: the form, while it is there. */
export function useReturnFocus(box: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const opener = document.activeElement;
    const record = box.current?.closest<HTMLElement>('[role=dialog]') ?? null;
    return () => {
      requestAnimationFrame(() => {
        if (document.activeElement !== document.body || record === null) return;
        const isThere = opener instanceof HTMLElement && opener.isConnected && record.contains(opener);
        (isThere ? opener : record).focus();
      });
    };
  }, [box]);
}
