// Settings, Security, API: address, keys, and the link to the documentation.
import { Button, NumberInput } from '@mantine/core';
import { IconBook2, IconDownload } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { SaveCard } from '../../../components/form/save-card.tsx';
import { useOperationForm } from '../../../components/form/use-operation-form.ts';
import { SectionCard } from '../../../components/page.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';
import { useOperation } from '../../../data/use-operation.ts';
import { buildHash } from '../../../router/route.ts';
import { CopyLine, Reading } from '../parts/parts.tsx';
import classes from './api.module.css';
import { KeysCard } from './keys-card.tsx';
import { NewKey } from './new-key.tsx';
import { useOpenApiFile } from './use-api.ts';

export const API_PATH = ['settings', 'security', 'api'] as const;

export function ApiSection() {
  return (
    <>
      <AddressCard />
      <KeysCard />
      <LimitReading />
      <NewKey />
    </>
  );
}

function AddressCard() {
  const { t } = useTranslation('settings');
  const { data: state } = useOperation('panelState', {});
  const download = useOpenApiFile();
  const baseUrl = state?.base_url;
  return (
    <SectionCard title={t('api.title')} description={t('api.description')}>
      <div className={classes.place}>
        {baseUrl ? <CopyLine value={baseUrl} label={t('api.copyAddress')} /> : <Skeleton height={36} />}
        <p className={classes.hint}>{t('api.addressHint')}</p>
        <div className={classes.acts}>
          <Button
            component="a"
            href={buildHash([...API_PATH, 'docs'])}
            leftSection={<IconBook2 size={16} stroke={1.5} />}
          >
            {t('api.open')}
          </Button>
          <Button variant="default" leftSection={<IconDownload size={16} stroke={1.5} />} onClick={download}>
            {t('api.download')}
          </Button>
        </div>
      </div>
    </SectionCard>
  );
}

function LimitReading() {
  const { t } = useTranslation('settings');
  const settings = useOperation('getPanelSettings', {});
  return (
    <Reading title={t('api.limit.title')} query={settings} height={60}>
      {({ rate_limit }) => <LimitCard limit={rate_limit} />}
    </Reading>
  );
}

function LimitCard({ limit }: { readonly limit: number }) {
  const { t } = useTranslation('settings');
  const form = useOperationForm({
    operation: 'updateSettings',
    initial: { rate_limit: limit },
    toInput: (values) => values,
    message: () => ({ text: t('saved') }),
  });
  return (
    <SaveCard title={t('api.limit.title')} description={t('api.limit.description')} form={form}>
      <NumberInput
        label={t('api.limit.label')}
        description={t('api.limit.hint')}
        allowDecimal={false}
        {...form.form.getInputProps('rate_limit')}
      />
    </SaveCard>
  );
}
