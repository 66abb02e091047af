// A state as a coloured dot with its name, since colour alone is not accessible.
import { useTranslation } from 'react-i18next';
import classes from './state.module.css';

/** States of users, nodes and other records. */
export type State =
  | 'active'
  | 'on_hold'
  | 'limited'
  | 'expired'
  | 'disabled'
  | 'up'
  | 'down'
  | 'unknown'
  | 'enabled'
  | 'archived'
  | 'online'
  | 'offline'
  | 'degraded';

export type Tone = 'ok' | 'warn' | 'bad' | 'info' | 'idle';

const TONES: Readonly<Record<State, Tone>> = {
  active: 'ok',
  on_hold: 'info',
  limited: 'warn',
  expired: 'bad',
  disabled: 'idle',
  up: 'ok',
  down: 'bad',
  unknown: 'idle',
  enabled: 'ok',
  archived: 'idle',
  online: 'ok',
  offline: 'idle',
  degraded: 'warn',
};

interface StateProps {
  readonly state: State;
  /** Replaces the state's usual name. */
  readonly label?: string;
}

/** A dot with its name, for rows and text. `bare`: only the dot is visible; screen readers still read the name. */
export function StateDot({ state, label, bare = false }: StateProps & { readonly bare?: boolean }) {
  const { t } = useTranslation('common');
  const text = label ?? t(`state.${state}`);
  return (
    <span className={classes.state} title={bare ? text : undefined}>
      <span className={classes.dot} data-tone={TONES[state]} data-state={state} />
      <span className={bare ? 'visually-hidden' : undefined}>{text}</span>
    </span>
  );
}

/** A state as a badge, for heads of records. */
export function StateBadge({ state, label }: StateProps) {
  const { t } = useTranslation('common');
  return (
    <span className={classes.badge} data-tone={TONES[state]}>
      <span className={classes.dot} data-tone={TONES[state]} data-state={state} />
      {label ?? t(`state.${state}`)}
    </span>
  );
}

/** A small label beside a name: a tag, a kind, an access level. `tone`: only if it shows a state. */
export function Mark({ children, tone }: { readonly children: string; readonly tone?: Tone }) {
  return (
    <span className={classes.mark} data-tone={tone}>
      {children}
    </span>
  );
}
