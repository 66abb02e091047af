// The drawer that creates, changes or deletes a promo code.
import { ActionIcon, MultiSelect, SegmentedControl, Switch, TextInput, Tooltip } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Promo } from '../../../../contract/sales/promos.ts';
import type { Offer } from '../../../../contract/sales/sales.ts';
import type { Tariff } from '../../../../contract/tariffs.ts';
import { FormDrawer } from '../../components/form/form-drawer.tsx';
import { type OperationForm, useOperationForm } from '../../components/form/use-operation-form.ts';
import { WholeNumberInput } from '../../components/form/whole-number-input.tsx';
import { useOpening } from '../../components/use-opening.ts';
import { useAct } from '../../data/use-act.ts';
import { useFormat } from '../../format/use-format.tsx';
import { blankPromo, type PromoValues, promoInput, promoValues, randomCode } from './promo-values.ts';
import { SaleForm } from './sale-form.tsx';
import { TrafficFields } from './traffic-fields.tsx';

interface PlacesProps {
  readonly plans: readonly Tariff[];
  readonly offers: readonly Offer[];
}

interface PromoDrawerProps extends PlacesProps {
  /** `new`, the id of a promo code, or null: closed. */
  readonly open: 'new' | number | null;
  readonly promos: readonly Promo[];
  readonly onClose: () => void;
}

export function PromoDrawer({ open, promos, ...rest }: PromoDrawerProps) {
  const { shown, count } = useOpening(open);
  const isOpen = open !== null;
  if (shown === null) return null;
  if (shown === 'new') return <NewPromo key={count} isOpen={isOpen} {...rest} />;
  const promo = promos.find(({ id }) => id === shown);
  return promo === undefined ? null : <EditPromo key={count} isOpen={isOpen} promo={promo} {...rest} />;
}

type OpenProps = Omit<PromoDrawerProps, 'open' | 'promos'> & { readonly isOpen: boolean };

function NewPromo({ isOpen, onClose, ...places }: OpenProps) {
  const { t } = useTranslation('sales');
  const { timeZone } = useFormat();
  const { form, ...rest } = useOperationForm<'createPromo', PromoValues>({
    operation: 'createPromo',
    initial: blankPromo(),
    toInput: (values) => ({ code: values.code.trim(), ...promoInput(values, timeZone) }),
    message: ({ code }) => ({ text: t('promo.toast.created', { code }) }),
    onDone: onClose,
  });
  return (
    <FormDrawer isOpen={isOpen} onClose={onClose} title={t('promo.create')} action={t('promo.createAct')} form={rest}>
      <TextInput
        label={t('promo.fields.code')}
        description={t('promo.fields.codeHint')}
        maxLength={32}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        data-autofocus
        rightSection={
          <Tooltip label={t('promo.fields.random')}>
            <ActionIcon
              variant="subtle"
              aria-label={t('promo.fields.random')}
              onClick={() => form.setFieldValue('code', randomCode())}
            >
              <IconRefresh size={16} stroke={1.5} />
            </ActionIcon>
          </Tooltip>
        }
        {...form.getInputProps('code')}
      />
      <PromoFields form={form} {...places} />
    </FormDrawer>
  );
}

function EditPromo({ isOpen, promo, onClose, ...places }: OpenProps & { readonly promo: Promo }) {
  const { t } = useTranslation('sales');
  const { timeZone } = useFormat();
  const { id, code } = promo;
  const remove = useAct('deletePromo', {
    message: () => ({ text: t('promo.toast.deleted', { code }) }),
    onDone: onClose,
  });
  const { form, ...rest } = useOperationForm<'changePromo', PromoValues>({
    operation: 'changePromo',
    initial: promoValues(promo, timeZone),
    toInput: (values) => ({ id, ...promoInput(values, timeZone) }),
    message: () => ({ text: t('promo.toast.saved', { code }) }),
    onDone: onClose,
  });
  return (
    <SaleForm
      isOpen={isOpen}
      onClose={onClose}
      title={code}
      form={rest}
      deletion={{
        act: t('promo.delete'),
        title: t('promo.deleteTitle', { code }),
        text: t('promo.deleteText'),
        run: () => remove.run({ id }),
      }}
    >
      <PromoFields form={form} {...places} />
    </SaleForm>
  );
}

