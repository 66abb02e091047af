// Which of the frame's own dialogs is open.
import { create } from 'zustand';

export type Overlay = 'palette' | 'keys';

export const useOverlay = create<{ readonly open: Overlay | null }>()(() => ({ open: null }));

export function openOverlay(open: Overlay): void {
  useOverlay.setState({ open });
}

export function closeOverlay(): void {
  useOverlay.setState({ open: null });
}
