// The drawer that creates, changes or deletes an offer.
import { ActionIcon, Button, SegmentedControl, Select, Switch, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { MAX_PRICES, OFFER_AUDIENCES, type Offer } from '../../../../contract/sales/sales.ts';
import type { Tariff } from '../../../../contract/tariffs.ts';
import { FormDrawer } from '../../components/form/form-drawer.tsx';
import { PriceInput } from '../../components/form/price-input.tsx';
import { TermInput } from '../../components/form/term-input.tsx';
import { type OperationForm, useOperationForm } from '../../components/form/use-operation-form.ts';
import { useOpening } from '../../components/use-opening.ts';
import { useAct } from '../../data/use-act.ts';
import { isPrice, type TypedPrice } from '../../format/price.ts';
import { blankOffer, buildInput, newPrice, type OfferValues, type PriceValue, toFormValues } from './offer-values.ts';
import { SaleForm } from './sale-form.tsx';
import classes from './sales.module.css';
import { TrafficFields } from './traffic-fields.tsx';

interface OfferDrawerProps {
  /** `new`, the id of an offer, or null: closed. */
  readonly open: 'new' | number | null;
  readonly offers: readonly Offer[];
  readonly plans: readonly Tariff[];
  /** Initial plan of a new offer: the one whose offers are listed, if any. */
  readonly planId: number | null;
  readonly onClose: () => void;
}

export function OfferDrawer({ open, offers, plans, planId, onClose }: OfferDrawerProps) {
  const { shown, count } = useOpening(open);
  const isOpen = open !== null;
  if (shown === null) return null;
  if (shown === 'new') {
    return <NewOffer key={count} isOpen={isOpen} plans={plans} planId={planId} offers={offers} onClose={onClose} />;
  }
  const offer = offers.find(({ id }) => id === shown);
  if (offer === undefined) return null;
  return <EditOffer key={count} isOpen={isOpen} offer={offer} plans={plans} onClose={onClose} />;
}

type NewOfferProps = Omit<OfferDrawerProps, 'open'> & { readonly isOpen: boolean };

function NewOffer({ isOpen, plans, planId, offers, onClose }: NewOfferProps) {
  const { t } = useTranslation(['sales', 'plans']);
  const plan = planId ?? (plans.length === 1 ? (plans[0]?.id ?? null) : null);
  // The first offer of a plan starts with the plan's own price.
  const isFirst = !offers.some(({ tariff_id }) => tariff_id === plan);
  const price = isFirst ? (plans.find(({ id }) => id === plan)?.price ?? null) : null;
  const currency = offers.at(-1)?.prices[0]?.currency ?? t('plans:usualCurrency');
  const { form, ...rest } = useOperationForm<'createOffer', OfferValues>({
    operation: 'createOffer',
    initial: blankOffer(plan, currency, price),
    // Left out if no plan is chosen, so that validation reports it as missing.
    toInput: (values) =>
      ({ ...(values.tariff_id !== null && toTariffRef(values.tariff_id)), ...buildInput(values) }) as never,
    check: useCheck(),
    message: ({ name }) => ({ text: t('sales:offer.toast.created', { name }) }),
    onDone: onClose,
  });
  return (
    <FormDrawer
      isOpen={isOpen}
      onClose={onClose}
      title={t('sales:offer.create')}
      action={t('sales:offer.createAct')}
      form={rest}
    >
      <OfferFields form={form} plans={plans} canChoosePlan />
    </FormDrawer>
  );
}

function toTariffRef(text: string): { readonly tariff_id: number } {
  return { tariff_id: Number(text) };
}

function useCheck() {
  const { t } = useTranslation('sales');
  return ({ prices, trial }: OfferValues): Record<string, string> =>
    trial || prices.every(isPrice) ? {} : { prices: t('offer.fields.badPrice') };
}

interface EditOfferProps {
  readonly isOpen: boolean;
  readonly offer: Offer;
  readonly plans: readonly Tariff[];
  readonly onClose: () => void;
}

function EditOffer({ isOpen, offer, plans, onClose }: EditOfferProps) {
  const { t } = useTranslation('sales');
  const { id, name } = offer;
  const remove = useAct('deleteOffer', {
    message: () => ({ text: t('offer.toast.deleted', { name }) }),
    onDone: onClose,
  });
  const { form, ...rest } = useOperationForm<'changeOffer', OfferValues>({
    operation: 'changeOffer',
    initial: toFormValues(offer),
    toInput: (values) => ({ id, ...buildInput(values) }),
    check: useCheck(),
    message: (saved) => ({ text: t('offer.toast.saved', { name: saved.name }) }),
    onDone: onClose,
  });
  return (
    <SaleForm
      isOpen={isOpen}
      onClose={onClose}
      title={name}
      form={rest}
      deletion={{
        act: t('offer.delete'),
        title: t('offer.deleteTitle', { name }),
        text: t('offer.deleteText'),
        run: () => remove.run({ id }),
      }}
    >
      <OfferFields form={form} plans={plans} />
    </SaleForm>
  );
}

interface OfferFieldsProps {
  readonly form: OperationForm<OfferValues>['form'];
  readonly plans: readonly Tariff[];
  readonly canChoosePlan?: boolean;
}

function OfferFields({ form, plans, canChoosePlan = false }: OfferFieldsProps) {
  const { t } = useTranslation('sales');
  return (
    <>
      <Select
        label={t('offer.fields.plan')}
        description={t('offer.fields.planHint')}
        data={plans.map(({ id, name }) => ({ value: String(id), label: name }))}
        allowDeselect={false}
        disabled={!canChoosePlan}
        comboboxProps={{ shadow: 'none' }}
        {...form.getInputProps('tariff_id')}
      />
      <TextInput
        label={t('offer.fields.name')}
        description={t('offer.fields.nameHint')}
        maxLength={100}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <SoldFields form={form} />
      <Switch
        label={t('offer.fields.trial')}
        description={t('offer.fields.trialHint')}
        {...form.getInputProps('trial', { type: 'checkbox' })}
      />
      {!form.values.trial && <PriceFields form={form} />}
      <Select
        label={t('offer.fields.audience')}
        description={t(`offer.fields.audienceHint.${form.values.audience}`)}
        data={OFFER_AUDIENCES.map((value) => ({ value, label: t(`offer.audience.${value}`) }))}
        allowDeselect={false}
        comboboxProps={{ shadow: 'none' }}
        {...form.getInputProps('audience')}
      />
      <Switch
        label={t('offer.fields.onSale')}
        description={t('offer.fields.onSaleHint')}
        {...form.getInputProps('on_sale', { type: 'checkbox' })}
      />
    </>
  );
}

/** The sold time or traffic. */
function SoldFields({ form }: Pick<OfferFieldsProps, 'form'>) {
  const { t } = useTranslation('sales');
  const { sold } = form.values;
  const { error } = form.getInputProps('sold');
  const change = (part: Partial<OfferValues['sold']>) => form.setFieldValue('sold', { ...sold, ...part });
  return (
    <>
      <SegmentedControl
        fullWidth
        aria-label={t('offer.fields.kind')}
        data={(['term', 'traffic'] as const).map((value) => ({ value, label: t(`offer.fields.${value}`) }))}
        value={sold.kind}
        onChange={(kind) => change({ kind })}
      />
      {sold.kind === 'term' && (
        <TermInput
          label={t('offer.fields.length')}
          value={sold.term}
          onChange={(term) => change({ term })}
          error={error}
          data-path="sold"
        />
      )}
      {sold.kind === 'traffic' && <TrafficFields value={sold} onChange={change} error={error} path="sold" />}
    </>
  );
}

/** One row for each price: amount and currency. */
function PriceFields({ form }: Pick<OfferFieldsProps, 'form'>) {
  const { t } = useTranslation('sales');
  const errorId = useId();
  const { prices } = form.values;
  const { error } = form.getInputProps('prices');
  const set = (next: readonly PriceValue[]) => {
    form.setFieldValue('prices', next);
    form.clearFieldError('prices');
  };
  const change = (index: number, typed: TypedPrice) =>
    set(prices.map((price, at) => (at === index ? { ...price, ...typed } : price)));
  return (
    <fieldset className={classes.prices} aria-describedby={error ? errorId : undefined}>
      <legend className={classes.legend}>{t('offer.fields.prices')}</legend>
      <span className={classes.hint}>{t('offer.fields.pricesHint')}</span>
      {prices.map((price, index) => {
        const number = index + 1;
        return (
          <div key={price.id} className={classes.price}>
            <PriceInput
              value={price}
              onChange={(typed) => change(index, typed)}
              amount={{
                'aria-label': t('offer.fields.price', { number }),
                error: !isPrice(price) && error !== undefined,
                ...(index === 0 && { 'data-path': 'prices' }),
              }}
              currency={{ 'aria-label': t('offer.fields.currency', { number }) }}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size={32}
              aria-label={t('offer.fields.removePrice', { number })}
              onClick={() => set(prices.filter((_, at) => at !== index))}
            >
              <IconX size={16} stroke={1.5} />
            </ActionIcon>
          </div>
        );
      })}
      {error && (
        <span id={errorId} className={classes.wrong} role="alert">
          {error}
        </span>
      )}
      {prices.length < MAX_PRICES && (
        <div>
          <Button
            variant="subtle"
            leftSection={<IconPlus size={16} stroke={1.5} />}
            onClick={() => set([...prices, newPrice('')])}
          >
            {t('offer.fields.addPrice')}
          </Button>
        </div>
      )}
    </fieldset>
  );
}
