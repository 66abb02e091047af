// Restores a backup in three steps: check it, show the consequences, restore.
import { Button, Checkbox, PasswordInput } from '@mantine/core';
import type { TFunction } from 'i18next';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Backup } from '../../../../../contract/backups.ts';
import type { PanelCallError } from '../../../../../contract/client.ts';
import type { Output } from '../../../../../contract/table.ts';
import { DateTime } from '../../../components/figures.tsx';
import { FormFailure } from '../../../components/form/form-failure.tsx';
import { useOperationForm } from '../../../components/form/use-operation-form.ts';
import { DrawerSection, Fact, Facts, RecordDrawer } from '../../../components/record-drawer.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';
import { useAct } from '../../../data/use-act.ts';
import { useFormat } from '../../../format/use-format.tsx';
import { buildHash } from '../../../router/route.ts';
import { leave, useRoute } from '../../../router/router.ts';
import { Notice } from '../parts/parts.tsx';
import rows from '../parts/rows.module.css';

/** Page `#/settings/backups/<name>`. */
export function RestoreDrawer({ backups }: { readonly backups: readonly Backup[] }) {
  const { t } = useTranslation('settings');
  const format = useFormat();
  const name = useRoute().path[2];
  const backup = backups.find((one) => one.name === name);
  const close = () => leave(buildHash(['settings', 'backups']));
  if (backup === undefined) return null;
  return (
    <RecordDrawer
      isOpen
      onClose={close}
      title={t('backups.restore.title')}
      subtitle={t('backups.restore.of', { when: format.moment(backup.created_at, 'dateTime') })}
      width={560}
    >
      <Steps key={backup.name} backup={backup} onClose={close} />
    </RecordDrawer>
  );
}

interface StepsProps {
  readonly backup: Backup;
  readonly onClose: () => void;
}

