// How the panel names itself and whom it believes, and where subscription links lead.
import { NumberInput, TagsInput, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Addresses } from '../../../../../contract/addresses.ts';
import { SaveCard } from '../parts/save-card.tsx';
import { useProvenForm } from '../parts/use-proven-form.ts';
import classes from './addresses.module.css';
import { changedOnly, orNull } from './changed.ts';

interface CardProps {
  readonly addresses: Addresses;
}

export function NamesCard({ addresses }: CardProps) {
  const { t } = useTranslation('settings');
  const initial = {
    public_address: addresses.public_address ?? '',
    public_url: addresses.public_url ?? '',
    host_names: addresses.host_names,
    trusted_proxies: addresses.trusted_proxies,
  };
  const form = useProvenForm({
    operation: 'changeAddresses',
    initial,
    toInput(values) {
      const { public_address, public_url, ...lists } = changedOnly(initial, values);
      return {
        ...lists,
        ...(public_address !== undefined && { public_address: orNull(public_address) }),
        ...(public_url !== undefined && { public_url: orNull(public_url) }),
      };
    },
    message: () => ({ text: t('addresses.saved') }),
  });
  const { getInputProps } = form.form;
  return (
    <SaveCard
      title={t('addresses.names.title')}
      description={t('addresses.names.description')}
      warning={t('addresses.names.breaks')}
      form={form}
      proven={form}
    >
      <TextInput
        label={t('addresses.names.publicAddress')}
        description={t('addresses.names.publicAddressHint')}
        placeholder="vpn.example.com"
        spellCheck={false}
        {...getInputProps('public_address')}
      />
      <TextInput
        label={t('addresses.names.publicUrl')}
        description={t('addresses.names.publicUrlHint')}
        placeholder="https://vpn.example.com"
        inputMode="url"
        spellCheck={false}
        {...getInputProps('public_url')}
      />
      <TagsInput
        label={t('addresses.names.hostNames')}
        description={t('addresses.names.hostNamesHint')}
        placeholder="panel.example.com"
        splitChars={[',', ' ']}
        {...getInputProps('host_names')}
      />
      <TagsInput
        label={t('addresses.names.proxies')}
        description={t('addresses.names.proxiesHint')}
        placeholder="10.0.0.0/8"
        splitChars={[',', ' ']}
        {...getInputProps('trusted_proxies')}
      />
    </SaveCard>
  );
}

/** An empty port: links have none of their own. */
function portOf(value: number | string): number | null {
  return value === '' ? null : Number(value);
}

export function LinksCard({ addresses }: CardProps) {
  const { t } = useTranslation('settings');
  const initial = {
    sub_path: addresses.sub_path,
    links_port: (addresses.links_port ?? '') as number | string,
    links_host: addresses.links_host,
  };
  const form = useProvenForm({
    operation: 'changeAddresses',
    initial,
    toInput(values) {
      const { links_port, ...rest } = changedOnly(initial, values);
      return { ...rest, ...(links_port !== undefined && { links_port: portOf(links_port) }) };
    },
    describeField: (_field, code) => (code === 'taken' ? t('addresses.links.taken') : undefined),
    message: () => ({ text: t('addresses.saved') }),
  });
  const { getInputProps } = form.form;
  return (
    <SaveCard
      title={t('addresses.links.title')}
      description={t('addresses.links.description')}
      warning={t('addresses.links.breaks')}
      form={form}
      proven={form}
      isClosed={addresses.confirm_by !== null}
    >
      <TextInput
        label={t('addresses.links.subPath')}
        description={t('addresses.links.subPathHint')}
        spellCheck={false}
        {...getInputProps('sub_path')}
      />
      <div className={classes.fields}>
        <TextInput
          label={t('addresses.links.host')}
          description={t('addresses.listen.hostHint')}
          spellCheck={false}
          {...getInputProps('links_host')}
        />
        <NumberInput
          label={t('addresses.links.port')}
          description={t('addresses.links.portHint')}
          allowDecimal={false}
          allowNegative={false}
          hideControls
          {...getInputProps('links_port')}
        />
      </div>
    </SaveCard>
  );
}
