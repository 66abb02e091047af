// A line that is there to be copied: an address, a fingerprint, a command.
import { CopyButton } from '../../../components/copy-button.tsx';
import classes from './parts.module.css';

interface CopyLineProps {
  readonly value: string;
  /** "Copy the address". */
  readonly label: string;
  /** Keeps its line breaks, as commands over several lines do. */
  readonly multiline?: boolean;
}

export function CopyLine({ value, label, multiline = false }: CopyLineProps) {
  return (
    <div className={classes.line} data-multiline={multiline || undefined}>
      {/* Focusable, since a keyboard must be able to scroll what is wider than its box. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard must be able to scroll what is wider than its box. */}
      <code tabIndex={0}>{value}</code>
      <CopyButton value={value} label={label} />
    </div>
  );
}
