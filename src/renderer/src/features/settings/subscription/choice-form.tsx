// The form to create or change the template of some users. Saving it saves all choices.
import { Button, NativeSelect } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import {
  BUILT_IN_TEMPLATES,
  type SubscriptionTemplates,
  type TemplateChoice,
  templateChoice,
} from '../../../../../contract/subscription/templates.ts';
import { AudienceFields, type AudienceValues } from '../../../components/form/audience-fields.tsx';
import { FormDrawer } from '../../../components/form/form-drawer.tsx';
import { type OperationForm, useOperationForm } from '../../../components/form/use-operation-form.ts';
import { useAct } from '../../../data/use-act.ts';
import { buildHash } from '../../../router/route.ts';
import { leave } from '../../../router/router.ts';
import { useTemplateName } from './use-template-name.ts';

export const CHOICES_PATH = ['settings', 'subscription', 'template-choices'] as const;

interface TemplatesProps {
  readonly templates: SubscriptionTemplates;
}

interface Values extends AudienceValues, Record<string, unknown> {
  readonly template: string;
}

function close(): void {
  leave(buildHash(['settings', 'subscription']));
}

function toChoice({ template, tariffs, tags }: Values): TemplateChoice {
  return { template, tariffs: tariffs.map(Number), tags };
}

/** `place`: index of the choice; the length of the list for a new one. */
function useChoiceForm({ choices }: SubscriptionTemplates, initial: Values, place: number): OperationForm<Values> {
  const { t } = useTranslation('settings');
  return useOperationForm<'chooseSubscriptionTemplate', Values>({
    operation: 'chooseSubscriptionTemplate',
    initial,
    toInput: (values) => ({ choices: choices.toSpliced(place, 1, toChoice(values)) }),
    check: (values): Record<string, string> =>
      templateChoice.safeParse(toChoice(values)).success ? {} : { tariffs: t('subscription.templates.choices.wrong') },
    message: () => ({ text: t('saved') }),
    onDone: close,
  });
}

/** Page `#/settings/subscription/template-choices/new`. */
export function NewChoice({ templates }: TemplatesProps) {
  const { t } = useTranslation('settings');
  const [template] = BUILT_IN_TEMPLATES;
  const form = useChoiceForm(templates, { template, tariffs: [], tags: [] }, templates.choices.length);
  return (
    <FormDrawer
      isOpen
      onClose={close}
      title={t('subscription.templates.choices.add')}
      action={t('subscription.templates.choices.add')}
      form={form}
    >
      <ChoiceFields form={form} templates={templates} />
    </FormDrawer>
  );
}

interface EditChoiceProps extends TemplatesProps {
  readonly choice: TemplateChoice;
  readonly index: number;
}

export function EditChoice({ templates, choice, index }: EditChoiceProps) {
  const { t } = useTranslation(['settings', 'common']);
  const { choices } = templates;
  const initial = { template: choice.template, tariffs: choice.tariffs.map(String), tags: choice.tags };
  const form = useChoiceForm(templates, initial, index);
  const save = useAct('chooseSubscriptionTemplate', {
    message: () => ({ text: t('subscription.templates.choices.removed') }),
    onDone: close,
  });
  return (
    <FormDrawer
      isOpen
      onClose={close}
      title={t('subscription.templates.choices.title')}
      action={t('common:save')}
      form={form}
      actions={
        <Button
          variant="default"
          loading={save.isRunning}
          onClick={() => save.start({ choices: choices.toSpliced(index, 1) })}
        >
          {t('subscription.templates.choices.remove')}
        </Button>
      }
    >
      <ChoiceFields form={form} templates={templates} />
    </FormDrawer>
  );
}

function ChoiceFields({
  form: { form },
  templates: { items },
}: TemplatesProps & { readonly form: OperationForm<Values> }) {
  const { t } = useTranslation('settings');
  const nameOf = useTemplateName();
  const { tariffs, tags } = form.errors;
  return (
    <>
      <NativeSelect
        label={t('subscription.templates.choices.template')}
        data={items.map((one) => ({ value: one.id, label: nameOf(one) }))}
        data-autofocus
        {...form.getInputProps('template')}
      />
      <AudienceFields
        value={form.values}
        hints={{
          tariffs: t('subscription.templates.choices.tariffsHint'),
          tags: t('subscription.templates.choices.tagsHint'),
        }}
        errors={{ tariffs, tags }}
        onChange={(change) => form.setValues(change)}
      />
    </>
  );
}
