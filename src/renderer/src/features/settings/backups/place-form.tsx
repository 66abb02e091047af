// The form of a backup place. The panel tests a place before it is saved, and never returns its credentials.
import {
  Button,
  NativeSelect,
  NumberInput,
  PasswordInput,
  Radio,
  Select,
  Switch,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  BACKUP_PLACE_FIELDS,
  BACKUP_PLACE_KINDS,
  type BackupPlaceField,
  type BackupPlaceFieldName,
  type BackupPlaceKind,
  type BackupPlaceView,
} from '../../../../../contract/backup-places.ts';
import { Confirm } from '../../../components/confirm.tsx';
import { FormDrawer } from '../../../components/form/form-drawer.tsx';
import { type OperationForm, useOperationForm } from '../../../components/form/use-operation-form.ts';
import { useAct } from '../../../data/use-act.ts';
import { buildHash } from '../../../router/route.ts';
import { leave } from '../../../router/router.ts';
import { Notice } from '../parts/parts.tsx';
import rows from '../parts/rows.module.css';
import { findPlaceErrors } from './place-texts.ts';
import { PlacedBackups } from './placed-backups.tsx';
import classes from './places.module.css';
import { listChoices, usePeriod } from './schedule-card.tsx';

type Protection = 'unchanged' | 'new' | 'none';

interface Values extends Record<BackupPlaceFieldName, string>, Record<string, unknown> {
  readonly kind: BackupPlaceKind;
  readonly name: string;
  readonly allow_private: boolean;
  readonly protection: Protection;
  readonly passphrase: string;
  readonly every_hours: string;
  readonly keep: number;
}

const ON_REQUEST = 'request';
const EMPTY: Values = {
  kind: 's3',
  name: '',
  path: '',
  endpoint: '',
  region: '',
  bucket: '',
  prefix: '',
  access_key_id: '',
  secret_access_key: '',
  host: '',
  port: '',
  user: '',
  host_key: '',
  sftp_password: '',
  private_key: '',
  allow_private: false,
  protection: 'new',
  passphrase: '',
  every_hours: '24',
  keep: 14,
};

/** Values of the kind's fields; empty credentials are left out, which keeps the stored ones. */
function collectFields(values: Values): Partial<Record<BackupPlaceFieldName, string>> {
  const fields: Partial<Record<BackupPlaceFieldName, string>> = {};
  for (const { name, isSecret } of BACKUP_PLACE_FIELDS[values.kind]) {
    const value = name === 'private_key' ? values[name] : values[name].trim();
    if (value.trim() !== '' || !isSecret) fields[name] = value;
  }
  return fields;
}

function buildInput({ name, every_hours, keep }: Values) {
  return { name: name.trim(), every_hours: every_hours === ON_REQUEST ? null : Number(every_hours), keep };
}

/** Validation of the fields with the form's own texts. */
function useFieldCheck(saved: readonly string[]) {
  const { t } = useTranslation('settings');
  return (values: Values): Record<string, string> => {
    const wrong = findPlaceErrors(values.kind, values, saved);
    return Object.fromEntries(Object.entries(wrong).map(([name, what]) => [name, t(`backups.places.wrong.${what}`)]));
  };
}

function close(): void {
  leave(buildHash(['settings', 'backups']));
}

/** Page `#/settings/backups/places/new`. */
export function NewPlace() {
  const { t } = useTranslation('settings');
  const form = useOperationForm<'createBackupPlace', Values>({
    operation: 'createBackupPlace',
    initial: EMPTY,
    toInput: (values) => ({
      ...buildInput(values),
      kind: values.kind,
      fields: collectFields(values),
      allow_private: values.allow_private,
      passphrase: values.protection === 'none' ? null : values.passphrase,
    }),
    check: useFieldCheck([]),
    message: () => ({ text: t('backups.places.form.added') }),
    onDone: close,
  });
  const { getInputProps, setFieldValue } = form.form;
  return (
    <FormDrawer isOpen onClose={close} title={t('backups.places.add')} action={t('backups.places.add')} form={form}>
      <NativeSelect
        label={t('backups.places.form.kind')}
        data={BACKUP_PLACE_KINDS.map((value) => ({ value, label: t(`backups.places.kind.${value}`) }))}
        data-autofocus
        {...getInputProps('kind')}
        onChange={(event) => {
          const kind = BACKUP_PLACE_KINDS.find((one) => one === event.currentTarget.value) ?? 's3';
          setFieldValue('kind', kind);
          if (kind === 'chat') setFieldValue('protection', 'new');
        }}
      />
      <Fields form={form} saved={[]} />
    </FormDrawer>
  );
}

