// The form of a payment provider. The panel tests the keys before it saves them, and never returns them.
import { Button, NativeSelect, PasswordInput, Switch, TextInput } from '@mantine/core';
import { IconBook2 } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  PROVIDER_FIELDS,
  PROVIDER_KINDS,
  type Provider,
  type ProviderField,
  type ProviderKind,
  permissionNames,
} from '../../../../../contract/sales/providers.ts';
import type { Guide } from '../../../../../i18n/page-texts.ts';
import { Confirm } from '../../../components/confirm.tsx';
import { CopyButton } from '../../../components/copy-button.tsx';
import { FormDrawer } from '../../../components/form/form-drawer.tsx';
import { type OperationForm, useOperationForm } from '../../../components/form/use-operation-form.ts';
import { useHost } from '../../../data/host.ts';
import { useAct } from '../../../data/use-act.ts';
import { buildHash } from '../../../router/route.ts';
import { leave } from '../../../router/router.ts';
import {
  buildGuideHash,
  findFieldErrors,
  listMissingPermissions,
  PROVIDERS_PATH,
  problemText,
} from './provider-texts.ts';
import classes from './providers.module.css';

type FieldName =
  | 'bot_token'
  | 'api_token'
  | 'shop_id'
  | 'secret_key'
  | 'vat_code'
  | 'webhook_secret'
  | 'merchant'
  | 'payment_key'
  | 'accuracy_payment_percent';

interface Values extends Record<FieldName, string>, Record<string, unknown> {
  readonly kind: string;
  readonly name: string;
  readonly api_root: string;
  readonly allow_private: boolean;
}

const EMPTY: Values = {
  kind: PROVIDER_KINDS[0],
  name: '',
  bot_token: '',
  api_token: '',
  shop_id: '',
  secret_key: '',
  vat_code: '',
  webhook_secret: '',
  merchant: '',
  payment_key: '',
  accuracy_payment_percent: '',
  api_root: '',
  allow_private: false,
};

function getKind({ kind }: Values): ProviderKind {
  return PROVIDER_KINDS.find((one) => one === kind) ?? PROVIDER_KINDS[0];
}

/** Values of the kind's fields; empty secrets are left out, which keeps the stored ones. */
function collectFields(values: Values): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const { name, isSecret } of PROVIDER_FIELDS[getKind(values)]) {
    const value = String(values[name] ?? '').trim();
    if (value !== '' || !isSecret) fields[name] = value;
  }
  return fields;
}

function buildInput(values: Values) {
  const { name, api_root, allow_private } = values;
  const apiRoot = api_root.trim();
  return { name: name.trim(), fields: collectFields(values), api_root: apiRoot === '' ? null : apiRoot, allow_private };
}

/** Validation of the fields with the form's own texts. */
function useFieldTexts(saved: readonly string[]) {
  const { t } = useTranslation('settings');
  return {
    check: (values: Values): Record<string, string> => {
      const wrong = findFieldErrors(getKind(values), values, saved);
      return Object.fromEntries(Object.entries(wrong).map(([name, what]) => [name, t(`payments.wrong.${what}`)]));
    },
    describeField: (field: string, code: string): string | undefined =>
      field === 'api_root' && (code === 'https_required' || code === 'address_refused' || code === 'no_answer')
        ? t(`payments.wrong.${code}`)
        : undefined,
  };
}

function close(): void {
  leave(buildHash(PROVIDERS_PATH));
}

/** Page `#/settings/payments/new`. */
export function NewProvider() {
  const { t } = useTranslation('settings');
  const form = useOperationForm<'createProvider', Values>({
    operation: 'createProvider',
    initial: EMPTY,
    toInput: (values) => ({ kind: getKind(values), ...buildInput(values) }),
    ...useFieldTexts([]),
    message: () => ({ text: t('payments.form.added') }),
    onDone: close,
  });
  return (
    <FormDrawer isOpen onClose={close} title={t('payments.form.add')} action={t('payments.add')} form={form}>
      <NativeSelect
        label={t('payments.form.kind')}
        data={PROVIDER_KINDS.map((value) => ({ value, label: t(`payments.kinds.${value}`) }))}
        data-autofocus
        {...form.form.getInputProps('kind')}
      />
      <Fields form={form} saved={[]} />
    </FormDrawer>
  );
}

/** Page `#/settings/payments/<id>`. */
export function EditProvider({ provider }: { readonly provider: Provider }) {
  const { t } = useTranslation('settings');
  const { id, kind, name, fields, secrets, api_root, allow_private } = provider;
  const [isDeleting, setDeleting] = useState(false);
  const form = useOperationForm<'changeProvider', Values>({
    operation: 'changeProvider',
    initial: { ...EMPTY, ...fields, kind, name, api_root: api_root ?? '', allow_private },
    toInput: (values) => ({ id, ...buildInput(values) }),
    ...useFieldTexts(secrets),
    message: () => ({ text: t('payments.form.saved') }),
    onDone: close,
  });
  const remove = useAct('deleteProvider', { message: () => ({ text: t('payments.record.deleted') }), onDone: close });
  return (
    <>
      <FormDrawer
        isOpen
        onClose={close}
        title={t('payments.form.edit', { name })}
        subtitle={t(`payments.kinds.${kind}`)}
        action={t('payments.form.save')}
        form={form}
      >
        <Fields form={form} saved={secrets} />
        {provider.kind !== 'stars' && <Hook provider={provider} />}
        <Acts provider={provider} onDelete={() => setDeleting(true)} />
      </FormDrawer>
      <Confirm
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        title={t('payments.record.deleteTitle')}
        action={t('payments.record.delete')}
        isDangerous
        onConfirm={() => remove.run({ id })}
      >
        <p>{t('payments.record.deleteText', { name })}</p>
      </Confirm>
    </>
  );
}

