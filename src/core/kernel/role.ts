// Refuses operations on a panel whose data another panel has taken over: it is read-only.
import type { CoreParts } from './core.ts';
import { PanelError } from './panel-error.ts';

export function isActive({ role }: Pick<CoreParts, 'role'>): boolean {
  return role === undefined || role.state() === 'active';
}

/** Throws PanelError `superseded`. */
export function requireRole(parts: Pick<CoreParts, 'role'>): void {
  if (!isActive(parts)) throw new PanelError('superseded');
}
