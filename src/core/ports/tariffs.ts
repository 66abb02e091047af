// The store's port for tariffs.
import type { Uses } from '../../contract/errors.ts';
import type { Account } from '../../domain/users/account.ts';

export interface TariffRow {
  readonly id: number;
  readonly name: string;
  readonly trafficLimit: number | null;
  readonly duration: { readonly days: number } | { readonly months: number } | null;
  readonly deviceLimit: number | null;
  readonly concurrentLimit: number | null;
  readonly resetStrategy: Account['resetStrategy'];
  readonly starts: 'on_creation' | 'on_first_use';
  readonly inbounds: readonly number[] | null;
  readonly price: { readonly amount: number; readonly currency: string } | null;
  readonly archived: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly version: number;
}

export interface TariffStore {
  insert(tariff: Omit<TariffRow, 'id'>): number;
  get(id: number): TariffRow | undefined;
  save(tariff: TariffRow): void;
  remove(id: number): void;
  /** By id. `after`: only those after this id. */
  page(
    conditions: { archived?: boolean | undefined },
    limit: number,
    offset: number,
    after?: number,
  ): readonly TariffRow[];
  count(conditions: { archived?: boolean | undefined }): number;
  /** Tariffs that list an inbound. */
  usesOfInbound(inboundId: number): Uses;
}
