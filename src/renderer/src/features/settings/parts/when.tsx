// A moment inside a phrase, as in "Last used 5 min ago": kept true while it is on screen, exact on hover.
import type { DateStyle } from '../../../format/dates.ts';
import { type Moment, msOf } from '../../../format/format.ts';
import { useFormat } from '../../../format/use-format.tsx';
import { useNow } from '../../../format/use-now.ts';

interface WhenProps {
  readonly at: Moment;
  /** The phrase around the moment. */
  readonly text: (when: string) => string;
  /** As a date of this style; a distance from now where it is left out. */
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
