// The side panel: on a wide screen a record is beside its list instead of over it, and both are usable.
import { useMediaQuery } from '@mantine/hooks';
import { createContext, useState } from 'react';
import { isHeld } from '../router/router.ts';

/** Screens of this width have room for both. */
const WIDE = '(min-width: 1440px)';

/** Whether a record that is opened now is a side panel. */
export function useIsSidePanel(isOpen: boolean): boolean {
  const isWide = useMediaQuery(WIDE, undefined, { getInitialValueInEffect: false }) ?? false;
  const [isSidePanel, setSidePanel] = useState(isWide);
  // A record with unsaved input keeps its place while the window is resized.
  if (isSidePanel !== isWide && !(isOpen && isHeld())) setSidePanel(isWide);
  return isSidePanel;
}

/** true inside a side panel, whose keys are off while a dialog is open. */
export const SidePanelContext = createContext(false);

/** The open side panel; null: none. */
export function sidePanel(): HTMLElement | null {
  return document.querySelector<HTMLElement>('[data-beside]');
}

/** Moves the focus into it: to the first field if it is a form. */
export function focusSidePanel(record: HTMLElement | null): void {
  (record?.querySelector<HTMLElement>('[data-autofocus]') ?? record)?.focus({ preventScroll: true });
}