function Steps({ backup: { name, encrypted }, onClose }: StepsProps) {
  const { t } = useTranslation('settings');
  const [passphrase, setPassphrase] = useState('');
  const [verdict, setVerdict] = useState<Output<'checkBackup'> | null>(null);
  const [failure, setFailure] = useState<PanelCallError | null>(null);
  const [restored, setRestored] = useState<Output<'restoreBackup'> | null>(null);
  const { start, isRunning } = useAct('checkBackup', { onDone: setVerdict, onFailure: setFailure });
  const check = () => {
    setFailure(null);
    setVerdict(null);
    start({ name, ...(passphrase !== '' && { passphrase }) });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, for a backup that opens without a passphrase.
  useEffect(() => {
    if (!encrypted) check();
  }, []);
  if (restored !== null) return <Restored restored={restored} onClose={onClose} />;
  return (
    <>
      {encrypted && (
        <DrawerSection>
          <form
            className={rows.stack}
            noValidate
            onSubmit={(event: FormEvent) => {
              event.preventDefault();
              check();
            }}
          >
            <p>{t('backups.restore.needsPassphrase')}</p>
            <PasswordInput
              label={t('backups.restore.passphrase')}
              autoComplete="off"
              value={passphrase}
              onChange={(event) => setPassphrase(event.currentTarget.value)}
              data-autofocus
            />
            <div>
              <Button type="submit" variant="default" loading={isRunning} disabled={passphrase === ''}>
                {t('backups.restore.check')}
              </Button>
            </div>
          </form>
        </DrawerSection>
      )}
      {isRunning && (
        <DrawerSection>
          <p role="status">{t('backups.restore.checking')}</p>
          <Skeleton height={72} />
        </DrawerSection>
      )}
      {failure !== null && (
        <DrawerSection>
          <FormFailure failure={failure} />
        </DrawerSection>
      )}
      {verdict !== null && verdict.problem !== null && (
        <DrawerSection>
          <Notice tone="bad">
            {t(`backups.restore.problem.${verdict.problem}`)}
            {verdict.detail !== null && <code>{verdict.detail}</code>}
          </Notice>
        </DrawerSection>
      )}
      {verdict?.ok && (
        <>
          <DrawerSection>
            <Notice tone="ok">{t('backups.restore.good')}</Notice>
            <CheckFacts verdict={verdict} />
            <Origin verdict={verdict} />
          </DrawerSection>
          <RestoreForm name={name} passphrase={passphrase} verdict={verdict} onDone={setRestored} />
        </>
      )}
    </>
  );
}

// The facts that a check has found in a backup.

function CheckFacts({ verdict }: { readonly verdict: Output<'checkBackup'> }) {
  const { t } = useTranslation('settings');
  const format = useFormat();
  const { created_at, version, users, keys, secrets } = verdict;
  return (
    <Facts>
      {created_at !== null && (
        <Fact label={t('backups.restore.made')}>
          <DateTime at={created_at} style="dateTime" />
        </Fact>
      )}
      {version !== null && <Fact label={t('backups.restore.version')}>{version}</Fact>}
      {users !== null && <Fact label={t('backups.restore.users')}>{format.number(users)}</Fact>}
      {keys !== null && <Fact label={t('backups.restore.keys')}>{format.number(keys)}</Fact>}
      {secrets !== null && <Fact label={t('backups.restore.secretsLabel')}>{t(`backups.secrets.${secrets}`)}</Fact>}
    </Facts>
  );
}

// Whether the backup was changed since it was created. If that is unknown, what restoring it would change.

const NONE = { count: 0, items: [] };

function Origin({ verdict: { origin, differences } }: { readonly verdict: Output<'checkBackup'> }) {
  const { t } = useTranslation('settings');
  const format = useFormat();
  if (origin === null) return null;
  if (origin !== 'unknown') return <p>{t(`backups.origin.${origin}`)}</p>;
  const { keys = NONE, settings = [], values = [] } = differences ?? {};
  return (
    <Notice tone="warn" title={t('backups.origin.unknown')}>
      <div className={rows.stack}>
        <p>{t('backups.origin.unknownText')}</p>
        {keys.count > 0 && (
          <SuppliedMaterial title={t('backups.origin.keys')} more={keys.count - keys.items.length}>
            {keys.items.map(({ name, access, prefix }) => (
              <li key={prefix + name}>
                {name} · {t(`api.${access}`)} · <code>{prefix}…</code>
              </li>
            ))}
          </SuppliedMaterial>
        )}
        {settings.length > 0 && (
          <SuppliedMaterial title={t('backups.origin.settings')}>
            {settings.map(({ name, here, there }) => (
              <li key={name}>
                {translateName(t, name)}: <code>{here ?? t('backups.origin.default')}</code> →{' '}
                <code>{there ?? t('backups.origin.default')}</code>
              </li>
            ))}
          </SuppliedMaterial>
        )}
        {values.map(({ kind, count, items }) => (
          <details key={kind}>
            <summary>
              {t(`backups.origin.kind.${kind}`)}: {format.number(count)}
            </summary>
            <SuppliedMaterial more={count - items.length}>
              {items.map(({ record, here, there }) => (
                <li key={`${record} ${there}`}>
                  {record}: <code>{here ?? t('backups.origin.nothing')}</code> →{' '}
                  <code>{there ?? t('backups.origin.nothing')}</code>
                </li>
              ))}
            </SuppliedMaterial>
          </details>
        ))}
      </div>
    </Notice>
  );
}

interface SuppliedMaterialProps {
  readonly title?: string;
  /** Items that are not shown. */
  readonly more?: number;
  readonly children: ReactNode;
}

function SuppliedMaterial({ title, more = 0, children }: SuppliedMaterialProps) {
  const { t } = useTranslation('settings');
  return (
    <div>
      {title !== undefined && <p>{title}</p>}
      <ul className={rows.points}>
        {children}
        {more > 0 && <li>{t('backups.origin.more', { count: more })}</li>}
      </ul>
    </div>
  );
}

/** The most important settings have a translated name; the others are shown by their stored name. */
const NAMED = [
  'publicUrl',
  'subPath',
  'supportUrl',
  'announcement',
  'rateLimit',
  'auditKeptDays',
  'backupSchedule',
] as const;

function translateName(t: TFunction<'settings'>, name: string): string {
  const known = NAMED.find((one) => one === name);
  return known === undefined ? name : t(`backups.origin.name.${known}`);
}

// The form that restores a checked backup: consequences, proof and result.

interface RestoreFormProps {
  readonly name: string;
  readonly passphrase: string;
  readonly verdict: Output<'checkBackup'>;
  readonly onDone: (restored: Output<'restoreBackup'>) => void;
}

function RestoreForm({ name, passphrase, verdict, onDone }: RestoreFormProps) {
  const { t } = useTranslation('settings');
  const form = useOperationForm({
    operation: 'restoreBackup',
    initial: { accept_keys: false, isConfirmed: false },
    toInput: ({ accept_keys, isConfirmed }) => ({
      name,
      accept_keys,
      ...(passphrase !== '' && { passphrase }),
      ...(isConfirmed && verdict.fingerprint !== null && { confirm: verdict.fingerprint }),
    }),
    onDone,
  });
  const isUnknown = verdict.origin === 'unknown';
  return (
    <DrawerSection title={t('backups.restore.whatTitle')}>
      <form className={rows.stack} noValidate onSubmit={form.submit}>
        <ul className={rows.points}>
          <li>{t('backups.restore.replaced')}</li>
          <li>{t('backups.restore.stays')}</li>
          <li>{t('backups.restore.links')}</li>
          <li>{t('backups.restore.pending')}</li>
          <li>{t('backups.restore.sessions')}</li>
          <li>{t('backups.restore.former')}</li>
        </ul>
        {verdict.secrets === 'left_out' && <Notice tone="warn">{t('backups.restore.leftOut')}</Notice>}
        {isUnknown && (
          <Checkbox
            label={t('backups.origin.confirm')}
            description={t('backups.origin.confirmHint')}
            {...form.form.getInputProps('isConfirmed', { type: 'checkbox' })}
          />
        )}
        {(verdict.differences?.keys.count ?? 0) > 0 && (
          <Checkbox
            label={t('backups.origin.accept')}
            description={t('backups.origin.acceptHint')}
            {...form.form.getInputProps('accept_keys', { type: 'checkbox' })}
          />
        )}
        <FormFailure failure={form.failure} />
        <div>
          <Button
            type="submit"
            color="red"
            loading={form.isBusy}
            disabled={isUnknown && !form.form.getValues().isConfirmed}
          >
            {t('backups.restore.submit')}
          </Button>
        </div>
      </form>
    </DrawerSection>
  );
}

interface RestoredProps {
  readonly restored: Output<'restoreBackup'>;
  readonly onClose: () => void;
}

function Restored({ restored: { restored, former, links_url, needs_new_ca }, onClose }: RestoredProps) {
  const { t } = useTranslation('settings');
  return (
    <DrawerSection>
      <Notice
        tone="ok"
        title={t('backups.restore.done')}
        actions={<Button onClick={onClose}>{t('backups.restore.close')}</Button>}
      >
        <div className={rows.stack}>
          {restored.users !== null && <p>{t('backups.restore.doneText', { count: restored.users })}</p>}
          <p>{t('backups.restore.formerIs', { name: former })}</p>
          <p>{t('backups.restore.linksAre', { url: links_url })}</p>
          {needs_new_ca && <p>{t('backups.restore.newCa')}</p>}
        </div>
      </Notice>
    </DrawerSection>
  );
}
