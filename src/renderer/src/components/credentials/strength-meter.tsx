// Shows how well a password resists while it is typed, and what would help.
import { useTranslation } from 'react-i18next';
import { computeStrength } from '../../../../domain/password-strength.ts';
import classes from './credentials.module.css';

interface StrengthMeterProps {
  readonly password: string;
  readonly name?: string;
}

const WORDS = ['weak', 'weak', 'fair', 'good', 'strong'] as const;

export function StrengthMeter({ password, name = '' }: StrengthMeterProps) {
  const { t } = useTranslation('access');
  const { level, note, missing } = computeStrength(password, name);
  const isEmpty = password === '';
  const verdict = t(`strength.${WORDS[level]}`);
  const text = isEmpty
    ? t('strength.hint')
    : note === 'short'
      ? t('strength.short', { count: missing })
      : note === null
        ? verdict
        : `${verdict}. ${t(`strength.${note}`)}${/[.!?]$/.test(t(`strength.${note}`)) ? '' : '.'}`;
  return (
    <div className={classes.strength}>
      <div className={classes.bars} data-level={isEmpty ? 0 : level} aria-hidden>
        <span className={classes.bar} />
        <span className={classes.bar} />
        <span className={classes.bar} />
        <span className={classes.bar} />
      </div>
      <p className={classes.verdict} role="status">
        <span className="visually-hidden">{t('strength.label')}: </span>
        {text}
      </p>
    </div>
  );
}
