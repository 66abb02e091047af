// Converts a promo code to the values of its form and back.
import type { Promo, PromoEffect } from '../../../../contract/sales/promos.ts';
import type { CallInput } from '../../data/use-operation.ts';
import { fromDateField, toDateField } from '../../format/date-field.ts';
import { type TrafficValue, toTraffic } from './traffic-value.ts';

/** Fields have the names of the contract, so that its errors appear at the fields. */
export type PromoValues = {
  code: string;
  effect: TrafficValue & {
    readonly kind: 'percent' | 'days' | 'traffic';
    readonly percent: number | '';
    readonly more: number | '';
  };
  valid_from: string;
  valid_until: string;
  max_uses: number | '';
  max_uses_per_user: number | '';
  tariff_ids: string[];
  offer_ids: string[];
  note: string;
  enabled: boolean;
};

/** Letters and digits without look-alikes. */
const LETTERS = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';
const LENGTH = 8;

/** A random code that is hard to guess. */
export function randomCode(): string {
  return [...crypto.getRandomValues(new Uint32Array(LENGTH))].map((one) => LETTERS[one % LETTERS.length]).join('');
}

export function blankPromo(): PromoValues {
  return {
    code: '',
    effect: { kind: 'percent', percent: 10, more: 7, bytes: null, lifetime: 'used', days: 30 },
    valid_from: '',
    valid_until: '',
    max_uses: '',
    max_uses_per_user: 1,
    tariff_ids: [],
    offer_ids: [],
    note: '',
    enabled: true,
  };
}

function effectValue(effect: PromoEffect): PromoValues['effect'] {
  const { effect: blank } = blankPromo();
  if (effect.kind === 'percent') return { ...blank, percent: effect.percent };
  if (effect.kind === 'days') return { ...blank, kind: 'days', more: effect.days };
  const traffic = { ...blank, kind: 'traffic', bytes: effect.bytes } as const;
  return effect.kind === 'traffic_days'
    ? { ...traffic, lifetime: 'days', days: effect.days }
    : { ...traffic, lifetime: effect.lifetime };
}

export function promoValues(promo: Promo, zone: string): PromoValues {
  const field = (at: string | null) => (at === null ? '' : toDateField(Date.parse(at), zone));
  return {
    code: promo.code,
    effect: effectValue(promo.effect),
    valid_from: field(promo.valid_from),
    valid_until: field(promo.valid_until),
    max_uses: promo.max_uses ?? '',
    max_uses_per_user: promo.max_uses_per_user ?? '',
    tariff_ids: promo.tariff_ids?.map(String) ?? [],
    offer_ids: promo.offer_ids?.map(String) ?? [],
    note: promo.note,
    enabled: promo.enabled,
  };
}

/** In the form, an empty list means all (null in the contract). */
function parseIds(ids: readonly string[]): number[] | null {
  return ids.length === 0 ? null : ids.map(Number);
}

/** The effect; null: not filled in. */
function parseEffect({ kind, percent, more, ...traffic }: PromoValues['effect']): PromoEffect | null {
  if (kind === 'traffic') return toTraffic(traffic);
  if (kind === 'percent') return percent === '' ? null : { kind, percent };
  return more === '' ? null : { kind, days: more };
}

export function promoInput(values: PromoValues, zone: string): Omit<CallInput<'createPromo'>, 'code'> {
  const effect = parseEffect(values.effect);
  const { valid_from, valid_until, max_uses, max_uses_per_user, tariff_ids, offer_ids, note, enabled } = values;
  return {
    // Left out if empty, so that validation reports it as missing.
    ...((effect === null ? {} : { effect }) as { effect: PromoEffect }),
    valid_from: fromDateField(valid_from, zone),
    valid_until: fromDateField(valid_until, zone),
    max_uses: max_uses === '' ? null : max_uses,
    max_uses_per_user: max_uses_per_user === '' ? null : max_uses_per_user,
    tariff_ids: parseIds(tariff_ids),
    offer_ids: parseIds(offer_ids),
    note,
    enabled,
  };
}
