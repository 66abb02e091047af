// One row of figures, each a link to the list of what it counts.
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../../../contract/table.ts';
import { Skeleton } from '../../components/skeleton.tsx';
import { useFormat } from '../../format/use-format.tsx';
import { buildHash } from '../../router/route.ts';
import { expiringSoon } from './expiring-soon.ts';
import classes from './overview.module.css';

type Overview = Output<'getOverview'>;

export function Figures({ overview }: { readonly overview: Overview | undefined }) {
  const { t } = useTranslation('overview');
  const format = useFormat();
  if (overview === undefined) return <FigureSkeletons />;
  const { users, traffic } = overview;
  const today = traffic.today.up + traffic.today.down;
  const yesterday = traffic.yesterday.up + traffic.yesterday.down;
  const month = traffic.month.up + traffic.month.down;
  return (
    <section className={classes.figures} aria-label={t('figures.label')}>
      <Figure
        label={t('figures.online')}
        value={format.number(users.online)}
        note={t('figures.ofAll', { total: format.number(users.active) })}
        href={buildHash(['users'], { online: true })}
      />
      <Figure
        label={t('figures.active')}
        value={format.number(users.active)}
        note={t('figures.ofAll', { total: format.number(users.total) })}
        href={buildHash(['users'], { state: 'active' })}
      />
      <Figure
        label={t('figures.expiring')}
        value={format.number(users.expiring_7d)}
        note={users.expiring_7d === 0 ? t('figures.nobody') : t('figures.expiringHint')}
        href={expiringSoon(overview.generated_at)}
      />
      <Figure
        label={t('figures.today')}
        value={format.bytes(today)}
        title={format.exactBytes(today)}
        note={
          yesterday === 0 ? t('figures.nothingYesterday') : t('figures.yesterday', { amount: format.bytes(yesterday) })
        }
      />
      <Figure
        label={t('figures.month')}
        value={format.bytes(month)}
        title={format.exactBytes(month)}
        note={`↓ ${format.bytes(traffic.month.down)}  ↑ ${format.bytes(traffic.month.up)}`}
      />
    </section>
  );
}

interface FigureProps {
  readonly label: string;
  readonly value: string;
  readonly title?: string;
  readonly note: ReactNode;
  readonly href?: string;
}

function Figure({ label, value, title, note, href }: FigureProps) {
  const content = (
    <>
      <span className={classes.figureLabel}>{label}</span>
      <span className={classes.figureValue} title={title}>
        {value}
      </span>
      <span className={classes.figureNote}>{note}</span>
    </>
  );
  return href === undefined ? (
    <div className={classes.figure}>{content}</div>
  ) : (
    <a className={classes.figure} href={href}>
      {content}
    </a>
  );
}

function FigureSkeletons() {
  const { t } = useTranslation('overview');
  const labels = ['online', 'active', 'expiring', 'today', 'month'] as const;
  return (
    <section className={classes.figures} aria-label={t('figures.label')} aria-busy>
      {labels.map((label) => (
        <div key={label} className={classes.figure}>
          <span className={classes.figureLabel}>{t(`figures.${label}`)}</span>
          <span className={classes.figureValue}>
            <Skeleton width={72} height={20} />
          </span>
          <span className={classes.figureNote}>
            <Skeleton width={96} />
          </span>
        </div>
      ))}
    </section>
  );
}
