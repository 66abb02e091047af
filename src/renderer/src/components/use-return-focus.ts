// A form that stood inside a record gives the focus back when it goes: to what opened it, else to the record.
import { type RefObject, useEffect } from 'react';

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
