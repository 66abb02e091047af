// A backup file that was dropped onto the window, for the page of backups.
import { create } from 'zustand';

export const useDropped = create<{ readonly backup: File | null }>()(() => ({ backup: null }));

/** null: the page has taken it. */
export function setDropped(backup: File | null): void {
  useDropped.setState({ backup });
}
