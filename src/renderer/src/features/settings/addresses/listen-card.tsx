// The address and port that the panel listens at; a change is tried first, so that nobody locks themselves out.
import { Autocomplete, NumberInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Addresses } from '../../../../../contract/addresses.ts';
import { SaveCard } from '../parts/save-card.tsx';
import { useProvenForm } from '../parts/use-proven-form.ts';
import classes from './addresses.module.css';
import { changedOnly } from './changed.ts';
import { waitFor } from './trial-state.ts';

/** This machine only, and every network, of both kinds of addresses. */
const USUAL_HOSTS = ['127.0.0.1', '0.0.0.0', '::'];

export function ListenCard({ addresses }: { readonly addresses: Addresses }) {
  const { t } = useTranslation('settings');
  const { host, port, confirm_by } = addresses;
  const initial = { host, port };
  const form = useProvenForm({
    operation: 'changeAddresses',
    initial,
    toInput: (values) => changedOnly(initial, values),
    onDone({ addresses: { confirm_by: endsAt }, confirm_url }) {
      if (confirm_url !== null && endsAt !== null) waitFor({ url: confirm_url, endsAt: Date.parse(endsAt) });
      // Until it is confirmed the former place is the one that holds.
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
      proven={form}
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
