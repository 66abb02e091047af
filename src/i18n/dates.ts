// What Intl's dates need before they are shown.

/** Some languages put a mark behind the year ("г." in Russian, "р." in Ukrainian), which takes space and adds nothing. */
export function withoutYearMark(date: string): string {
  return date.replace(/(?<=\d)\s\p{L}\.(?=,|$|\s)/u, '');
}
