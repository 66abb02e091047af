// The form of a webhook, which needs the password, and the drawer that shows a new secret once.
import { Button, MultiSelect, Radio, Switch, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { EVENT_TYPES } from '../../../../../contract/event-types.ts';
import type { Output } from '../../../../../contract/table.ts';
import { isWebhookUrl, type Webhook } from '../../../../../contract/webhooks.ts';
import { FormDrawer } from '../../../components/form/form-drawer.tsx';
import { type OperationForm, useOperationForm } from '../../../components/form/use-operation-form.ts';
import { RecordDrawer } from '../../../components/record-drawer.tsx';
import { SecretOnce } from '../../../components/secret-once.tsx';
import { useFormat } from '../../../format/use-format.tsx';
import { buildHash } from '../../../router/route.ts';
import { leave, useRoute } from '../../../router/router.ts';
import { WEBHOOKS_PATH } from './webhook-texts.ts';
import classes from './webhooks.module.css';

type Made = Output<'createWebhook'>;

interface Values extends Record<string, unknown> {
  readonly url: string;
  readonly description: string;
  readonly which: string;
  readonly types: string[];
  readonly allow_private: boolean;
}

const ALL = 'all';
const CHOSEN = 'chosen';
const EMPTY: Values = { url: '', description: '', which: ALL, types: [], allow_private: false };

function buildInput({ url, description, which, types, allow_private }: Values) {
  return {
    url: url.trim(),
    description: description.trim(),
    types: which === ALL ? null : EVENT_TYPES.filter((type) => types.includes(type)),
    allow_private,
  };
}

/** Validation of the fields with the form's own texts. */
function useFieldTexts() {
  const { t } = useTranslation('settings');
  return {
    check: ({ url, which, types }: Values): Record<string, string> => ({
      ...(url.trim() !== '' && !isWebhookUrl(url.trim()) && { url: t('webhooks.wrong.invalid') }),
      ...(which === CHOSEN && types.length === 0 && { types: t('webhooks.wrong.types') }),
    }),
    describeField: (field: string, code: string): string | undefined =>
      field === 'url' && (code === 'https_required' || code === 'address_refused')
        ? t(`webhooks.wrong.${code}`)
        : undefined,
  };
}

/** Page `#/settings/security/webhooks/new`. */
export function NewWebhook() {
  const isOpen = useRoute().path[3] === 'new';
  const [made, setMade] = useState<Made | null>(null);
  const close = () => {
    leave(buildHash(WEBHOOKS_PATH));
    setMade(null);
  };
  if (made !== null) return <SecretDrawer made={made} isOpen={isOpen} onClose={close} />;
  // Mounted on each opening, so that the form is empty.
  return isOpen ? <CreateForm onMade={setMade} onClose={close} /> : null;
}

interface CreateFormProps {
  readonly onMade: (made: Made) => void;
  readonly onClose: () => void;
}

function CreateForm({ onMade, onClose }: CreateFormProps) {
  const { t } = useTranslation('settings');
  const form = useOperationForm<'createWebhook', Values>({
    operation: 'createWebhook',
    initial: EMPTY,
    toInput: buildInput,
    ...useFieldTexts(),
    message: () => ({ text: t('webhooks.form.added') }),
    onDone: onMade,
  });
  return (
    <FormDrawer isOpen onClose={onClose} title={t('webhooks.form.add')} action={t('webhooks.add')} form={form}>
      <Fields form={form} />
    </FormDrawer>
  );
}

interface EditWebhookProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

/** The form over the drawer of the webhook. */
export function EditWebhook({ webhook, onClose }: EditWebhookProps) {
  const { t } = useTranslation('settings');
  const { id, url, description, types, allow_private } = webhook;
  const form = useOperationForm<'changeWebhook', Values>({
    operation: 'changeWebhook',
    initial: { url, description, which: types === null ? ALL : CHOSEN, types: types ?? [], allow_private },
    toInput: (values) => ({ id, ...buildInput(values) }),
    ...useFieldTexts(),
    message: () => ({ text: t('webhooks.form.saved') }),
    onDone: onClose,
  });
  return (
    <FormDrawer isOpen onClose={onClose} title={t('webhooks.form.edit')} action={t('webhooks.form.save')} form={form}>
      <Fields form={form} />
    </FormDrawer>
  );
}

function Fields({ form }: { readonly form: OperationForm<Values> }) {
  const { t } = useTranslation('settings');
  const { getInputProps } = form.form;
  return (
    <>
      <TextInput
        label={t('webhooks.form.url')}
        description={t('webhooks.form.urlHint')}
        type="url"
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        {...getInputProps('url')}
      />
      <TextInput
        label={t('webhooks.form.name')}
        description={t('webhooks.form.nameHint')}
        autoComplete="off"
        {...getInputProps('description')}
      />
      <Radio.Group label={t('webhooks.form.events')} {...getInputProps('which')}>
        <div className={classes.choice}>
          <Radio value={ALL} label={t('webhooks.form.all')} />
          <Radio value={CHOSEN} label={t('webhooks.form.chosen')} />
        </div>
      </Radio.Group>
      {form.form.getValues().which === CHOSEN && (
        <MultiSelect
          label={t('webhooks.form.choose')}
          description={t('webhooks.form.chooseHint')}
          data={[...EVENT_TYPES]}
          searchable
          clearable={false}
          hidePickedOptions
          {...getInputProps('types')}
        />
      )}
      <Switch
        label={t('webhooks.form.private')}
        description={t('webhooks.form.privateHint')}
        {...getInputProps('allow_private', { type: 'checkbox' })}
      />
    </>
  );
}

interface SecretDrawerProps {
  readonly made: Made;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function SecretDrawer({ made: { secret, webhook }, isOpen, onClose }: SecretDrawerProps) {
  const { t } = useTranslation('settings');
  const format = useFormat();
  const ends = webhook.previous_secret_ends_at;
  return (
    <RecordDrawer
      isOpen={isOpen}
      onClose={onClose}
      title={t('webhooks.secret.title')}
      width={560}
      // A click outside must not close what is shown only once.
      canClose={false}
      footer={<Button onClick={onClose}>{t('webhooks.secret.done')}</Button>}
    >
      <div className={classes.stack}>
        <SecretOnce value={secret} copyLabel={t('webhooks.secret.copy')} />
        <p className={classes.hint}>{t('webhooks.secret.hint')}</p>
        {ends !== null && (
          <p className={classes.hint}>{t('webhooks.secret.overlap', { when: format.moment(ends, 'exact') })}</p>
        )}
      </div>
    </RecordDrawer>
  );
}
