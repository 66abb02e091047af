// How often backups are made by themselves: the usual choices, and whatever is set at present.

/** Hours; null: never. */
const USUAL: readonly (number | null)[] = [null, 1, 6, 12, 24, 72, 168];

/** The choices to offer, the present one among them, in order. */
export function choicesOf(present: number | null): readonly (number | null)[] {
  const all = USUAL.includes(present) ? USUAL : [...USUAL, present];
  return [...all].sort((a, b) => (a ?? 0) - (b ?? 0));
}

/** Whole days where it comes to that, else hours. */
export function periodOf(hours: number): { readonly unit: 'hours' | 'days'; readonly count: number } {
  return hours % 24 === 0 ? { unit: 'days', count: hours / 24 } : { unit: 'hours', count: hours };
}
