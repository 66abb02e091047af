// Headers of subscription links for single apps: routing, notices, and settings of Happ.
import { NativeSelect, Switch, Textarea, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import {
  FRAGMENT_PACKETS,
  NOISE_KINDS,
  NOISE_TARGETS,
  type SubscriptionHeaders,
} from '../../../../../contract/subscription/headers.ts';
import { SaveCard } from '../../../components/form/save-card.tsx';
import { useOperationForm } from '../../../components/form/use-operation-form.ts';
import { useOperation } from '../../../data/use-operation.ts';
import { Notice, Reading } from '../parts/parts.tsx';
import { buildHeaders, type HeaderValues, toHeaderValues } from './header-values.ts';
import classes from './subscription.module.css';

export function HeadersCard() {
  const { t } = useTranslation('settings');
  const headers = useOperation('getSubscriptionHeaders', {});
  return (
    <Reading title={t('subscription.headers.title')} query={headers} height={320}>
      {(data) => <HeadersForm headers={data} />}
    </Reading>
  );
}

function HeadersForm({ headers }: { readonly headers: SubscriptionHeaders }) {
  const { t } = useTranslation('settings');
  const form = useOperationForm<'saveSubscriptionHeaders', HeaderValues>({
    operation: 'saveSubscriptionHeaders',
    initial: toHeaderValues(headers),
    toInput: buildHeaders,
    describeField: (field) => {
      if (field === 'web_page_url' || field === 'announce_url') return t('subscription.headers.wrong.url');
      if (field.endsWith('_routing')) return t('subscription.headers.wrong.routing');
      if (field === 'happ_provider_id') return t('subscription.headers.wrong.provider');
      return undefined;
    },
    message: () => ({ text: t('saved') }),
  });
  const { getInputProps, values } = form.form;
  const typed = { autoComplete: 'off', spellCheck: false } as const;
  const isReported = values.happ_provider_id.trim() !== '';
  return (
    <SaveCard title={t('subscription.headers.title')} description={t('subscription.headers.description')} form={form}>
      <TextInput
        label={t('subscription.headers.webPage')}
        description={t('subscription.headers.webPageHint')}
        inputMode="url"
        {...typed}
        {...getInputProps('web_page_url')}
      />
      <TextInput
        label={t('subscription.headers.announceUrl')}
        description={t('subscription.headers.announceUrlHint')}
        inputMode="url"
        {...typed}
        {...getInputProps('announce_url')}
      />
      <Switch
        label={t('subscription.headers.updateAlways')}
        description={t('subscription.headers.updateAlwaysHint')}
        {...getInputProps('update_always', { type: 'checkbox' })}
      />
      {(['happ', 'v2raytun', 'incy'] as const).map((app) => (
        <Textarea
          key={app}
          label={t(`subscription.headers.routing.${app}`)}
          description={t(`subscription.headers.routingHint.${app}`)}
          autosize
          minRows={1}
          maxRows={6}
          {...typed}
          {...getInputProps(`${app}_routing`)}
        />
      ))}
      <TextInput
        label={t('subscription.headers.provider')}
        description={t('subscription.headers.providerHint')}
        {...typed}
        {...getInputProps('happ_provider_id')}
      />
      {isReported && (
        <>
          <Notice tone="warn">{t('subscription.headers.providerReports')}</Notice>
          <Switch
            label={t('subscription.headers.hideSettings')}
            {...getInputProps('happ_hide_settings', { type: 'checkbox' })}
          />
          <Switch
            label={t('subscription.headers.alwaysDevice')}
            {...getInputProps('happ_always_device', { type: 'checkbox' })}
          />
          <Switch
            label={t('subscription.headers.expiryNotices')}
            {...getInputProps('happ_expiry_notices', { type: 'checkbox' })}
          />
          <Switch label={t('subscription.headers.fragment')} {...getInputProps('fragment', { type: 'checkbox' })} />
          {values.fragment && (
            <div className={classes.parts}>
              <NativeSelect
                label={t('subscription.headers.packets')}
                data={[...FRAGMENT_PACKETS]}
                {...getInputProps('happ_fragment.packets')}
              />
              <TextInput
                label={t('subscription.headers.length')}
                {...typed}
                {...getInputProps('happ_fragment.length')}
              />
              <TextInput
                label={t('subscription.headers.interval')}
                {...typed}
                {...getInputProps('happ_fragment.interval')}
              />
            </div>
          )}
          <Switch label={t('subscription.headers.noise')} {...getInputProps('noise', { type: 'checkbox' })} />
          {values.noise && (
            <div className={classes.parts}>
              <NativeSelect
                label={t('subscription.headers.noiseKind')}
                data={[...NOISE_KINDS]}
                {...getInputProps('happ_noise.kind')}
              />
              <TextInput label={t('subscription.headers.packet')} {...typed} {...getInputProps('happ_noise.packet')} />
              <TextInput label={t('subscription.headers.delay')} {...typed} {...getInputProps('happ_noise.delay')} />
              <NativeSelect
                label={t('subscription.headers.applyTo')}
                data={[...NOISE_TARGETS]}
                {...getInputProps('happ_noise.apply_to')}
              />
            </div>
          )}
        </>
      )}
    </SaveCard>
  );
}
