// The form of an own template: a document each for mihomo, sing-box and Xray. The panel checks them before it saves.
import { Button, Tabs, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  MAX_DOCUMENT,
  type SubscriptionTemplates,
  TEMPLATE_DOCUMENTS,
  type TemplateDocument,
} from '../../../../../contract/subscription/templates.ts';
import { Confirm } from '../../../components/confirm.tsx';
import { FormDrawer } from '../../../components/form/form-drawer.tsx';
import { type OperationForm, useOperationForm } from '../../../components/form/use-operation-form.ts';
import { useAct } from '../../../data/use-act.ts';
import { buildHash } from '../../../router/route.ts';
import { leave } from '../../../router/router.ts';
import classes from './subscription.module.css';
import { useTemplateName } from './use-template-name.ts';

export const TEMPLATES_PATH = ['settings', 'subscription', 'templates'] as const;

type Template = SubscriptionTemplates['items'][number];

interface Values extends Record<TemplateDocument, string>, Record<string, unknown> {
  readonly name: string;
}

const NAMES: Readonly<Record<TemplateDocument, string>> = { mihomo: 'mihomo', sing_box: 'sing-box', xray: 'Xray' };
const PROBLEMS = ['syntax', 'object', 'proxies', 'groups', 'all', 'names', 'outbounds', 'rules', 'program'] as const;

function close(): void {
  leave(buildHash(['settings', 'subscription']));
}

function useTemplateForm(initial: Values, id: string | null): OperationForm<Values> {
  const { t } = useTranslation('settings');
  return useOperationForm<'saveSubscriptionTemplate', Values>({
    operation: 'saveSubscriptionTemplate',
    initial,
    toInput: ({ name, mihomo, sing_box, xray }) => ({ id, name: name.trim(), mihomo, sing_box, xray }),
    describeField(_field, _code, message = '') {
      const colon = message.indexOf(': ');
      const problem = PROBLEMS.find((one) => one === message.slice(0, colon));
      return problem && [t(`subscription.templates.wrong.${problem}`), message.slice(colon + 2)].join(' ').trim();
    },
    message: () => ({ text: t('saved') }),
    onDone: close,
  });
}

/** Page `#/settings/subscription/templates/new`; the id of another template after it copies that one. */
export function NewTemplate({ source }: { readonly source: Template | undefined }) {
  const { t } = useTranslation('settings');
  const nameOf = useTemplateName();
  const { mihomo = '', sing_box = '', xray = '' } = source ?? {};
  const name = source === undefined ? '' : t('subscription.templates.copyName', { name: nameOf(source) });
  const form = useTemplateForm({ name, mihomo, sing_box, xray }, null);
  return (
    <FormDrawer
      isOpen
      onClose={close}
      title={t('subscription.templates.add')}
      action={t('subscription.templates.add')}
      width={640}
      form={form}
    >
      <TemplateFields form={form} />
    </FormDrawer>
  );
}

export function EditTemplate({ template }: { readonly template: Template }) {
  const { t } = useTranslation(['settings', 'common']);
  const [isAsking, setAsking] = useState(false);
  const { id, mihomo, sing_box, xray } = template;
  const name = template.name ?? '';
  const form = useTemplateForm({ name, mihomo, sing_box, xray }, id);
  const remove = useAct('deleteSubscriptionTemplate', {
    message: () => ({ text: t('subscription.templates.deleted') }),
    onDone: close,
  });
  return (
    <>
      <FormDrawer
        isOpen
        onClose={close}
        title={name}
        action={t('common:save')}
        width={640}
        form={form}
        actions={
          <Button variant="default" onClick={() => setAsking(true)}>
            {t('subscription.templates.delete')}
          </Button>
        }
      >
        <TemplateFields form={form} />
      </FormDrawer>
      <Confirm
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={t('subscription.templates.deleteTitle', { name })}
        action={t('subscription.templates.delete')}
        isDangerous
        onConfirm={() => remove.run({ id })}
      >
        <p>{t('subscription.templates.deleteText')}</p>
      </Confirm>
    </>
  );
}

function TemplateFields({ form: { form } }: { readonly form: OperationForm<Values> }) {
  const { t } = useTranslation('settings');
  const { getInputProps, errors } = form;
  const [tab, setTab] = useState<string | null>('mihomo');
  // Opens the tab of a refused document.
  const wrong = TEMPLATE_DOCUMENTS.find((one) => errors[one] !== undefined);
  const [shownError, setShownError] = useState<string | undefined>(undefined);
  if (wrong !== shownError) {
    setShownError(wrong);
    if (wrong !== undefined) setTab(wrong);
  }
  return (
    <>
      <TextInput label={t('subscription.templates.nameLabel')} data-autofocus {...getInputProps('name')} />
      <Tabs value={tab} onChange={setTab} keepMounted={false}>
        <Tabs.List>
          {TEMPLATE_DOCUMENTS.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {NAMES[one]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {TEMPLATE_DOCUMENTS.map((one) => (
          <Tabs.Panel key={one} value={one} pt="md">
            <Textarea
              label={t('subscription.templates.document', { format: NAMES[one] })}
              description={t(`subscription.templates.hint.${one}`)}
              classNames={{ input: classes.document ?? '' }}
              autosize
              minRows={16}
              maxRows={28}
              maxLength={MAX_DOCUMENT}
              wrap="off"
              autoComplete="off"
              spellCheck={false}
              {...getInputProps(one)}
            />
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  );
}
