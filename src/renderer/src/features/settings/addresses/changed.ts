// The changed values of a form. Only these are sent, so that the audit log shows the real changes.

export function changedOnly<Values extends Record<string, unknown>>(before: Values, now: Values): Partial<Values> {
  const entries = Object.entries(now).filter(([name, value]) => !isAlike(before[name], value));
  return Object.fromEntries(entries) as Partial<Values>;
}

function isAlike(a: unknown, b: unknown): boolean {
  return Array.isArray(a) && Array.isArray(b)
    ? a.length === b.length && a.every((one, index) => one === b[index])
    : a === b;
}

/** The trimmed text; null if it is empty. */
export function orNull(text: string): string | null {
  return text.trim() === '' ? null : text.trim();
}
