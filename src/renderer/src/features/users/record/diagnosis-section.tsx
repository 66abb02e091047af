// Why the user cannot connect: every finding in a sentence, the worst first, with a button for what would mend it.
import { Button } from '@mantine/core';
import { IconStethoscope } from '@tabler/icons-react';
import type { TFunction } from 'i18next';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Finding, Remedy } from '../../../../../contract/users/diagnosis.ts';
import { CopyButton } from '../../../components/copy-button.tsx';
import { ErrorState } from '../../../components/placeholder.tsx';
import { DrawerSection } from '../../../components/record-drawer.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';
import { useAct } from '../../../data/use-act.ts';
import { useOperation } from '../../../data/use-operation.ts';
import type { Format } from '../../../format/format.ts';
import { showHidden } from '../../../format/show-hidden.ts';
import { useFormat } from '../../../format/use-format.tsx';
import { useNow } from '../../../format/use-now.ts';
import { buildHash } from '../../../router/route.ts';
import { useRoute } from '../../../router/router.ts';
import classes from './diagnosis.module.css';
import type { RecordProps } from './record-context.tsx';

const EVERY_MS = 15_000;

/** Open from the start if the address asks for it: `users/7?do=diagnose`. */
export function DiagnosisSection(props: RecordProps) {
  const { t } = useTranslation('users');
  const isAsked = useRoute().query.get('do') === 'diagnose';
  const [isOpen, setOpen] = useState(isAsked);
  useEffect(() => {
    if (isAsked) setOpen(true);
  }, [isAsked]);
  if (isOpen) return <Diagnosis {...props} onClose={() => setOpen(false)} />;
  return (
    <div className={classes.closed}>
      <Button
        variant="subtle"
        leftSection={<IconStethoscope size={16} stroke={1.5} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        {t('diagnosis.ask')}
      </Button>
    </div>
  );
}

function Diagnosis({ user, onPart, onClose }: RecordProps & { readonly onClose: () => void }) {
  const { t } = useTranslation('users');
  const report = useOperation('diagnoseUser', { id: user.id }, { pollMs: EVERY_MS, staleMs: 0 });
  const { data, error } = report;
  return (
    <DrawerSection
      title={t('diagnosis.title', { name: showHidden(user.name) })}
      actions={
        <Button variant="subtle" size="compact-sm" onClick={onClose}>
          {t('diagnosis.close')}
        </Button>
      }
    >
      {data === undefined ? (
        error === null ? (
          <Skeleton width="60%" />
        ) : (
          <ErrorState size="small" failure={error} onRetry={() => void report.refetch()} />
        )
      ) : (
        <>
          <p className={classes.verdict} data-verdict={data.verdict} role="status">
            {t(`diagnosis.verdict.${data.verdict}`)}
          </p>
          <ul className={classes.findings}>
            {data.findings.map((finding) => (
              <FindingLine
                key={`${finding.code} ${finding.figures.id ?? ''}`}
                finding={finding}
                user={user}
                onPart={onPart}
              />
            ))}
          </ul>
        </>
      )}
    </DrawerSection>
  );
}

interface FindingLineProps extends Pick<RecordProps, 'user' | 'onPart'> {
  readonly finding: Finding;
}

function FindingLine({ finding, user, onPart }: FindingLineProps) {
  const { t } = useTranslation(['users', 'nodes']);
  const format = useFormat();
  const now = useNow();
  const { severity, remedy, figures } = finding;
  return (
    <li className={classes.finding} data-severity={severity}>
      <span className={classes.dot} aria-hidden />
      <span className={classes.text}>
        <span className="visually-hidden">{t(`users:diagnosis.severity.${severity}`)}: </span>
        {describeFinding(t, format, finding, now)}
        {figures.others !== undefined && (
          <span className={classes.quiet}> {t('users:diagnosis.others', { count: figures.others })}</span>
        )}
      </span>
      {remedy !== null && <RemedyButton remedy={remedy} finding={finding} user={user} onPart={onPart} />}
    </li>
  );
}

type T = TFunction<['users', 'nodes']>;

/** A finding in a sentence. */
function describeFinding(t: T, format: Format, { code, figures }: Finding, now: number): string {
  const { at = null, bytes = 0, limit = 0, count = null, name = '', host = '', error_code: error } = figures;
  const dated =
    at === null ? { date: '', when: '' } : { date: format.moment(at, 'dateTime'), when: format.relative(at, now) };
  const traffic = { used: format.bytes(bytes), limit: format.bytes(limit) };
  const named = { name: showHidden(name), host };
  switch (code) {
    case 'limited':
      return t(`users:diagnosis.finding.${at === null ? 'limited' : 'limitedUntil'}`, { ...traffic, ...dated });
    case 'may_connect':
      return t(`users:diagnosis.finding.${at === null ? 'may_connectAlways' : 'may_connect'}`, dated);
    case 'node_down':
      return t('users:diagnosis.finding.node_down', {
        ...named,
        why: error ? `${t(`nodes:trouble.${error}`)}.` : '',
      }).trim();
    case 'link_read':
      return t(`users:diagnosis.finding.${name === '' ? 'link_read' : 'link_readBy'}`, { ...named, ...dated });
    case 'online':
      return count === null || count === 0
        ? t('users:diagnosis.finding.online')
        : t('users:diagnosis.finding.onlineFrom', { count });
    case 'too_many_addresses':
      return t('users:diagnosis.finding.too_many_addresses', { ...dated, count: count ?? 0 });
    default:
      return t(`users:diagnosis.finding.${code}`, { ...named, ...traffic, ...dated });
  }
}

interface RemedyButtonProps extends FindingLineProps {
  readonly remedy: Remedy;
}

/** Remedies that change the user run at once, with an undo; other buttons lead to the page with the solution. */
function RemedyButton({ remedy, finding, user, onPart }: RemedyButtonProps) {
  const { t } = useTranslation('users');
  const change = useAct('updateUser', { message: ({ name }) => ({ text: t('diagnosis.mended', { name }) }) });
  const { id, sub_url: link } = user;
  const label = t(`diagnosis.remedy.${remedy}`, { name: showHidden(finding.figures.name ?? '') });
  const button = (run: () => void) => (
    <Button variant="default" size="compact-sm" loading={change.isRunning} onClick={run}>
      {label}
    </Button>
  );
  const linkTo = (path: readonly (string | number)[]) => (
    <Button variant="default" size="compact-sm" component="a" href={buildHash(path)}>
      {label}
    </Button>
  );
  switch (remedy) {
    case 'enable':
      return button(() => change.start({ id, enabled: true }));
    case 'lift_address_limit':
      return button(() => change.start({ id, concurrent_limit: null }));
    case 'allow_all_connections':
      return button(() => change.start({ id, inbounds: null }));
    case 'extend':
      return button(() => onPart('extend'));
    case 'add_traffic':
      return button(() => onPart('grant'));
    case 'copy_link':
      return link === undefined ? null : <CopyButton value={link} label={label} wide />;
    case 'open_node':
      return linkTo(['nodes', finding.figures.id ?? 0]);
    case 'open_connection':
      return linkTo(['connections', finding.figures.id ?? 0]);
    case 'add_connection':
      return linkTo(['connections', 'new']);
    case 'set_address':
      return linkTo(['settings', 'addresses']);
    case 'set_certificate':
      return linkTo(['settings', 'certificates']);
  }
}
