// Of a form's values those that differ from what the form began with: only what was changed is sent, and put on record.

export function changedOnly<Values extends Record<string, unknown>>(before: Values, now: Values): Partial<Values> {
  const entries = Object.entries(now).filter(([name, value]) => !isAlike(before[name], value));
  return Object.fromEntries(entries) as Partial<Values>;
}

function isAlike(a: unknown, b: unknown): boolean {
  return Array.isArray(a) && Array.isArray(b)
    ? a.length === b.length && a.every((one, index) => one === b[index])
    : a === b;
}

/** An empty field means none. */
export function orNull(text: string): string | null {
  return text.trim() === '' ? null : text.trim();
}
