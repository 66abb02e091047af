// Settings, Payments: the accounts at payment providers with state and form of each.
import { Button, Switch } from '@mantine/core';
import { IconCreditCard, IconPlus } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Provider } from '../../../../../contract/sales/providers.ts';
import { When } from '../../../components/figures.tsx';
import { SaveCard } from '../../../components/form/save-card.tsx';
import { useOperationForm } from '../../../components/form/use-operation-form.ts';
import { SectionCard } from '../../../components/page.tsx';
import { EmptyState } from '../../../components/placeholder.tsx';
import { RecordDrawer } from '../../../components/record-drawer.tsx';
import { Mark, StateDot } from '../../../components/state.tsx';
import { useOperation } from '../../../data/use-operation.ts';
import { buildHash } from '../../../router/route.ts';
import { leave, useRoute } from '../../../router/router.ts';
import { Reading } from '../parts/parts.tsx';
import rows from '../parts/rows.module.css';
import { EditProvider, NewProvider } from './provider-form.tsx';
import { describeProvider, PROVIDERS_PATH, problemText } from './provider-texts.ts';
import classes from './providers.module.css';

export function ProvidersSection() {
  const { t } = useTranslation('settings');
  const providers = useOperation('listProviders', {});
  const settings = useOperation('getPanelSettings', {});
  const place = useRoute().path[2];
  return (
    <>
      <Reading title={t('payments.title')} query={providers} height={96}>
        {({ items }) => <Providers providers={items} />}
      </Reading>
      <Reading title={t('payments.selling')} query={settings} height={96}>
        {({ selling, stars_only_in_telegram }) => (
          <SellingCard selling={selling} stars_only_in_telegram={stars_only_in_telegram} />
        )}
      </Reading>
      {place === 'new' && <NewProvider />}
      {place !== undefined && place !== 'new' && providers.data !== undefined && (
        <OpenProvider provider={providers.data.items.find(({ id }) => String(id) === place)} />
      )}
    </>
  );
}

/** The switch for sales, which are off by default. */
function SellingCard(saved: { readonly selling: boolean; readonly stars_only_in_telegram: boolean }) {
  const { t } = useTranslation('settings');
  const form = useOperationForm({
    operation: 'updateSettings',
    initial: saved,
    toInput: (values) => values,
    message: () => ({ text: t('saved') }),
  });
  return (
    <SaveCard title={t('payments.selling')} form={form}>
      <Switch
        label={t('payments.sellingLabel')}
        description={t('payments.sellingHint')}
        {...form.form.getInputProps('selling', { type: 'checkbox' })}
      />
      <Switch
        label={t('payments.starsOnlyLabel')}
        description={t('payments.starsOnlyHint')}
        {...form.form.getInputProps('stars_only_in_telegram', { type: 'checkbox' })}
      />
    </SaveCard>
  );
}

function OpenProvider({ provider }: { readonly provider: Provider | undefined }) {
  const { t } = useTranslation('settings');
  if (provider !== undefined) return <EditProvider key={provider.id} provider={provider} />;
  return (
    <RecordDrawer isOpen onClose={() => leave(buildHash(PROVIDERS_PATH))} title={t('payments.title')}>
      <EmptyState size="small" title={t('payments.record.gone')} text={t('payments.record.goneHint')} />
    </RecordDrawer>
  );
}

function Providers({ providers }: { readonly providers: readonly Provider[] }) {
  const { t } = useTranslation('settings');
  const add = (
    <Button
      component="a"
      href={buildHash([...PROVIDERS_PATH, 'new'])}
      leftSection={<IconPlus size={16} stroke={1.5} />}
    >
      {t('payments.add')}
    </Button>
  );
  return (
    <SectionCard
      title={t('payments.title')}
      description={t('payments.description')}
      actions={providers.length > 0 ? add : undefined}
      flush
    >
      {providers.length === 0 ? (
        <EmptyState
          size="small"
          icon={<IconCreditCard size={20} stroke={1.5} />}
          title={t('payments.none')}
          text={t('payments.noneHint')}
          action={add}
        />
      ) : (
        <ul className={rows.rows}>
          {providers.map((provider) => (
            <ProviderRow key={provider.id} provider={provider} />
          ))}
        </ul>
      )}
    </SectionCard>
  );
}

function ProviderRow({ provider }: { readonly provider: Provider }) {
  const { t } = useTranslation('settings');
  const { id, kind, name, account, is_test, ok_at, error, error_at } = provider;
  const look = describeProvider(provider);
  return (
    <li className={rows.row}>
      <div className={rows.rowMain}>
        <span className={rows.rowName}>
          <a className={classes.row} href={buildHash([...PROVIDERS_PATH, id])}>
            {name}
          </a>
          {is_test && <Mark tone="warn">{t('payments.test')}</Mark>}
        </span>
        <span className={rows.rowFacts}>
          <StateDot state={look.state} label={t(look.text)} />
          <span>{t(`payments.kinds.${kind}`)}</span>
          {account !== '' && <span>{account}</span>}
          {error !== null && <span>{problemText(t, provider)}</span>}
          {error_at !== null && <When at={error_at} text={(when) => t('payments.failed', { when })} />}
          {error_at === null && ok_at !== null && <When at={ok_at} text={(when) => t('payments.ok', { when })} />}
          {error_at === null && ok_at === null && <span>{t('payments.never')}</span>}
        </span>
      </div>
    </li>
  );
}
