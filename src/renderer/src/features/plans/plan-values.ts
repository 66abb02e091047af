// Converts a plan to form values and back: an empty limit means none, and a price without an amount is left out.
import type { Output } from '../../../../contract/table.ts';
import type { Duration } from '../../../../domain/users/term.ts';
import type { CallInput } from '../../data/use-operation.ts';
import { parsePrice, type TypedPrice, toTypedPrice } from '../../format/price.ts';

export type Plan = Output<'getTariff'>;

/** Fields have the contract's names, so that its errors appear at the fields. */
export type PlanValues = {
  name: string;
  traffic_limit: number | null;
  reset_strategy: Plan['reset_strategy'];
  duration: Duration | null;
  starts: Plan['starts'];
  device_limit: number | null;
  concurrent_limit: number | null;
  inbounds: number[] | null;
  price: TypedPrice;
};

export type PlanInput = CallInput<'createTariff'>;

export function blankValues(currency: string): PlanValues {
  return {
    name: '',
    traffic_limit: null,
    reset_strategy: 'month',
    duration: { months: 1 },
    starts: 'on_creation',
    device_limit: null,
    concurrent_limit: null,
    inbounds: null,
    price: toTypedPrice(null, currency),
  };
}

/** `currency`: the initial currency of an empty price. */
export function toFormValues(plan: Plan, currency: string): PlanValues {
  const { name, traffic_limit, reset_strategy, duration, starts, device_limit, concurrent_limit, inbounds, price } =
    plan;
  return {
    name,
    traffic_limit,
    reset_strategy,
    duration,
    starts,
    device_limit,
    concurrent_limit,
    inbounds,
    price: toTypedPrice(price, currency),
  };
}

export function buildInput({ price, ...values }: PlanValues): PlanInput {
  return { ...values, price: parsePrice(price) };
}

/** The merge patch to this plan: it removes the other unit of the duration. */
export function buildPatch({ duration, ...input }: PlanInput): Omit<CallInput<'updateTariff'>, 'id'> {
  return { ...input, duration: duration ? { days: null, months: null, ...duration } : null };
}

/** The plan's present fields, to undo a change. */
export function pickPlanInput({ name, traffic_limit, reset_strategy, duration, ...plan }: Plan): PlanInput {
  const { starts, device_limit, concurrent_limit, inbounds, price } = plan;
  return { name, traffic_limit, reset_strategy, duration, starts, device_limit, concurrent_limit, inbounds, price };
}

/** Days of a duration, for sorting; unlimited is the longest. */
export function computeDays(duration: Plan['duration']): number {
  if (duration === null) return Number.POSITIVE_INFINITY;
  return 'days' in duration ? duration.days : duration.months * 30.44;
}
