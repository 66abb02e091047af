// The form of a rule of subscription links. Saving it saves the whole list.
import { Button, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CONFIGURATION_FORMATS } from '../../../../../contract/subscription/formats.ts';
import { RULE_ACTIONS, type SubscriptionRule } from '../../../../../contract/subscription/rules.ts';
import { Confirm } from '../../../components/confirm.tsx';
import { FormDrawer } from '../../../components/form/form-drawer.tsx';
import { type OperationForm, useOperationForm } from '../../../components/form/use-operation-form.ts';
import { useAct } from '../../../data/use-act.ts';
import { useOperation } from '../../../data/use-operation.ts';
import { buildHash } from '../../../router/route.ts';
import { leave } from '../../../router/router.ts';
import { EMPTY_RULE, findWrongFields, nextRuleId, type RuleValues, toRule, toValues } from './rule-values.ts';
import { useTemplateName } from './use-template-name.ts';

export const RULES_PATH = ['settings', 'subscription', 'rules'] as const;

interface ListProps {
  readonly rules: readonly SubscriptionRule[];
}

function close(): void {
  leave(buildHash(['settings', 'subscription']));
}

/** `of`: members that are not in the form. A new rule is appended to the list. */
function useRuleForm(
  rules: readonly SubscriptionRule[],
  initial: RuleValues,
  of: Pick<SubscriptionRule, 'id' | 'enabled'>,
): OperationForm<RuleValues> {
  const { t } = useTranslation('settings');
  return useOperationForm<'saveSubscriptionRules', RuleValues>({
    operation: 'saveSubscriptionRules',
    initial,
    toInput(values) {
      const rule = toRule(values, of);
      const isNew = rules.every(({ id }) => id !== of.id);
      return { items: isNew ? [...rules, rule] : rules.map((one) => (one.id === of.id ? rule : one)) };
    },
    check: (values): Record<string, string> =>
      Object.fromEntries(
        findWrongFields(toRule(values, of)).map((field) => [field, t(`subscription.rules.wrong.${field}`)]),
      ),
    message: () => ({ text: t('saved') }),
    onDone: close,
  });
}

/** Page `#/settings/subscription/rules/new`. */
export function NewRule({ rules }: ListProps) {
  const { t } = useTranslation('settings');
  const form = useRuleForm(rules, EMPTY_RULE, { id: nextRuleId(rules), enabled: true });
  return (
    <FormDrawer
      isOpen
      onClose={close}
      title={t('subscription.rules.add')}
      action={t('subscription.rules.add')}
      form={form}
    >
      <RuleFields form={form} />
    </FormDrawer>
  );
}

export function EditRule({ rules, rule }: ListProps & { readonly rule: SubscriptionRule }) {
  const { t } = useTranslation(['settings', 'common']);
  const [isAsking, setAsking] = useState(false);
  const form = useRuleForm(rules, toValues(rule), rule);
  const save = useAct('saveSubscriptionRules', {
    message: () => ({ text: t('subscription.rules.deleted') }),
    onDone: close,
  });
  return (
    <>
      <FormDrawer
        isOpen
        onClose={close}
        title={rule.name}
        action={t('common:save')}
        form={form}
        actions={
          <Button variant="default" onClick={() => setAsking(true)}>
            {t('subscription.rules.delete')}
          </Button>
        }
      >
        <RuleFields form={form} />
      </FormDrawer>
      <Confirm
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={t('subscription.rules.deleteTitle', { name: rule.name })}
        action={t('subscription.rules.delete')}
        isDangerous
        onConfirm={() => save.run({ items: rules.filter(({ id }) => id !== rule.id) })}
      >
        <p>{t('subscription.rules.deleteText')}</p>
      </Confirm>
    </>
  );
}

function RuleFields({ form: { form } }: { readonly form: OperationForm<RuleValues> }) {
  const { t } = useTranslation('settings');
  const { getInputProps, values } = form;
  const templates = useOperation('getSubscriptionTemplates', {});
  const nameOf = useTemplateName();
  const typed = { autoComplete: 'off', spellCheck: false } as const;
  return (
    <>
      <TextInput label={t('subscription.rules.name')} data-autofocus {...getInputProps('name')} />
      <Textarea
        label={t('subscription.rules.apps')}
        description={t('subscription.rules.appsHint')}
        placeholder={'Happ/*\nv2raytun/*'}
        autosize
        minRows={2}
        maxRows={8}
        {...typed}
        {...getInputProps('apps')}
      />
      <Textarea
        label={t('subscription.rules.requires')}
        description={t('subscription.rules.requiresHint')}
        placeholder="x-device-os: iOS"
        autosize
        minRows={1}
        maxRows={5}
        {...typed}
        {...getInputProps('requires')}
      />
      <NativeSelect
        label={t('subscription.rules.actionLabel')}
        data={RULE_ACTIONS.map((action) => ({ value: action, label: t(`subscription.rules.action.${action}`) }))}
        description={t(`subscription.rules.actionHint.${values.action}`)}
        {...getInputProps('action')}
      />
      {values.action === 'explain' && (
        <TextInput
          label={t('subscription.rules.text')}
          description={t('subscription.rules.textHint')}
          {...getInputProps('text')}
        />
      )}
      {values.action === 'serve' && (
        <NativeSelect
          label={t('subscription.rules.format')}
          description={t('subscription.rules.formatHint')}
          data={[
            { value: '', label: t('subscription.rules.byApp') },
            ...CONFIGURATION_FORMATS.map((format) => ({ value: format, label: t(`subscription.formats.${format}`) })),
          ]}
          {...getInputProps('format')}
        />
      )}
      {values.action === 'serve' && (
        <NativeSelect
          label={t('subscription.rules.template')}
          description={t('subscription.rules.templateHint')}
          data={[
            { value: '', label: t('subscription.rules.byDefault') },
            ...(templates.data?.items ?? []).map((one) => ({ value: one.id, label: nameOf(one) })),
          ]}
          {...getInputProps('template')}
        />
      )}
      {values.action !== 'refuse' && (
        <Textarea
          label={t('subscription.rules.headers')}
          description={t('subscription.rules.headersHint')}
          placeholder="announce: Hello"
          autosize
          minRows={2}
          maxRows={8}
          {...typed}
          {...getInputProps('headers')}
        />
      )}
    </>
  );
}
