// The link to the user of an order or payment, in a table's cell.
import { buildHash } from '../../router/route.ts';
import classes from './sales.module.css';

interface UserLinkProps {
  readonly user: { readonly id: number; readonly name: string } | null;
  /** Text for an unknown or deleted user. */
  readonly absent?: string;
  /** In the first cell of narrow tables, which have no column of users. */
  readonly isNarrow?: boolean;
}

export function UserLink({ user, absent = '', isNarrow = false }: UserLinkProps) {
  if (user === null) return absent === '' ? null : <span className={classes.quiet}>{absent}</span>;
  return (
    <a className={`${classes.link} ${isNarrow ? classes.narrowUser : ''}`} href={buildHash(['users', user.id])}>
      {user.name}
    </a>
  );
}
