// The form to create or change an offered app. Saving it saves the whole list.
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { APP_CORES, type OfferedApp, SYSTEMS } from '../../../../../contract/subscription/apps.ts';
import { CONFIGURATION_FORMATS } from '../../../../../contract/subscription/formats.ts';
import { SYSTEM_NAMES } from '../../../../../subscription/page/apps.ts';
import { FormDrawer } from '../../../components/form/form-drawer.tsx';
import { type OperationForm, useOperationForm } from '../../../components/form/use-operation-form.ts';
import { useAct } from '../../../data/use-act.ts';
import { buildHash } from '../../../router/route.ts';
import { leave } from '../../../router/router.ts';
import { type AppValues, buildApp, EMPTY_APP, findWrongAppFields, toAppValues } from './app-values.ts';

export const APPS_PATH = ['settings', 'subscription', 'apps'] as const;

interface ListProps {
  readonly apps: readonly OfferedApp[];
}

function close(): void {
  leave(buildHash(['settings', 'subscription']));
}

/** `place`: index of the app; the length of the list for a new one. */
function useAppForm(apps: readonly OfferedApp[], initial: AppValues, place: number): OperationForm<AppValues> {
  const { t } = useTranslation('settings');
  return useOperationForm<'saveSubscriptionApps', AppValues>({
    operation: 'saveSubscriptionApps',
    initial,
    toInput: (values) => ({ items: apps.toSpliced(place, 1, buildApp(values)) }),
    check: (values): Record<string, string> =>
      Object.fromEntries(
        findWrongAppFields(values).map((field) => [
          field,
          t(`subscription.apps.wrong.${field === 'name' || field === 'link' ? field : 'stores'}`),
        ]),
      ),
    message: () => ({ text: t('saved') }),
    onDone: close,
  });
}

/** Page `#/settings/subscription/apps/new`. */
export function NewApp({ apps }: ListProps) {
  const { t } = useTranslation('settings');
  const form = useAppForm(apps, EMPTY_APP, apps.length);
  return (
    <FormDrawer
      isOpen
      onClose={close}
      title={t('subscription.apps.add')}
      action={t('subscription.apps.add')}
      form={form}
    >
      <AppFields form={form} />
    </FormDrawer>
  );
}

export function EditApp({ apps, index, app }: ListProps & { readonly index: number; readonly app: OfferedApp }) {
  const { t } = useTranslation(['settings', 'common']);
  const form = useAppForm(apps, toAppValues(app), index);
  const save = useAct('saveSubscriptionApps', {
    message: () => ({ text: t('subscription.apps.removed') }),
    onDone: close,
  });
  return (
    <FormDrawer
      isOpen
      onClose={close}
      title={app.name}
      action={t('common:save')}
      form={form}
      actions={
        <Button
          variant="default"
          loading={save.isRunning}
          onClick={() => save.start({ items: apps.toSpliced(index, 1) })}
        >
          {t('subscription.apps.remove')}
        </Button>
      }
    >
      <AppFields form={form} />
    </FormDrawer>
  );
}

function AppFields({ form: { form } }: { readonly form: OperationForm<AppValues> }) {
  const { t } = useTranslation('settings');
  const { getInputProps } = form;
  const typed = { autoComplete: 'off', spellCheck: false } as const;
  return (
    <>
      <TextInput label={t('subscription.apps.name')} data-autofocus {...typed} {...getInputProps('name')} />
      <TextInput
        label={t('subscription.apps.link')}
        description={t('subscription.apps.linkHint')}
        placeholder="happ://add/{url}"
        {...typed}
        {...getInputProps('link')}
      />
      <NativeSelect
        label={t('subscription.apps.core')}
        description={t('subscription.apps.coreHint')}
        data={[
          { value: '', label: t('subscription.apps.otherCore') },
          ...APP_CORES.map((core) => ({ value: core, label: core })),
        ]}
        {...getInputProps('core')}
      />
      <NativeSelect
        label={t('subscription.rules.format')}
        description={t('subscription.apps.formatHint')}
        data={[
          { value: '', label: t('subscription.rules.byApp') },
          ...CONFIGURATION_FORMATS.map((format) => ({ value: format, label: t(`subscription.formats.${format}`) })),
        ]}
        {...getInputProps('format')}
      />
      {SYSTEMS.map((system) => (
        <TextInput
          key={system}
          label={t('subscription.apps.store', { system: SYSTEM_NAMES[system] })}
          placeholder="https://"
          inputMode="url"
          {...typed}
          {...getInputProps(`stores.${system}`)}
        />
      ))}
    </>
  );
}
