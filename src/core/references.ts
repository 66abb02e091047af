// What acts on a user may refer to: the user itself, plans and connections, each with its own refusal.
import type { Context } from './context.ts';
import { bodyError, PanelError } from './panel-error.ts';
import type { TariffRow } from './ports/plans.ts';
import type { UserRow } from './ports/users.ts';

/** The user, or `not_found`. */
export function requireUser({ store }: Context, id: number): UserRow {
  const row = store.users.get(id);
  if (!row) throw new PanelError('not_found');
  return row;
}

/** The plan a user can be put on, or `tariff_not_found`: archived ones stay with their users, but take no new ones. */
export function requireUsableTariff({ store }: Context, id: number): TariffRow {
  const tariff = store.tariffs.get(id);
  if (tariff && !tariff.archived) return tariff;
  const message = tariff ? 'is archived and takes no new users' : 'there is no such plan';
  throw bodyError('tariff_not_found', '#/tariff_id', 'tariff_not_found', message);
}

/** Refuses with `inbound_not_found` unless all these connections exist. */
export function requireInbounds({ store }: Context, ids: readonly number[] | null | undefined): void {
  if (!ids || ids.length === 0) return;
  const missing = new Set(store.inbounds.missing(ids));
  if (missing.size === 0) return;
  const errors = ids.flatMap((id, index) =>
    missing.has(id)
      ? [{ pointer: `#/inbounds/${index}`, code: 'inbound_not_found', message: 'there is no such connection' }]
      : [],
  );
  throw new PanelError('inbound_not_found', errors);
}
