// Settings, Updates: this version and newer ones, how to install them, the result of the last update, and the automatic check.
import { Button, Switch } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../../../../contract/table.ts';
import { SaveCard } from '../../../components/form/save-card.tsx';
import { useOperationForm } from '../../../components/form/use-operation-form.ts';
import { SectionCard } from '../../../components/page.tsx';
import { usePanelCommand } from '../../../data/host.ts';
import { useAct } from '../../../data/use-act.ts';
import { useOperation } from '../../../data/use-operation.ts';
import { useFormat } from '../../../format/use-format.tsx';
import { CopyLine, Notice, Reading } from '../parts/parts.tsx';
import rows from '../parts/rows.module.css';
import classes from './updates.module.css';

type Updates = Output<'getUpdates'>;

export function UpdatesSection() {
  const { t } = useTranslation('settings');
  const updates = useOperation('getUpdates', {});
  return (
    <Reading title={t('sections.updates')} query={updates} height={200}>
      {(data) => (
        <>
          <VersionCard updates={data} />
          {data.available !== null && <AvailableCard updates={data} available={data.available} />}
          {data.installation !== 'desktop' && <AutomaticCard updates={data} />}
        </>
      )}
    </Reading>
  );
}

function VersionCard({ updates }: { readonly updates: Updates }) {
  const { t } = useTranslation('settings');
  const format = useFormat();
  const { version, installation, channel, host, checked_at, problem, available, last } = updates;
  const check = useAct('checkForUpdates', {
    message: (found) => ({
      text:
        found.problem !== null
          ? t(`updates.problem.${found.problem}`)
          : found.available === null
            ? t('updates.newest')
            : t('updates.found', { version: found.available.version }),
    }),
  });
  const canCheck = host !== null && installation !== 'desktop';
  return (
    <SectionCard
      title={t('sections.updates')}
      description={t(`updates.installation.${installation}`)}
      actions={
        canCheck && (
          <Button
            variant="default"
            leftSection={<IconRefresh size={16} stroke={1.5} />}
            loading={check.isRunning}
            onClick={() => check.start({})}
          >
            {t('updates.check')}
          </Button>
        )
      }
    >
      <div className={rows.stack}>
        {problem !== null && problem !== 'no_source' && <Notice tone="warn">{t(`updates.problem.${problem}`)}</Notice>}
        {host === null && installation !== 'desktop' && <Notice tone="info">{t('updates.problem.no_source')}</Notice>}
        {last !== null && <LastNotice last={last} />}
        <dl className={rows.facts}>
          <div>
            <dt>{t('updates.version')}</dt>
            <dd>{version}</dd>
          </div>
          {canCheck && (
            <>
              <div>
                <dt>{t('updates.channel')}</dt>
                <dd>{t('updates.channelOf', { channel, host })}</dd>
              </div>
              <div>
                <dt>{t('updates.checked')}</dt>
                <dd>{checked_at === null ? t('updates.never') : format.moment(checked_at)}</dd>
              </div>
              <div>
                <dt>{t('updates.newestKnown')}</dt>
                <dd>
                  {available?.version ?? (checked_at !== null && problem === null ? version : t('updates.unknown'))}
                </dd>
              </div>
            </>
          )}
        </dl>
      </div>
    </SectionCard>
  );
}

function LastNotice({ last }: { readonly last: NonNullable<Updates['last']> }) {
  const { t } = useTranslation('settings');
  const format = useFormat();
  const { at, from, to, result, reason, restored } = last;
  const when = format.moment(at);
  if (result === 'updated') return <Notice tone="ok">{t('updates.last.updated', { when, from, to })}</Notice>;
  if (result === 'returned') return <Notice tone="info">{t('updates.last.returned', { when, from, to })}</Notice>;
  return (
    <Notice tone="warn" title={t('updates.last.rolledBack', { when, from, to })}>
      {t(`updates.reason.${reason ?? 'ended'}`)} {t(restored ? 'updates.last.restored' : 'updates.last.untouched')}
    </Notice>
  );
}

interface AvailableProps {
  readonly updates: Updates;
  readonly available: NonNullable<Updates['available']>;
}

function AvailableCard({ updates: { installation }, available }: AvailableProps) {
  const { t } = useTranslation('settings');
  const format = useFormat();
  const { version, published_at, notes, fits } = available;
  const command = usePanelCommand();
  const isInstalled = installation === 'release';
  return (
    <SectionCard
      title={t('updates.available', { version })}
      description={t('updates.published', { when: format.moment(published_at) })}
    >
      <div className={rows.stack}>
        {notes !== '' && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard must be able to scroll notes that are longer than their box.
          <section className={classes.notes} aria-label={t('updates.notes')} tabIndex={0}>
            {notes}
          </section>
        )}
        {!fits && <Notice tone="warn">{t('updates.otherSystem')}</Notice>}
        {fits && !isInstalled && <Notice tone="info">{t('updates.fromSources')}</Notice>}
        {fits && isInstalled && (
          <>
            <p className={rows.hint}>{t('updates.how')}</p>
            <CopyLine value={`${command} update`} label={t('updates.copyCommand')} />
          </>
        )}
      </div>
    </SectionCard>
  );
}

function AutomaticCard({ updates: { automatic } }: { readonly updates: Updates }) {
  const { t } = useTranslation('settings');
  const form = useOperationForm({
    operation: 'updateSettings',
    initial: { update_checks: automatic },
    toInput: (values) => values,
    message: () => ({ text: t('saved') }),
  });
  return (
    <SaveCard title={t('updates.automatic')} form={form}>
      <Switch
        label={t('updates.daily')}
        description={t('updates.dailyHint')}
        {...form.form.getInputProps('update_checks', { type: 'checkbox' })}
      />
    </SaveCard>
  );
}
