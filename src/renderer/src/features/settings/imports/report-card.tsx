// What an import would do, or did: counts, traffic, and each difference with its records.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { IMPORT_KINDS, IMPORT_OUTCOMES } from '../../../../../contract/imports/imports.ts';
import type { Output } from '../../../../../contract/table.ts';
import { SectionCard } from '../../../components/page.tsx';
import { useAct } from '../../../data/use-act.ts';
import { useFormat } from '../../../format/use-format.tsx';
import { Notice } from '../parts/parts.tsx';
import rows from '../parts/rows.module.css';
import classes from './imports.module.css';
import { nameSource } from './source-name.ts';

type Job = Output<'getImport'>;
type Report = NonNullable<Job['report']>;

export function ReportCard({ job }: { readonly job: Job }) {
  const { t } = useTranslation('settings');
  const { t: tError } = useTranslation('errors');
  const apply = useAct('applyImport');
  const discard = useAct('discardImport');
  const { phase, report, error } = job;
  const isApplying = phase === 'applying';
  const isPossible = phase === 'planned' && report?.problem === null;
  const again = (
    <Button variant="default" loading={discard.isRunning} disabled={isApplying} onClick={() => discard.start({})}>
      {t('imports.again')}
    </Button>
  );
  return (
    <SectionCard
      title={phase === 'applied' ? t('imports.applied') : t('imports.planned')}
      description={report?.source ? nameSource(t, report.source) : undefined}
      footer={
        <>
          {(isPossible || isApplying) && (
            <Button loading={apply.isRunning || isApplying} onClick={() => apply.start({})}>
              {t('imports.apply')}
            </Button>
          )}
          {again}
        </>
      }
    >
      <div className={rows.stack}>
        {isApplying && (
          <p role="status">{t('imports.applying', { users: t('imports.usersDone', { count: job.done }) })}</p>
        )}
        {phase === 'failed' && (
          <Notice tone="bad" title={t('imports.failed')}>
            {error !== null && <p>{tError(`code.${error}`)}</p>}
            <p>{t('imports.failedText')}</p>
          </Notice>
        )}
        {report !== null && report.problem !== null && (
          <Notice tone="bad">
            {t(`imports.problem.${report.problem}`)} {report.detail !== '' && <code>{report.detail}</code>}
          </Notice>
        )}
        {report !== null && report.problem === null && (
          <>
            {report.backup !== null && <Notice tone="ok">{t('imports.appliedText', { name: report.backup })}</Notice>}
            <Counts report={report} />
            <Differences report={report} />
          </>
        )}
      </div>
    </SectionCard>
  );
}

const NOUNS = { user: 'users', inbound: 'inbounds', tariff: 'tariffs' } as const;

function Counts({ report }: { readonly report: Report }) {
  const { t } = useTranslation('settings');
  const format = useFormat();
  const kinds = IMPORT_KINDS.filter((kind) => Object.values(report[NOUNS[kind]]).some((count) => count > 0));
  const outcomes = IMPORT_OUTCOMES.filter((outcome) => kinds.some((kind) => report[NOUNS[kind]][outcome] > 0));
  if (kinds.length === 0) return <p>{t('imports.nothing')}</p>;
  return (
    <>
      <div className={classes.scroll}>
        <table className={classes.counts}>
          <thead>
            <tr>
              <td />
              {outcomes.map((outcome) => (
                <th key={outcome} scope="col">
                  {t(`imports.outcome.${outcome}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {kinds.map((kind) => (
              <tr key={kind}>
                <th scope="row">{t(`imports.kind.${kind}`)}</th>
                {outcomes.map((outcome) => (
                  <td key={outcome} className="figures" data-none={report[NOUNS[kind]][outcome] === 0 || undefined}>
                    {format.number(report[NOUNS[kind]][outcome])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className={rows.aside}>
        {t('imports.traffic')}:{' '}
        {t('imports.trafficText', { used: format.bytes(report.used_bytes), total: format.bytes(report.total_bytes) })}
      </p>
    </>
  );
}

function Differences({ report: { reasons } }: { readonly report: Report }) {
  const { t } = useTranslation('settings');
  const format = useFormat();
  if (reasons.length === 0) return <p>{t('imports.noDifferences')}</p>;
  return (
    <div className={rows.stack}>
      <h3 className={classes.heading}>{t('imports.differences')}</h3>
      {reasons.map(({ code, count, records }) => (
        <details key={code} className={classes.reason}>
          <summary>
            {t(`imports.reason.${code}`)} <span className="figures">· {format.number(count)}</span>
          </summary>
          <ul className={rows.points}>
            {records.map(({ kind, name, detail, outcome }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: names need not be unique, and the list does not change.
              <li key={`${kind} ${name} ${index}`}>
                <bdi>{name}</bdi>
                {detail !== '' && <span className={rows.aside}>: {detail}</span>}
                {(outcome === 'skipped' || outcome === 'decision') && (
                  <span className={rows.aside}> · {t(`imports.outcome.${outcome}`)}</span>
                )}
              </li>
            ))}
            {count > records.length && <li>{t('imports.more', { count: count - records.length })}</li>}
          </ul>
        </details>
      ))}
    </div>
  );
}
