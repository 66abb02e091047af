// Plans (tariffs): what users are made from. A plan in use is archived, never deleted.
import type { Input, Output } from '../contract/table.ts';
import type { Tariff, TariffCreate } from '../contract/tariffs.ts';
import type { Reply, Scope } from './context.ts';
import { etagOf, requireMatch } from './etag.ts';
import type { Handlers } from './handler.ts';
import { PanelError } from './panel-error.ts';
import type { TariffRow } from './ports/plans.ts';
import { requireInbounds } from './references.ts';
import { definedOnly, isSameJson, toInstant } from './wire.ts';

function viewTariff({ store }: Scope, row: TariffRow): Tariff {
  return {
    id: row.id,
    name: row.name,
    traffic_limit: row.trafficLimit,
    duration: row.duration,
    device_limit: row.deviceLimit,
    reset_strategy: row.resetStrategy,
    starts: row.starts,
    inbounds: row.inbounds as number[] | null,
    price: row.price,
    archived: row.archived,
    users: store.users.countByTariff(row.id),
    created_at: toInstant(row.createdAt),
    updated_at: toInstant(row.updatedAt),
  };
}

function reply(scope: Scope, row: TariffRow, status = 200): Reply {
  return { status, body: viewTariff(scope, row), etag: etagOf(row) };
}

function tariffOf({ store }: Scope, id: number): TariffRow {
  const tariff = store.tariffs.get(id);
  if (!tariff) throw new PanelError('not_found');
  return tariff;
}

type Fields = Omit<TariffRow, 'id' | 'createdAt' | 'updatedAt' | 'version'>;

function fieldsOf(input: Partial<TariffCreate>): { [K in keyof Fields]?: Fields[K] | undefined } {
  return {
    name: input.name,
    trafficLimit: input.traffic_limit,
    duration: input.duration,
    deviceLimit: input.device_limit,
    resetStrategy: input.reset_strategy,
    starts: input.starts,
    inbounds: input.inbounds,
    price: input.price,
    archived: input.archived,
  };
}

function listTariffs(input: Input<'listTariffs'>, scope: Scope): Reply {
  const { tariffs } = scope.store;
  const { archived, limit, offset } = input;
  const body: Output<'listTariffs'> = {
    items: tariffs.page({ archived }, limit, offset).map((row) => viewTariff(scope, row)),
    total: tariffs.count({ archived }),
    limit,
    offset,
    next_cursor: null,
  };
  return { status: 200, body };
}

function createTariff(input: Input<'createTariff'>, scope: Scope): Reply {
  const { store, now } = scope;
  requireInbounds(scope, input.inbounds);
  const fields = { ...(fieldsOf(input) as Fields), createdAt: now, updatedAt: now, version: 1 };
  const row = { ...fields, id: store.tariffs.insert(fields) };
  scope.emit('tariff.created', { tariff_id: row.id, name: row.name });
  scope.audit(`tariff:${row.id}`, { ...input });
  return { ...reply(scope, row, 201), location: `/tariffs/${row.id}` };
}

function updateTariff(input: Input<'updateTariff'>, scope: Scope): Reply {
  const { store, now } = scope;
  const { id, ...asked } = input;
  const before = tariffOf(scope, id);
  requireMatch(scope.call.ifMatch, etagOf(before));
  requireInbounds(scope, input.inbounds);
  const wanted: TariffRow = { ...before, ...definedOnly(fieldsOf(definedOnly(asked) as Partial<TariffCreate>)) };
  if (isSameJson(wanted, before)) return reply(scope, before);
  const after = { ...wanted, updatedAt: now, version: before.version + 1 };
  store.tariffs.save(after);
  scope.emit('tariff.changed', { tariff_id: id, name: after.name });
  scope.audit(`tariff:${id}`, asked);
  return reply(scope, after);
}

function deleteTariff(input: Input<'deleteTariff'>, scope: Scope): Reply {
  const { store } = scope;
  const row = tariffOf(scope, input.id);
  requireMatch(scope.call.ifMatch, etagOf(row));
  if (store.users.countByTariff(row.id) > 0) throw new PanelError('tariff_in_use');
  store.tariffs.remove(row.id);
  scope.emit('tariff.deleted', { tariff_id: row.id, name: row.name });
  scope.audit(`tariff:${row.id}`, { name: row.name });
  return { status: 204 };
}

export const TARIFF_HANDLERS = {
  listTariffs: { read: listTariffs },
  getTariff: { read: (input, scope) => reply(scope, tariffOf(scope, input.id)) },
  createTariff: { write: createTariff },
  updateTariff: { write: updateTariff },
  deleteTariff: { write: deleteTariff },
} satisfies Handlers<'listTariffs' | 'getTariff' | 'createTariff' | 'updateTariff' | 'deleteTariff'>;
