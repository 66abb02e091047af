// A backup that was dropped onto the window, until the page of backups takes it.
import { create } from 'zustand';

export const useDropped = create<{ readonly backup: File | null }>()(() => ({ backup: null }));

/** null: it was taken. */
export function setDropped(backup: File | null): void {
  useDropped.setState({ backup });
}
