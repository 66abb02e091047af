// Tariffs. Their inbounds are rows too, to find whether any tariff uses an inbound.

import type { TariffRow, TariffStore } from '../core/ports/tariffs.ts';
import { parseOwnJson } from '../domain/own-json.ts';
import type { Cell, Connection } from './database.ts';
import { createUses, limitTo } from './statements.ts';

interface TariffCells {
  readonly id: number;
  readonly name: string;
  readonly traffic_limit: number | null;
  readonly duration_days: number | null;
  readonly duration_months: number | null;
  readonly device_limit: number | null;
  readonly concurrent_limit: number | null;
  readonly reset_strategy: TariffRow['resetStrategy'];
  readonly starts: TariffRow['starts'];
  readonly inbounds: string | null;
  readonly price_amount: number | null;
  readonly price_currency: string | null;
  readonly archived: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly version: number;
}

const WRITTEN = [
  'name',
  'traffic_limit',
  'duration_days',
  'duration_months',
  'device_limit',
  'concurrent_limit',
  'reset_strategy',
  'starts',
  'inbounds',
  'price_amount',
  'price_currency',
  'archived',
  'created_at',
  'updated_at',
  'version',
] as const satisfies readonly (keyof TariffCells)[];

function decode(cells: TariffCells): TariffRow {
  const { duration_days: days, duration_months: months, price_amount: amount, price_currency: currency } = cells;
  return {
    id: cells.id,
    name: cells.name,
    trafficLimit: cells.traffic_limit,
    duration: days !== null ? { days } : months !== null ? { months } : null,
    deviceLimit: cells.device_limit,
    concurrentLimit: cells.concurrent_limit,
    resetStrategy: cells.reset_strategy,
    starts: cells.starts,
    inbounds: cells.inbounds === null ? null : (parseOwnJson(cells.inbounds) as number[]),
    price: amount === null || currency === null ? null : { amount, currency },
    archived: cells.archived === 1,
    createdAt: cells.created_at,
    updatedAt: cells.updated_at,
    version: cells.version,
  };
}

function encode(tariff: Omit<TariffRow, 'id'>): Record<(typeof WRITTEN)[number], Cell> {
  const { duration, price } = tariff;
  return {
    name: tariff.name,
    traffic_limit: tariff.trafficLimit,
    duration_days: duration !== null && 'days' in duration ? duration.days : null,
    duration_months: duration !== null && 'months' in duration ? duration.months : null,
    device_limit: tariff.deviceLimit,
    concurrent_limit: tariff.concurrentLimit,
    reset_strategy: tariff.resetStrategy,
    starts: tariff.starts,
    inbounds: tariff.inbounds === null ? null : JSON.stringify(tariff.inbounds),
    price_amount: price?.amount ?? null,
    price_currency: price?.currency ?? null,
    archived: tariff.archived ? 1 : 0,
    created_at: tariff.createdAt,
    updated_at: tariff.updatedAt,
    version: tariff.version,
  };
}

export function createTariffStore(db: Connection): TariffStore {
  const insert = db.prepare(
    `INSERT INTO tariffs (${WRITTEN.join(', ')}) VALUES (${WRITTEN.map((name) => `:${name}`).join(', ')})`,
  );
  const update = db.prepare(
    `UPDATE tariffs SET ${WRITTEN.map((name) => `${name} = :${name}`).join(', ')} WHERE id = :id`,
  );
  const remove = db.prepare<[number]>('DELETE FROM tariffs WHERE id = ?');
  const get = db.prepare<[number], TariffCells>('SELECT * FROM tariffs WHERE id = ?');
  const page = db.prepare<[{ archived: number | null; limit: number; offset: number; after: number }], TariffCells>(
    `SELECT * FROM tariffs WHERE id > :after AND (:archived IS NULL OR archived = :archived)
     ORDER BY id ${limitTo(':limit')} OFFSET :offset`,
  );
  const count = db
    .prepare<[{ archived: number | null }], number>(
      'SELECT count(*) FROM tariffs WHERE :archived IS NULL OR archived = :archived',
    )
    .pluck();
  const addInbound = db.prepare<[number, number]>('INSERT INTO tariff_inbounds (inbound_id, tariff_id) VALUES (?, ?)');
  const dropInbounds = db.prepare<[number]>('DELETE FROM tariff_inbounds WHERE tariff_id = ?');
  const usesOfInbound = createUses(
    db,
    'SELECT count(*) FROM tariff_inbounds WHERE inbound_id = ?',
    'SELECT t.id, t.name FROM tariff_inbounds AS i JOIN tariffs AS t ON t.id = i.tariff_id WHERE i.inbound_id = ? ORDER BY t.id',
  );

  const flagOf = (archived: boolean | undefined) => (archived === undefined ? null : Number(archived));
  return {
    insert: (tariff) => {
      const id = Number(insert.run(encode(tariff)).lastInsertRowid);
      for (const inbound of tariff.inbounds ?? []) addInbound.run(inbound, id);
      return id;
    },
    get: (id) => {
      const cells = get.get(id);
      return cells && decode(cells);
    },
    save: (tariff) => {
      update.run({ ...encode(tariff), id: tariff.id });
      dropInbounds.run(tariff.id);
      for (const inbound of tariff.inbounds ?? []) addInbound.run(inbound, tariff.id);
    },
    remove: (id) => {
      remove.run(id);
    },
    page: ({ archived }, limit, offset, after = 0) =>
      page.all({ archived: flagOf(archived), limit, offset, after }).map(decode),
    count: ({ archived }) => count.get({ archived: flagOf(archived) }) ?? 0,
    usesOfInbound,
  };
}
