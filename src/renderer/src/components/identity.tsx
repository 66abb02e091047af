// The name of a row as a link, and under it what distinguishes it from others of that name.
import type { ReactNode } from 'react';
import classes from './identity.module.css';

interface IdentityProps {
  readonly name: string;
  readonly detail?: ReactNode;
  /** Where the record opens. */
  readonly href?: string;
}

export function Identity({ name, detail, href }: IdentityProps) {
  return (
    <span className={classes.identity}>
      {href === undefined ? (
        <span className={classes.name}>{name}</span>
      ) : (
        <a className={classes.name} href={href} title={name}>
          {name}
        </a>
      )}
      {detail !== undefined && detail !== '' && <span className={classes.detail}>{detail}</span>}
    </span>
  );
}
