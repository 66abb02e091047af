// Amounts and times in text and cells: short, with the exact value on hover.
import type { DateStyle } from '../format/dates.ts';
import { type Moment, msOf } from '../format/format.ts';
import { useFormat } from '../format/use-format.tsx';
import { useNow } from '../format/use-now.ts';

/** `1.4 GB`, the exact count on hover. */
export function Bytes({ value }: { readonly value: number }) {
  const format = useFormat();
  return (
    <span className="figures" title={format.exactBytes(value)}>
      {format.bytes(value)}
    </span>
  );
}

/** `in 3 days` or `5 min ago`, updated while it is on screen; the exact time on hover. null: shows `none`. */
export function RelativeTime({ at, none = '—' }: { readonly at: Moment | null; readonly none?: string }) {
  const format = useFormat();
  const now = useNow();
  if (at === null) return <span>{none}</span>;
  return (
    <time className="figures" dateTime={new Date(msOf(at)).toISOString()} title={format.moment(at, 'exact')}>
      {format.relative(at, now)}
    </time>
  );
}

/** `14 Mar 2027` or another style, the exact time on hover. */
export function DateTime({ at, style = 'date' }: { readonly at: Moment; readonly style?: DateStyle }) {
  const format = useFormat();
  return (
    <time className="figures" dateTime={new Date(msOf(at)).toISOString()} title={format.moment(at, 'exact')}>
      {format.moment(at, style)}
    </time>
  );
}

// A time inside a phrase, as in "Last used 5 min ago": updated while it is on screen, exact on hover.

interface WhenProps {
  readonly at: Moment;
  /** The phrase around the time. */
  readonly text: (when: string) => string;
  /** Style of the date; left out: relative to now. */
  readonly style?: DateStyle;
}

export function When({ at, text, style }: WhenProps) {
  const format = useFormat();
  const now = useNow();
  const when = style === undefined ? format.relative(at, now) : format.moment(at, style);
  return (
    <time dateTime={new Date(msOf(at)).toISOString()} title={format.moment(at, 'exact')}>
      {text(when)}
    </time>
  );
}
