// On a wide screen a record stands beside its list instead of over it, and both are used at once.
import { useMediaQuery } from '@mantine/hooks';
import { createContext, useState } from 'react';
import { isHeld } from '../router/router.ts';

/** From here on there is room for both. */
const WIDE = '(min-width: 1440px)';

/** Whether a record that is opened now stands beside its list. */
export function useIsBeside(isOpen: boolean): boolean {
  const isWide = useMediaQuery(WIDE, undefined, { getInitialValueInEffect: false }) ?? false;
  const [isBeside, setBeside] = useState(isWide);
  // A record with input that is not saved stays where it is while the window changes its size.
  if (isBeside !== isWide && !(isOpen && isHeld())) setBeside(isWide);
  return isBeside;
}

/** Around what is in such a record: its keys rest while a dialog is over both. */
export const BesideContext = createContext(false);

/** The record that stands beside a list at this moment. */
export function recordBeside(): HTMLElement | null {
  return document.querySelector<HTMLElement>('[data-beside]');
}

/** Moves the focus to where one begins in it: its first field, if it is a form. */
export function enterRecord(record: HTMLElement | null): void {
  (record?.querySelector<HTMLElement>('[data-autofocus]') ?? record)?.focus({ preventScroll: true });
}
