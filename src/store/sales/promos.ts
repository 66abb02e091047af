// Promo codes and the orders that use them.

import type { PromoRow, PromoStore, PromoUse } from '../../core/ports/promos.ts';
import { parseOwnJson } from '../../domain/own-json.ts';
import type { PromoUses } from '../../domain/sales/promo.ts';
import type { Connection } from '../database.ts';
import { limitTo } from '../statements.ts';

type Cells = Omit<PromoRow, 'effect' | 'tariffIds' | 'offerIds' | 'isEnabled'> & {
  readonly effect: string;
  readonly tariffIds: string | null;
  readonly offerIds: string | null;
  readonly isEnabled: number;
};

const COLUMNS = `id, code, effect, valid_from AS validFrom, valid_until AS validUntil, max_uses AS maxUses,
  max_uses_per_user AS maxUsesPerUser, tariff_ids AS tariffIds, offer_ids AS offerIds, enabled AS isEnabled, note, created_at AS createdAt,
  updated_at AS updatedAt`;

function decode(cells: Cells): PromoRow {
  return {
    ...cells,
    effect: parseOwnJson(cells.effect),
    tariffIds: cells.tariffIds === null ? null : parseOwnJson(cells.tariffIds),
    offerIds: cells.offerIds === null ? null : parseOwnJson(cells.offerIds),
    isEnabled: cells.isEnabled === 1,
  };
}

function encode<Row extends Omit<PromoRow, 'id'>>(row: Row) {
  return {
    ...row,
    effect: JSON.stringify(row.effect),
    tariffIds: row.tariffIds && JSON.stringify(row.tariffIds),
    offerIds: row.offerIds && JSON.stringify(row.offerIds),
    isEnabled: row.isEnabled ? 1 : 0,
  };
}

export function createPromoStore(db: Connection): PromoStore {
  const insert = db.prepare<[Omit<Cells, 'id'>]>(
    `INSERT INTO promos (code, effect, valid_from, valid_until, max_uses, max_uses_per_user, tariff_ids, offer_ids, enabled, note, created_at,
       updated_at)
     VALUES (:code, :effect, :validFrom, :validUntil, :maxUses, :maxUsesPerUser, :tariffIds, :offerIds, :isEnabled, :note, :createdAt,
       :updatedAt)`,
  );
  const get = db.prepare<[number], Cells>(`SELECT ${COLUMNS} FROM promos WHERE id = ?`);
  const byCode = db.prepare<[string], Cells>(`SELECT ${COLUMNS} FROM promos WHERE code = ?`);
  const page = db.prepare<[number, number], Cells>(
    `SELECT ${COLUMNS} FROM promos WHERE id < ? ORDER BY id DESC ${limitTo('?')}`,
  );
  const count = db.prepare<[], number>('SELECT count(*) FROM promos').pluck();
  const save = db.prepare<[Cells]>(
    `UPDATE promos SET effect = :effect, valid_from = :validFrom, valid_until = :validUntil, max_uses = :maxUses,
       max_uses_per_user = :maxUsesPerUser, tariff_ids = :tariffIds, offer_ids = :offerIds, enabled = :isEnabled, note = :note,
       updated_at = :updatedAt WHERE id = :id`,
  );
  const remove = db.prepare<[number]>('DELETE FROM promos WHERE id = ?');
  const saveUse = db.prepare<[PromoUse]>(
    `INSERT INTO promo_uses (promo_id, order_id, user_id, telegram_id, reserved_at, used_at)
     VALUES (:promoId, :orderId, :userId, :telegramId, :reservedAt, :usedAt)
     ON CONFLICT (order_id) DO UPDATE SET promo_id = :promoId, user_id = :userId, telegram_id = :telegramId, reserved_at = :reservedAt,
       used_at = :usedAt`,
  );
  const removeUse = db.prepare<[number]>('DELETE FROM promo_uses WHERE order_id = ?');
  const otherUses = db.prepare<
    [Pick<PromoUse, 'promoId' | 'orderId' | 'userId' | 'telegramId'> & { readonly since: number }],
    PromoUses
  >(
    `SELECT count(*) AS "all", count(*) FILTER (WHERE user_id = :userId OR telegram_id = :telegramId) AS ofUser FROM promo_uses
     WHERE promo_id = :promoId AND order_id <> :orderId AND (used_at IS NOT NULL OR reserved_at > :since)`,
  );
  const uses = db.prepare<
    [{ readonly id: number; readonly since: number }],
    { readonly used: number; readonly reserved: number }
  >(
    `SELECT count(used_at) AS used, count(*) FILTER (WHERE used_at IS NULL AND reserved_at > :since) AS reserved FROM promo_uses
     WHERE promo_id = :id`,
  );
  const found = (cells: Cells | undefined) => cells && decode(cells);
  return {
    insert: (row) => Number(insert.run(encode(row)).lastInsertRowid),
    get: (id) => found(get.get(id)),
    byCode: (code) => found(byCode.get(code)),
    page: (before, limit) => page.all(before ?? Number.MAX_SAFE_INTEGER, limit).map(decode),
    count: () => count.get() ?? 0,
    save: (row) => {
      save.run(encode(row));
    },
    remove: (id) => {
      remove.run(id);
    },
    saveUse: (use) => {
      saveUse.run(use);
    },
    removeUse: (orderId) => {
      removeUse.run(orderId);
    },
    countOtherUses: (use, since) => otherUses.get({ ...use, since }) ?? { all: 0, ofUser: 0 },
    countUses: (id, since) => uses.get({ id, since }) ?? { used: 0, reserved: 0 },
  };
}
