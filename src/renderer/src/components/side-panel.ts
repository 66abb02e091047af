// On a wide screen a record stands beside its list instead of over it, and both are used at once.
import { useMediaQuery } from '@mantine/hooks';
import { createContext, useState } from 'react';
import { isHeld } from '../router/router.ts';

/** From here on there is room for both. */
const WIDE = '(min-width: 1440px)';

/** Whether a record that is opened now stands beside its list. */
export function useIsSidePanel(isOpen: boolean): boolean {
  const isWide = useMediaQuery(WIDE, undefined, { getInitialValueInEffect: false }) ?? false;
  const [isSidePanel, setSidePanel] = useState(isWide);
  // A record with input that is not saved stays where it is while the window changes its size.
  if (isSidePanel !== isWide && !(isOpen && isHeld())) setSidePanel(isWide);
  return isSidePanel;
}

/** Around what is in such a record: its keys rest while a dialog is over both. */
export const SidePanelContext = createContext(false);

/** The record that stands beside a list at this moment. */
export function sidePanel(): HTMLElement | null {
  return document.querySelector<HTMLElement>('[data-beside]');
}

/** Moves the focus to where one begins in it: its first field, if it is a form. */
export function focusSidePanel(record: HTMLElement | null): void {
  (record?.querySelector<HTMLElement>('[data-autofocus]') ?? record)?.focus({ preventScroll: true });
}
