// The name of a row as a link, with a line that distinguishes it from others of the same name.
import type { ReactNode } from 'react';
import { showHidden } from '../format/show-hidden.ts';
import classes from './identity.module.css';

interface IdentityProps {
  readonly name: string;
  readonly detail?: ReactNode;
  /** Address of the record. */
  readonly href?: string;
}

export function Identity({ name: stored, detail, href }: IdentityProps) {
  const name = showHidden(stored);
  return (
    <span className={classes.identity}>
      {href === undefined ? (
        <span className={classes.name}>{name}</span>
      ) : (
        <a className={classes.name} href={href} title={name}>
          {name}
        </a>
      )}
      {detail !== undefined && detail !== '' && (
        <span className={classes.detail}>{typeof detail === 'string' ? showHidden(detail) : detail}</span>
      )}
    </span>
  );
}
