// Settings, Subscription: title, update interval of apps, support address, announcement, rules, a preview of replies, and headers.
import { NumberInput, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { PanelSettings } from '../../../../../contract/settings/settings.ts';
import { SaveCard } from '../../../components/form/save-card.tsx';
import { useOperationForm } from '../../../components/form/use-operation-form.ts';
import { useOperation } from '../../../data/use-operation.ts';
import { Reading } from '../parts/parts.tsx';
import { AppsCard } from './apps-card.tsx';
import { HeadersCard } from './headers-card.tsx';
import { RulesCard } from './rules-card.tsx';
import { TemplatesCard } from './templates-card.tsx';
import { TryCard } from './try-card.tsx';

export function SubscriptionSection() {
  const { t } = useTranslation('settings');
  const settings = useOperation('getPanelSettings', {});
  return (
    <>
      <Reading title={t('subscription.title')} query={settings} height={240}>
        {(data) => <SubscriptionCard settings={data} />}
      </Reading>
      <RulesCard />
      <TemplatesCard />
      <TryCard />
      <HeadersCard />
      <AppsCard />
    </>
  );
}

function SubscriptionCard({ settings }: { readonly settings: PanelSettings }) {
  const { t } = useTranslation('settings');
  const { subscription_title, update_interval_hours, support_url, announcement } = settings;
  const form = useOperationForm({
    operation: 'updateSettings',
    initial: { subscription_title, update_interval_hours, support_url: support_url ?? '', announcement },
    toInput: (values) => ({
      ...values,
      support_url: values.support_url.trim() === '' ? null : values.support_url.trim(),
    }),
    describeField: (field, code) =>
      field === 'support_url' && code === 'format' ? t('subscription.supportWrong') : undefined,
    message: () => ({ text: t('saved') }),
  });
  const { getInputProps } = form.form;
  return (
    <SaveCard title={t('subscription.title')} description={t('subscription.description')} form={form}>
      <TextInput
        label={t('subscription.name')}
        description={t('subscription.nameHint')}
        {...getInputProps('subscription_title')}
      />
      <NumberInput
        label={t('subscription.interval')}
        description={t('subscription.intervalHint')}
        allowDecimal={false}
        {...getInputProps('update_interval_hours')}
      />
      <TextInput
        label={t('subscription.support')}
        description={t('subscription.supportHint')}
        inputMode="url"
        spellCheck={false}
        {...getInputProps('support_url')}
      />
      <TextInput
        label={t('subscription.announcement')}
        description={t('subscription.announcementHint')}
        {...getInputProps('announcement')}
      />
    </SaveCard>
  );
}
