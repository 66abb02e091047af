// The form of a plan: what a user created from it gets.
import { Select, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Offer } from '../../../../contract/sales/sales.ts';
import { RESET_STRATEGIES } from '../../../../contract/users/users.ts';
import { BytesInput } from '../../components/form/bytes-input.tsx';
import { ConnectionsInput } from '../../components/form/connections-input.tsx';
import { FieldRow } from '../../components/form/form-drawer.tsx';
import { PriceInput } from '../../components/form/price-input.tsx';
import { TermInput } from '../../components/form/term-input.tsx';
import type { OperationForm } from '../../components/form/use-operation-form.ts';
import { WholeNumberInput } from '../../components/form/whole-number-input.tsx';
import { Fact, Facts } from '../../components/record-drawer.tsx';
import { formatPrice } from '../../format/price.ts';
import { useFormat } from '../../format/use-format.tsx';
import { buildHash } from '../../router/route.ts';
import type { Plan, PlanValues } from './plan-values.ts';
import classes from './plans.module.css';

const STARTS = ['on_creation', 'on_first_use'] as const;

interface PlanFieldsProps extends Pick<OperationForm<PlanValues>, 'form'> {
  /** null: a new one. */
  readonly plan: Plan | null;
  /** The offer whose first price is that of the plan; null: none; undefined: not known yet. */
  readonly offer: Offer | null | undefined;
}

export function PlanFields({ form, plan, offer }: PlanFieldsProps) {
  const { t } = useTranslation(['plans', 'common']);
  const devices = form.getInputProps('device_limit');
  const addresses = form.getInputProps('concurrent_limit');
  return (
    <>
      <TextInput
        label={t('plans:fields.name')}
        description={t('plans:fields.nameHint')}
        maxLength={100}
        required
        withAsterisk={false}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <FieldRow>
        <BytesInput
          label={t('plans:fields.traffic')}
          description={t('plans:fields.trafficHint')}
          placeholder={t('common:unlimited')}
          {...form.getInputProps('traffic_limit')}
          value={form.values.traffic_limit}
        />
        <Select
          label={t('plans:fields.reset')}
          description={t('plans:fields.resetHint')}
          allowDeselect={false}
          data={RESET_STRATEGIES.map((value) => ({ value, label: t(`plans:reset.${value}`) }))}
          comboboxProps={{ shadow: 'none' }}
          {...form.getInputProps('reset_strategy')}
        />
      </FieldRow>
      <FieldRow>
        <TermInput
          label={t('plans:fields.term')}
          description={t('plans:fields.termHint')}
          placeholder={t('plans:endless')}
          {...form.getInputProps('duration')}
          value={form.values.duration}
        />
        <Select
          label={t('plans:fields.starts')}
          description={t('plans:fields.startsHint')}
          allowDeselect={false}
          data={STARTS.map((value) => ({ value, label: t(`plans:starts.${value}`) }))}
          comboboxProps={{ shadow: 'none' }}
          {...form.getInputProps('starts')}
        />
      </FieldRow>
      <WholeNumberInput
        label={t('plans:fields.devices')}
        description={t('plans:fields.devicesHint')}
        placeholder={t('common:unlimited')}
        {...devices}
        value={form.values.device_limit ?? ''}
        onChange={(value) => devices.onChange(value === '' ? null : Number(value))}
      />
      <WholeNumberInput
        label={t('plans:fields.addresses')}
        description={t('plans:fields.addressesHint')}
        placeholder={t('common:unlimited')}
        {...addresses}
        value={form.values.concurrent_limit ?? ''}
        onChange={(value) => addresses.onChange(value === '' ? null : Number(value))}
      />
      <ConnectionsInput
        label={t('plans:fields.connections')}
        description={t('plans:fields.connectionsHint')}
        {...form.getInputProps('inbounds')}
        value={form.values.inbounds}
      />
      <PriceFields form={form} plan={plan} offer={offer} />
    </>
  );
}

/** The price where no offer sells the plan for a time: else it is the first price of that offer, and is changed there. */
function PriceFields({ form, plan, offer }: PlanFieldsProps) {
  const { t } = useTranslation('plans');
  const { locale } = useFormat();
  if (offer !== null) {
    const price = plan?.price ?? null;
    return (
      <Facts>
        <Fact label={t('fields.price')}>
          {price === null ? t('fields.noPrice') : formatPrice(price, locale)}
          {offer !== undefined && (
            <>
              {' · '}
              <a className={classes.link} href={buildHash(['sales', 'offers', offer.id])}>
                {t('fields.priceOffer', { name: offer.name })}
              </a>
            </>
          )}
        </Fact>
      </Facts>
    );
  }
  const { value, onChange, ...price } = form.getInputProps('price');
  return (
    <FieldRow>
      <PriceInput
        value={form.values.price}
        onChange={onChange}
        amount={{
          ...price,
          label: t('fields.price'),
          description: t('fields.priceHint'),
          placeholder: t('fields.noPrice'),
        }}
        currency={{
          label: t('fields.currency'),
          description: t('fields.currencyHint'),
          disabled: form.values.price.amount === '',
        }}
      />
    </FieldRow>
  );
}
