// Converts traffic between the form and the contract.

export interface TrafficValue {
  readonly bytes: number | null;
  readonly lifetime: 'used' | 'period' | 'days';
  readonly days: number | '';
}

/** null: not filled in. */
export function toTraffic({ bytes, lifetime, days }: TrafficValue) {
  if (bytes === null) return null;
  if (lifetime !== 'days') return { kind: 'traffic' as const, bytes, lifetime };
  return days === '' ? null : { kind: 'traffic_days' as const, bytes, days };
}
