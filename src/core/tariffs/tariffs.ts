// Tariffs: templates of users. A tariff in use is archived, not deleted.

import { bodyErrors } from '../../contract/input/errors.ts';
import type { Input, Output } from '../../contract/table.ts';
import { type Tariff, tariffTerms } from '../../contract/tariffs.ts';
import { requireInbounds } from '../inbounds/inbounds.ts';
import type { Context, Handlers, Transaction } from '../kernel/context.ts';
import { pageById } from '../kernel/paging.ts';
import { bodyError, inUseError, PanelError, requireAll } from '../kernel/panel-error.ts';
import {
  changedMembers,
  etagOf,
  isSameJson,
  mergePatch,
  patchReader,
  requireMatch,
  toInstant,
} from '../kernel/wire.ts';
import { priceFirstOffer } from '../offers/offers.ts';
import type { Result } from '../ports/call.ts';
import type { TariffRow } from '../ports/tariffs.ts';

function viewTariff({ store }: Context, row: TariffRow): Tariff {
  return {
    id: row.id,
    name: row.name,
    traffic_limit: row.trafficLimit,
    duration: row.duration,
    device_limit: row.deviceLimit,
    concurrent_limit: row.concurrentLimit,
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

function buildResult(context: Context, row: TariffRow): Result<Tariff> {
  return { body: viewTariff(context, row), etag: etagOf(row) };
}

function requireTariff({ store }: Context, id: number): TariffRow {
  const tariff = store.tariffs.get(id);
  if (!tariff) throw new PanelError('not_found');
  return tariff;
}

/** Without merged members. */
const toColumns = patchReader<Omit<Input<'updateTariff'>, 'id' | 'duration' | 'price'>, TariffRow>({
  name: 'name',
  traffic_limit: 'trafficLimit',
  device_limit: 'deviceLimit',
  concurrent_limit: 'concurrentLimit',
  reset_strategy: 'resetStrategy',
  starts: 'starts',
  inbounds: 'inbounds',
  archived: 'archived',
});

const NEEDS_ONE = 'must have exactly one of days and months: null takes the other away';

/** Duration and price after a patch. Throws `validation` if one is incomplete. */
function mergeTerms(patch: Input<'updateTariff'>, before: TariffRow): Pick<TariffRow, 'duration' | 'price'> {
  const merged = {
    duration: patch.duration === undefined ? before.duration : mergePatch(before.duration, patch.duration),
    price: patch.price === undefined ? before.price : mergePatch(before.price, patch.price),
  };
  const parsed = tariffTerms.safeParse(merged);
  if (parsed.success) return parsed.data;
  const errors = bodyErrors(parsed.error.issues, merged);
  throw new PanelError(
    'validation',
    errors.map((error) => (error.pointer === '#/duration' ? { ...error, message: NEEDS_ONE } : error)),
  );
}

/** A tariff that starts on first use needs a duration. */
function requireTermToStart({ starts, duration }: Pick<TariffRow, 'starts' | 'duration'>): void {
  if (starts !== 'on_first_use' || duration !== null) return;
  throw bodyError('validation', '#/duration', 'inconsistent', 'is required with on_first_use');
}

/** The tariff for a user, or `tariff_not_found`: archived ones accept no new users. */
export function requireUsableTariff({ store }: Context, id: number): TariffRow {
  const tariff = store.tariffs.get(id);
  if (tariff && !tariff.archived) return tariff;
  const message = tariff ? 'is archived and takes no new users' : 'there is no such tariff';
  throw bodyError('tariff_not_found', '#/tariff_id', 'tariff_not_found', message);
}

function listTariffs(input: Input<'listTariffs'>, context: Context): Result<Output<'listTariffs'>> {
  const { tariffs } = context.store;
  const conditions = { archived: input.archived };
  const total = tariffs.count(conditions);
  const read = (limit: number, offset: number, after?: number) => tariffs.page(conditions, limit, offset, after);
  return { body: pageById('tariffs', input, total, read, (row) => viewTariff(context, row)) };
}

/** Creates a tariff without an audit row. */
export function createTariffRow(input: Input<'createTariff'>, tx: Transaction): TariffRow {
  const { store, now } = tx;
  requireAll(
    () => requireTermToStart(input),
    () => requireInbounds(tx, input.inbounds),
  );
  const fields: Omit<TariffRow, 'id'> = {
    name: input.name,
    trafficLimit: input.traffic_limit,
    duration: input.duration,
    deviceLimit: input.device_limit,
    concurrentLimit: input.concurrent_limit,
    resetStrategy: input.reset_strategy,
    starts: input.starts,
    inbounds: input.inbounds,
    price: input.price,
    archived: input.archived,
    createdAt: now,
    updatedAt: now,
    version: 1,
  };
  const row = { ...fields, id: store.tariffs.insert(fields) };
  tx.emit('tariff.created', { tariff_id: row.id, name: row.name });
  return row;
}

function createTariff(input: Input<'createTariff'>, tx: Transaction): Result<Tariff> {
  const row = createTariffRow(input, tx);
  tx.audit(`tariff:${row.id}`, { ...input });
  return { ...buildResult(tx, row), location: `/tariffs/${row.id}` };
}

function updateTariff(input: Input<'updateTariff'>, tx: Transaction): Result<Tariff> {
  const { store, now } = tx;
  const { id, ...patch } = input;
  const before = requireTariff(tx, id);
  requireMatch(tx.call.ifMatch, etagOf(before));
  const terms = requireAll(
    () => {
      const merged = mergeTerms(input, before);
      requireTermToStart({ starts: input.starts ?? before.starts, ...merged });
      return merged;
    },
    () => requireInbounds(tx, input.inbounds),
  );
  const wanted: TariffRow = { ...before, ...toColumns(patch), ...terms };
  if (isSameJson(wanted, before)) return buildResult(tx, before);
  const after = { ...wanted, updatedAt: now, version: before.version + 1 };
  store.tariffs.save(after);
  if (!isSameJson(before.price, after.price)) priceFirstOffer(tx, id, after.price);
  const changed = changedMembers(viewTariff(tx, before), viewTariff(tx, after));
  tx.emit('tariff.changed', { tariff_id: id, name: after.name }, changed);
  tx.audit(`tariff:${id}`, patch);
  return buildResult(tx, after);
}

function deleteTariff(input: Input<'deleteTariff'>, tx: Transaction): Result<undefined> {
  const { store } = tx;
  const row = requireTariff(tx, input.id);
  requireMatch(tx.call.ifMatch, etagOf(row));
  const users = store.users.usesOfTariff(row.id);
  if (users.total > 0) throw inUseError('tariff_in_use', { users });
  store.tariffs.remove(row.id);
  tx.emit('tariff.deleted', { tariff_id: row.id, name: row.name });
  tx.audit(`tariff:${row.id}`, { name: row.name });
  return { body: undefined };
}

export const TARIFF_HANDLERS = {
  listTariffs: { read: listTariffs },
  getTariff: { read: (input, context) => buildResult(context, requireTariff(context, input.id)) },
  createTariff: { write: createTariff },
  updateTariff: { write: updateTariff },
  deleteTariff: { write: deleteTariff },
} satisfies Handlers<'listTariffs' | 'getTariff' | 'createTariff' | 'updateTariff' | 'deleteTariff'>;
