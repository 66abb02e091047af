// A record in a drawer over its list, or in a side panel on a wide screen. It has its own address, so that links, reload and Back work.
import { CloseButton, Drawer } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { type ReactNode, type RefObject, useEffect, useId, useLayoutEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { showHidden } from '../format/show-hidden.ts';
import { useTitle } from '../router/title.ts';
import { useShortcuts } from './acts/keys.ts';
import { useEscape } from './dialog.tsx';
import classes from './record-drawer.module.css';
import { focusSidePanel, SidePanelContext, useIsSidePanel } from './side-panel.ts';
import { useSoonOpen } from './use-opening.ts';

export interface RecordDrawerProps {
  readonly isOpen: boolean;
  /** Returns to the list: `leave(buildHash(['users'], route.query))`. */
  readonly onClose: () => void;
  /** The record's name; also the window's title. */
  readonly title: string;
  /** Under the name: state, contact. */
  readonly subtitle?: ReactNode;
  /** In the head, beside the close button: a menu, an action. */
  readonly actions?: ReactNode;
  /** 480 for a form, 640 for a record. */
  readonly width?: 480 | 560 | 640;
  /** Fixed at the lower edge: a form's buttons. */
  readonly footer?: ReactNode;
  /** false: neither a click outside nor Escape closes it. */
  readonly canClose?: boolean;
  /** It is a row of the list: on a wide screen it is a side panel, and the list stays usable. */
  readonly isOfList?: boolean;
  /** It fills a window of its own. */
  readonly isWindow?: boolean;
  readonly children: ReactNode;
}

export function RecordDrawer(props: RecordDrawerProps) {
  const { isOpen, isOfList = false, isWindow = false } = props;
  const title = showHidden(props.title);
  const isSidePanel = useIsSidePanel(isOpen);
  useTitle(isOpen ? title : undefined, 1);
  if (!isOfList || isWindow || !isSidePanel) return <RecordOver {...props} title={title} />;
  if (!isOpen) return null;
  return (
    <SidePanelContext value={true}>
      <RecordSidePanel {...props} title={title} />
    </SidePanelContext>
  );
}

/** A drawer over the list, which is not usable meanwhile. */
function RecordOver(props: RecordDrawerProps) {
  const { onClose, title, width = 640, canClose = true, isWindow = false } = props;
  const { t } = useTranslation('common');
  const content = useRef<HTMLDivElement>(null);
  const isOpen = useSoonOpen(props.isOpen);
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
      // Portals are not printed.
      withinPortal={!isWindow}
      shadow="none"
    >
      {!isWindow && <Drawer.Overlay className={classes.scrim} />}
      <Drawer.Content
        ref={content}
        data-window={isWindow || undefined}
        classNames={{ inner: classes.inner ?? '', content: classes.content ?? '' }}
      >
        <Parts
          {...props}
          heading={<Drawer.Title className={classes.title ?? ''}>{title}</Drawer.Title>}
          close={!isWindow && <Drawer.CloseButton aria-label={t('close')} icon={<IconX size={18} stroke={1.5} />} />}
        />
      </Drawer.Content>
    </Drawer.Root>
  );
}

/** A side panel at the right of the list. Opening another row replaces it. */
function RecordSidePanel(props: RecordDrawerProps) {
  const { onClose, title, canClose = true } = props;
  const { t } = useTranslation('common');
  const titleId = useId();
  const panel = useRef<HTMLElement>(null);
  useFocusSidePanel(panel);
  // In a field of the list Escape belongs to the field, in an open menu (rendered elsewhere in the document) to the menu.
  const isOurs = (target: EventTarget | null) => {
    if (!(target instanceof Element) || target.getAttribute('data-mantine-stop-propagation') === 'true') return false;
    if (target === document.body || panel.current?.contains(target)) return true;
    const isField = target.matches('input[type=search], input[type=text], textarea');
    return !isField && panel.current?.closest('main')?.contains(target) === true;
  };
  useShortcuts([{ keys: 'escape', label: t('close'), inInputs: true, isFor: isOurs, run: onClose }], {
    isOn: canClose,
    inDialog: true,
  });
  return (
    <section
      ref={panel}
      role="dialog"
      aria-labelledby={titleId}
      tabIndex={-1}
      data-beside
      data-arrival
      className={`${classes.content} ${classes.beside}`}
    >
      <Parts
        {...props}
        heading={
          <h2 id={titleId} className={classes.title}>
            {title}
          </h2>
        }
        close={<CloseButton aria-label={t('close')} icon={<IconX size={18} stroke={1.5} />} onClick={onClose} />}
      />
    </section>
  );
}

interface PartsProps extends Pick<RecordDrawerProps, 'subtitle' | 'actions' | 'footer' | 'children'> {
  readonly heading: ReactNode;
  readonly close: ReactNode;
}

function Parts({ heading, subtitle, actions, close, footer, children }: PartsProps) {
  return (
    <>
      <div className={classes.head}>
        <div className={classes.names}>
          {heading}
          {subtitle !== undefined && <div className={classes.subtitle}>{subtitle}</div>}
        </div>
        <div className={classes.actions}>
          {actions}
          {close}
        </div>
      </div>
      <div className={classes.body}>{children}</div>
      {footer !== undefined && <div className={classes.footer}>{footer}</div>}
    </>
  );
}

/** Takes the focus if nothing has it, as after a link from another screen; otherwise leaves it on the list's row. */
function useFocusSidePanel(panel: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = panel.current;
    if (element === null) return;
    const main = element.closest('main');
    if (document.activeElement === document.body || document.activeElement === main) focusSidePanel(element);
    return () => {
      if (!element.contains(document.activeElement)) return;
      requestAnimationFrame(() => {
        if (document.activeElement !== document.body) return;
        (main?.querySelector<HTMLElement>('tr[tabindex="0"]') ?? main)?.focus({ preventScroll: true });
      });
    };
  }, [panel]);
}

interface DrawerSectionProps {
  readonly title?: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A section of a record, separated by a line. */
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

/** A fact of a record: the label on the left, the value on the right. */
export function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className={classes.fact}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Wraps facts. */
export function Facts({ children }: { readonly children: ReactNode }) {
  return <dl className={classes.facts}>{children}</dl>;
}

// When a form inside a record closes, the focus returns to the element that opened it, else to the record.

/** `box`: the form while it is mounted. */
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