interface PromoFieldsProps extends PlacesProps {
  readonly form: OperationForm<PromoValues>['form'];
}

function PromoFields({ form, plans, offers }: PromoFieldsProps) {
  const { t } = useTranslation('sales');
  const { timeZone } = useFormat();
  const { tariff_ids: chosen, offer_ids: named } = form.values;
  const ofPlans = offers.filter(
    ({ id, tariff_id }) => chosen.length === 0 || chosen.includes(String(tariff_id)) || named.includes(String(id)),
  );
  const getPlanName = (id: number) => plans.find((plan) => plan.id === id)?.name ?? '';
  return (
    <>
      <EffectFields form={form} />
      <WholeNumberInput
        label={t('promo.fields.uses')}
        placeholder={t('promo.fields.any')}
        min={1}
        {...form.getInputProps('max_uses')}
      />
      <WholeNumberInput
        label={t('promo.fields.usesPerUser')}
        description={t('promo.fields.usesPerUserHint')}
        placeholder={t('promo.fields.any')}
        min={1}
        {...form.getInputProps('max_uses_per_user')}
      />
      <TextInput
        type="datetime-local"
        label={t('promo.fields.from')}
        max="2100-01-01T00:00"
        {...form.getInputProps('valid_from')}
      />
      <TextInput
        type="datetime-local"
        label={t('promo.fields.until')}
        description={t('promo.fields.zone', { zone: timeZone })}
        max="2100-01-01T00:00"
        {...form.getInputProps('valid_until')}
      />
      <MultiSelect
        label={t('promo.fields.plans')}
        placeholder={chosen.length === 0 ? t('promo.fields.allPlans') : ''}
        data={plans.map(({ id, name }) => ({ value: String(id), label: name }))}
        clearable
        comboboxProps={{ shadow: 'none' }}
        {...form.getInputProps('tariff_ids')}
      />
      <MultiSelect
        label={t('promo.fields.offers')}
        placeholder={named.length === 0 ? t('promo.fields.allOffers') : ''}
        data={ofPlans.map(({ id, name, tariff_id }) => ({
          value: String(id),
          label: `${name} · ${getPlanName(tariff_id)}`,
        }))}
        clearable
        comboboxProps={{ shadow: 'none' }}
        {...form.getInputProps('offer_ids')}
      />
      <TextInput label={t('promo.fields.note')} maxLength={200} {...form.getInputProps('note')} />
      <Switch
        label={t('promo.fields.enabled')}
        description={t('promo.fields.enabledHint')}
        {...form.getInputProps('enabled', { type: 'checkbox' })}
      />
    </>
  );
}

/** The effect of a code: a lower price, more days, or more traffic. */
function EffectFields({ form }: Pick<PromoFieldsProps, 'form'>) {
  const { t } = useTranslation('sales');
  const { effect } = form.values;
  const { error } = form.getInputProps('effect');
  const change = (part: Partial<PromoValues['effect']>) => {
    form.setFieldValue('effect', { ...effect, ...part });
    form.clearFieldError('effect');
  };
  return (
    <>
      <SegmentedControl
        fullWidth
        aria-label={t('promo.fields.effect')}
        data={(['percent', 'days', 'traffic'] as const).map((value) => ({ value, label: t(`promo.fields.${value}`) }))}
        value={effect.kind}
        onChange={(kind) => change({ kind })}
      />
      {effect.kind === 'percent' && (
        <WholeNumberInput
          label={t('promo.fields.percentLabel')}
          min={1}
          max={99}
          value={effect.percent}
          onChange={(percent) => change({ percent: percent === '' ? '' : Number(percent) })}
          error={error}
          data-path="effect"
        />
      )}
      {effect.kind === 'days' && (
        <WholeNumberInput
          label={t('promo.fields.daysLabel')}
          description={t('promo.fields.daysHint')}
          min={1}
          value={effect.more}
          onChange={(more) => change({ more: more === '' ? '' : Number(more) })}
          error={error}
          data-path="effect"
        />
      )}
      {effect.kind === 'traffic' && <TrafficFields value={effect} onChange={change} error={error} path="effect" />}
    </>
  );
}
