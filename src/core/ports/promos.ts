// The store's port for promo codes and their uses.
import type { PromoRule, PromoUses } from '../../domain/sales/promo.ts';

export interface PromoRow extends PromoRule {
  readonly id: number;
  /** As normalizeCode makes it; unique. */
  readonly code: string;
  readonly note: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** One order's use of a code: reserved while it is being paid, used once it is. */
export interface PromoUse {
  readonly promoId: number;
  readonly orderId: number;
  readonly userId: number;
  readonly telegramId: number | null;
  readonly reservedAt: number;
  /** null: the order is not paid. */
  readonly usedAt: number | null;
}

export interface PromoStore {
  insert(promo: Omit<PromoRow, 'id'>): number;
  get(id: number): PromoRow | undefined;
  byCode(code: string): PromoRow | undefined;
  /** The newest first. */
  page(before: number | undefined, limit: number): readonly PromoRow[];
  count(): number;
  save(promo: PromoRow): void;
  /** Its uses go with it. */
  remove(id: number): void;
  /** Writes the one use of its order. */
  saveUse(use: PromoUse): void;
  /** An order without one is left. */
  removeUse(orderId: number): void;
  /** How often orders other than this one use it, of all users and of one account; what was reserved before `since` does not count. */
  countOtherUses(use: Pick<PromoUse, 'promoId' | 'orderId' | 'userId' | 'telegramId'>, since: number): PromoUses;
  /** How many orders were paid with it, and how many are being paid. */
  countUses(promoId: number, since: number): { readonly used: number; readonly reserved: number };
}
