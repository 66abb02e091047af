// The address and port that the panel listens at. A change must be confirmed at the new address, so that the administrator is not locked out.
import { Autocomplete, Button, NumberInput, TagsInput, TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Addresses } from '../../../../../contract/settings/addresses.ts';
import { Confirm } from '../../../components/confirm.tsx';
import { SaveCard } from '../../../components/form/save-card.tsx';
import { useOperationForm } from '../../../components/form/use-operation-form.ts';
import { SectionCard } from '../../../components/page.tsx';
import { useHost } from '../../../data/host.ts';
import { useAct } from '../../../data/use-act.ts';
import { buildHash } from '../../../router/route.ts';
import { navigate, useRoute } from '../../../router/router.ts';
import classes from './addresses.module.css';
import { changedOnly, orNull } from './changed.ts';
import { waitForConfirmation } from './trial.tsx';

/** Suggested addresses: this machine only, and all networks (IPv4, IPv6). */
const USUAL_HOSTS = ['127.0.0.1', '0.0.0.0', '::'];

export function ListenCard({ addresses }: { readonly addresses: Addresses }) {
  const { t } = useTranslation('settings');
  const { host, port, confirm_by } = addresses;
  const initial = { host, port };
  const form = useOperationForm({
    operation: 'changeAddresses',
    initial,
    toInput: (values) => changedOnly(initial, values),
    onDone(output) {
      waitForConfirmation(output);
      // The former address stays in force until the new one is confirmed.
      form.form.setValues(initial);
      form.form.resetDirty({ ...form.form.getValues(), ...initial });
    },
  });
  return (
    <SaveCard
      title={t('addresses.listen.title')}
      description={t('addresses.listen.description')}
      warning={t('addresses.listen.breaks')}
      action={t('addresses.listen.submit')}
      form={form}
      isClosed={confirm_by !== null}
    >
      <div className={classes.fields}>
        <Autocomplete
          label={t('addresses.listen.host')}
          description={t('addresses.listen.hostHint')}
          data={USUAL_HOSTS}
          filter={({ options }) => options}
          spellCheck={false}
          {...form.form.getInputProps('host')}
        />
        <NumberInput
          label={t('addresses.listen.port')}
          allowDecimal={false}
          allowNegative={false}
          hideControls
          {...form.form.getInputProps('port')}
        />
      </div>
    </SaveCard>
  );
}

// The panel's public address and trusted proxies, and the address of subscription links.

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
  const form = useOperationForm({
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

/** null for an empty port: links have no port of their own. */
function parsePort(value: number | string): number | null {
  return value === '' ? null : Number(value);
}

export function LinksCard({ addresses }: CardProps) {
  const { t } = useTranslation('settings');
  const initial = {
    sub_path: addresses.sub_path,
    links_port: (addresses.links_port ?? '') as number | string,
    links_host: addresses.links_host,
  };
  const form = useOperationForm({
    operation: 'changeAddresses',
    initial,
    toInput(values) {
      const { links_port, ...rest } = changedOnly(initial, values);
      return { ...rest, ...(links_port !== undefined && { links_port: parsePort(links_port) }) };
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

// Creates a new secret path. The address of this page contains it, so the page moves to the new one at once.

/** Query parameter of the section after the secret path has changed. */
export const ROTATED = 'rotated';

export function SecretCard() {
  const { t } = useTranslation('settings');
  const host = useHost();
  const [isAsking, setAsking] = useState(false);
  const { run } = useAct('rotateSecretPath');
  // The command palette opens the section at this button.
  const button = useRef<HTMLButtonElement>(null);
  const isMeant = useRoute().query.get('at') === 'secret';
  useEffect(() => {
    if (isMeant) button.current?.focus();
  }, [isMeant]);
  const openUnder = (secretPath: string) => {
    // The pages of the desktop are not served under the secret path.
    if (host.kind === 'desktop') navigate(buildHash(['settings', 'addresses'], { [ROTATED]: 1 }));
    else location.replace(urlUnder(secretPath));
  };
  return (
    <SectionCard
      title={t('addresses.secret.title')}
      description={t('addresses.secret.description')}
      actions={
        <Button ref={button} variant="default" onClick={() => setAsking(true)}>
          {t('addresses.secret.rotate')}
        </Button>
      }
    >
      <Confirm
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={t('addresses.secret.rotateTitle')}
        action={t('addresses.secret.submit')}
        isDangerous
        onConfirm={async () => openUnder((await run({})).secret_path)}
      >
        <p>{t('addresses.secret.rotateText')}</p>
      </Confirm>
    </SectionCard>
  );
}

/** The address of this section under the new path, at the host that this browser uses. */
function urlUnder(secretPath: string): string {
  return new URL(`/${secretPath}/${buildHash(['settings', 'addresses'], { [ROTATED]: 1 })}`, location.href).href;
}