/** The address for the provider's webhooks, to be entered at the provider. */
function Hook({ provider: { id, kind, hook_url: url } }: { readonly provider: Provider }) {
  const { t } = useTranslation('settings');
  const set = useAct('setProviderHook', {});
  return (
    <div className={classes.hook}>
      <Switch
        label={t('payments.hook.label')}
        description={t('payments.hook.hint')}
        checked={url !== null}
        disabled={set.isRunning}
        onChange={(event) => set.start({ id, enabled: event.currentTarget.checked })}
      />
      {url !== null && (
        <>
          <span className={classes.hookUrl}>
            <code>{url}</code>
            <CopyButton value={url} label={t('payments.hook.copy')} />
          </span>
          {kind !== 'stars' && <span className={classes.quiet}>{t(`payments.hook.where.${kind}`)}</span>}
        </>
      )}
      <GuideLink guide="webhooks" />
    </div>
  );
}

interface ActsProps {
  readonly provider: Provider;
  readonly onDelete: () => void;
}

function Acts({ provider: { id, enabled }, onDelete }: ActsProps) {
  const { t } = useTranslation('settings');
  const test = useAct('testProvider', {
    message: (after) => ({
      text:
        after.error === null
          ? t('payments.record.tested')
          : t('payments.record.testFailed', { reason: problemText(t, after) }),
    }),
  });
  const enable = useAct('enableProvider', {
    message: (after) => ({ text: t(after.enabled ? 'payments.record.enabled' : 'payments.record.disabled') }),
  });
  return (
    <div className={classes.acts}>
      <Button variant="default" loading={test.isRunning} onClick={() => test.start({ id })}>
        {t('payments.record.test')}
      </Button>
      <Button variant="default" onClick={() => enable.start({ id, enabled: !enabled })}>
        {t(enabled ? 'payments.record.disable' : 'payments.record.enable')}
      </Button>
      <Button variant="default" onClick={onDelete}>
        {t('payments.record.delete')}
      </Button>
    </div>
  );
}

function GuideLink({ guide }: { readonly guide: Guide }) {
  const { t } = useTranslation('settings');
  const { kind } = useHost();
  return (
    // In a new tab, so that the form keeps its input. The desktop has no tabs.
    <a className={classes.guideLink} href={buildGuideHash(guide)} {...(kind === 'browser' && { target: '_blank' })}>
      <IconBook2 size={16} stroke={1.5} aria-hidden />
      {t(`payments.guides.${guide}`)}
    </a>
  );
}

interface FieldsProps {
  readonly form: OperationForm<Values>;
  /** Names of the secrets that are stored. */
  readonly saved: readonly string[];
}

function Fields({ form, saved }: FieldsProps) {
  const { t } = useTranslation('settings');
  const { getInputProps, getValues } = form.form;
  const kind = getKind(getValues());
  return (
    <>
      <GuideLink guide={kind} />
      <TextInput
        label={t('payments.form.name')}
        description={t('payments.form.nameHint')}
        autoComplete="off"
        {...getInputProps('name')}
      />
      {PROVIDER_FIELDS[kind].map((field) => (
        <Field key={field.name} field={field} isSaved={saved.includes(field.name)} form={form} />
      ))}
      <TextInput
        label={t('payments.form.optional', { field: t('payments.form.apiRoot') })}
        description={t('payments.form.apiRootHint')}
        type="url"
        autoComplete="off"
        spellCheck={false}
        {...getInputProps('api_root')}
      />
      <Switch
        label={t('payments.form.private')}
        description={t('payments.form.privateHint')}
        {...getInputProps('allow_private', { type: 'checkbox' })}
      />
    </>
  );
}

interface FieldProps {
  readonly field: ProviderField;
  readonly isSaved: boolean;
  readonly form: OperationForm<Values>;
}

function Field({ field: { name, isSecret, isRequired }, isSaved, form }: FieldProps) {
  const { t } = useTranslation('settings');
  const label = t(`payments.fields.${name as FieldName}`);
  const isStripeKey = name === 'secret_key' && getKind(form.form.getValues()) === 'stripe';
  const missing = isStripeKey ? listMissingPermissions(form.failure) : [];
  const given = {
    label: isRequired ? label : t('payments.form.optional', { field: label }),
    description: isStripeKey
      ? t('payments.hints.restricted_key', { permissions: permissionNames() })
      : t(`payments.hints.${name as FieldName}`),
    autoComplete: 'off',
    spellCheck: false,
    ...form.form.getInputProps(name),
    ...(missing.length > 0 && { error: t('payments.wrong.lacks', { permissions: permissionNames(missing) }) }),
  };
  if (!isSecret) return <TextInput {...given} />;
  return <PasswordInput {...given} {...(isSaved && { placeholder: t('payments.form.keep') })} />;
}
