// The vault of whoever has none: the thread of large writes and commands that touch no secret.
import { PanelError } from '../../core/panel-error.ts';
import type { Vault } from '../../core/ports/ports.ts';

function refuse(): never {
  throw new PanelError('vault_unavailable');
}

export const noVault: Vault = {
  state: () => 'absent',
  reason: () => 'absent',
  backend: () => null,
  refresh: async () => 'absent',
  prepare: async () => refuse(),
  seal: refuse,
  open: refuse,
};
