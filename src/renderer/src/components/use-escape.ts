// Escape closes what stands on top, and only that: a question over a drawer over a list goes first.
import { type RefObject, useEffect, useRef } from 'react';

/** `dialog`: the element with the role of a dialog. While `isOn`, Escape calls `onEscape` where no other dialog stands over it. */
export function useEscape(dialog: RefObject<HTMLElement | null>, onEscape: () => void, isOn: boolean): void {
  const latest = useRef(onEscape);
  useEffect(() => {
    latest.current = onEscape;
  });
  useEffect(() => {
    if (!isOn) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return;
      // An open list or menu of Mantine's takes the key for itself and marks its element so.
      const { target } = event;
      if (target instanceof Element && target.getAttribute('data-mantine-stop-propagation') === 'true') return;
      const top = [...document.querySelectorAll('[role="dialog"][aria-modal="true"]')].at(-1);
      if (top !== dialog.current) return;
      event.preventDefault();
      latest.current();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [dialog, isOn]);
}
