// The length of an extension: usual lengths as buttons, any other by typing.
import type { Duration } from '../../../../../domain/users/term.ts';
import { TermInput } from '../../../components/form/term-input.tsx';
import { useFormat } from '../../../format/use-format.tsx';
import classes from './record.module.css';

const USUAL: readonly Duration[] = [
  { months: 1 },
  { months: 3 },
  { months: 6 },
  { months: 12 },
  { days: 7 },
  { days: 30 },
];

interface TermPickerProps {
  readonly value: Duration | null;
  readonly onChange: (term: Duration | null) => void;
  /** The label of the field: "Extend by". */
  readonly label: string;
  readonly error?: string | undefined;
}

export function TermPicker({ value, onChange, label, error }: TermPickerProps) {
  const format = useFormat();
  return (
    <div className={classes.picker}>
      <TermInput label={label} value={value} onChange={onChange} {...(error !== undefined && { error })} />
      <fieldset className={classes.usual} aria-label={label}>
        {USUAL.map((term) => {
          const text = format.term(term);
          return (
            <button
              key={text}
              type="button"
              className={classes.choice}
              aria-pressed={JSON.stringify(term) === JSON.stringify(value)}
              onClick={() => onChange(term)}
            >
              {text}
            </button>
          );
        })}
      </fieldset>
    </div>
  );
}