/** Page `#/settings/backups/places/<id>`. */
export function EditPlace({ place }: { readonly place: BackupPlaceView }) {
  const { t } = useTranslation('settings');
  const { id, kind, name, fields, secrets, allow_private, encrypted, every_hours, keep } = place;
  const [isDeleting, setDeleting] = useState(false);
  const form = useOperationForm<'changeBackupPlace', Values>({
    operation: 'changeBackupPlace',
    initial: {
      ...EMPTY,
      ...fields,
      kind,
      name,
      allow_private,
      protection: encrypted ? 'unchanged' : 'none',
      every_hours: every_hours === null ? ON_REQUEST : String(every_hours),
      keep,
    },
    toInput: (values) => ({
      id,
      ...buildInput(values),
      ...findMove(place, values),
      ...(values.protection === 'new' && { passphrase: values.passphrase }),
      ...(values.protection === 'none' && encrypted && { passphrase: null }),
    }),
    check: useFieldCheck(secrets),
    message: () => ({ text: t('backups.places.form.saved') }),
    onDone: close,
  });
  const remove = useAct('deleteBackupPlace', {
    message: () => ({ text: t('backups.places.deleted') }),
    onDone: close,
  });
  return (
    <>
      <FormDrawer
        isOpen
        onClose={close}
        title={t('backups.places.form.edit', { name })}
        subtitle={t(`backups.places.kind.${kind}`)}
        action={t('backups.places.form.save')}
        form={form}
        width={560}
      >
        <Fields form={form} saved={secrets} wasEncrypted={encrypted} />
        <Acts place={place} onDelete={() => setDeleting(true)} />
        {kind !== 'chat' && <PlacedBackups place={place} />}
      </FormDrawer>
      <Confirm
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        title={t('backups.places.deleteTitle')}
        action={t('backups.places.delete')}
        isDangerous
        onConfirm={() => remove.run({ id })}
      >
        <p>{t('backups.places.deleteText', { name })}</p>
      </Confirm>
    </>
  );
}

/** Address and credentials, only if they were changed: the panel then tests them, but an unreachable place can still be renamed. */
function findMove(place: BackupPlaceView, values: Values) {
  const fields = collectFields(values);
  const isSame = Object.entries(fields).every(
    ([name, value]) => value === (place.fields[name as BackupPlaceFieldName] ?? ''),
  );
  return isSame && values.allow_private === place.allow_private ? {} : { fields, allow_private: values.allow_private };
}

interface ActsProps {
  readonly place: BackupPlaceView;
  readonly onDelete: () => void;
}

function Acts({ place: { id, kind, name }, onDelete }: ActsProps) {
  const { t } = useTranslation('settings');
  const test = useAct('testBackupPlace', {
    message: () => ({ text: kind === 'chat' ? t('backups.places.testedChat') : t('backups.places.tested', { name }) }),
  });
  return (
    <div className={classes.acts}>
      <Button variant="default" loading={test.isRunning} onClick={() => test.start({ id })}>
        {t('backups.places.test')}
      </Button>
      <Button variant="default" onClick={onDelete}>
        {t('backups.places.delete')}
      </Button>
    </div>
  );
}

interface FieldsProps {
  readonly form: OperationForm<Values>;
  /** Names of the credentials that are stored. */
  readonly saved: readonly string[];
  readonly wasEncrypted?: boolean;
}

