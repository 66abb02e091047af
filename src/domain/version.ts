// Versions of the panel: three numbers, as in 1.2.3.

const FORM = /^(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})$/;

export function isVersion(text: string): boolean {
  return FORM.test(text);
}

/** Whether version `a` is newer than `b`. Both must be valid versions. */
export function isNewer(a: string, b: string): boolean {
  const left = a.split('.').map(Number);
  const right = b.split('.').map(Number);
  const index = left.findIndex((number, place) => number !== right[place]);
  return index >= 0 && (left[index] ?? 0) > (right[index] ?? 0);
}