function Fields({ form, saved, wasEncrypted = false }: FieldsProps) {
  const { t } = useTranslation('settings');
  const period = usePeriod();
  const { getInputProps, getValues } = form.form;
  const { kind, protection, every_hours } = getValues();
  const hours = every_hours === ON_REQUEST ? null : Number(every_hours);
  return (
    <>
      <TextInput
        label={t('backups.places.form.name')}
        description={t('backups.places.form.nameHint')}
        autoComplete="off"
        maxLength={60}
        {...getInputProps('name')}
      />
      {BACKUP_PLACE_FIELDS[kind].map((field) => (
        <Field key={field.name} field={field} isSaved={saved.includes(field.name)} form={form} />
      ))}
      <HostKey form={form} />
      {kind === 'chat' && <p className={classes.quiet}>{t('backups.places.form.chatHint')}</p>}
      {(kind === 's3' || kind === 'sftp') && (
        <Switch
          label={t('backups.places.form.private')}
          description={t('backups.places.form.privateHint')}
          {...getInputProps('allow_private', { type: 'checkbox' })}
        />
      )}
      <Radio.Group label={t('backups.places.form.protection')} {...getInputProps('protection')}>
        <div className={rows.choices}>
          {wasEncrypted && <Radio value="unchanged" label={t('backups.places.form.unchanged')} />}
          <Radio value="new" label={t('backups.places.form.encrypted')} />
          {kind !== 'chat' && <Radio value="none" label={t('backups.places.form.inClear')} />}
        </div>
      </Radio.Group>
      {protection === 'new' && (
        <PasswordInput
          label={t('backups.places.form.passphrase')}
          description={t('backups.places.form.passphraseHint')}
          autoComplete="new-password"
          {...getInputProps('passphrase')}
        />
      )}
      <Select
        label={t('backups.places.form.every')}
        allowDeselect={false}
        data={listChoices(hours)
          .filter((choice) => choice !== null)
          .map((choice) => ({ value: String(choice), label: period(choice) }))
          .concat({ value: ON_REQUEST, label: t('backups.places.form.onRequest') })}
        {...getInputProps('every_hours')}
      />
      {kind !== 'chat' && (
        <NumberInput
          label={t('backups.places.form.retained')}
          description={t('backups.places.form.retainedHint')}
          allowDecimal={false}
          min={1}
          {...getInputProps('keep')}
        />
      )}
    </>
  );
}

/** The server's host key, to be compared and confirmed. */
function HostKey({ form }: { readonly form: OperationForm<Values> }) {
  const { t } = useTranslation('settings');
  const shown = form.failure?.errors.find(({ code }) => code === 'host_key')?.message;
  if (shown === undefined || form.form.getValues().host_key === shown) return null;
  return (
    <Notice
      tone="warn"
      title={t('backups.places.form.hostKey')}
      actions={
        <Button variant="default" onClick={() => form.form.setFieldValue('host_key', shown)}>
          {t('backups.places.form.useHostKey')}
        </Button>
      }
    >
      <code className={classes.hostKey}>{shown}</code>
    </Notice>
  );
}

interface FieldProps {
  readonly field: BackupPlaceField;
  readonly isSaved: boolean;
  readonly form: OperationForm<Values>;
}

function Field({ field: { name, isSecret, isRequired }, isSaved, form }: FieldProps) {
  const { t } = useTranslation('settings');
  const label = t(`backups.places.fields.${name}`);
  const isEither = name === 'sftp_password' || name === 'private_key';
  const hint = describeHint(form.form.getValues().kind, name);
  const given = {
    label: isRequired || isEither ? label : t('backups.places.form.optional', { field: label }),
    ...(hint !== null && { description: t(`backups.places.hints.${hint}`) }),
    autoComplete: 'off',
    spellCheck: false,
    ...form.form.getInputProps(name),
    ...(isSaved && { placeholder: t('backups.places.form.keep') }),
  };
  if (name === 'private_key') {
    return (
      <Textarea
        autosize
        minRows={3}
        maxRows={8}
        {...(!isSaved && { placeholder: '-----BEGIN …' })}
        {...given}
        onChange={(event) => {
          // A private key replaces the password, so clear its error.
          form.form.clearFieldError('sftp_password');
          form.form.setFieldValue(name, event.currentTarget.value);
        }}
      />
    );
  }
  return isSecret ? <PasswordInput {...given} autoComplete="new-password" /> : <TextInput {...given} />;
}

function describeHint(kind: BackupPlaceKind, name: BackupPlaceFieldName) {
  if (name === 'path') return kind === 'folder' ? 'folder_path' : 'sftp_path';
  return name === 'endpoint' || name === 'host_key' || name === 'private_key' ? name : null;
}
