// The payments of a user: lists them, records one paid by hand, and refunds one.
import { Button, Select, TextInput } from '@mantine/core';
import { IconLink, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Offer, type Order, PAYMENT_METHODS, type PaymentMethod } from '../../../../../contract/sales/sales.ts';
import type { User } from '../../../../../contract/users/users.ts';
import { fromDecimal, toDecimal } from '../../../../../domain/sales/money.ts';
import { CopyButton } from '../../../components/copy-button.tsx';
import { FieldRow } from '../../../components/form/form-drawer.tsx';
import { useOperationForm } from '../../../components/form/use-operation-form.ts';
import { ErrorState } from '../../../components/placeholder.tsx';
import { DrawerSection } from '../../../components/record-drawer.tsx';
import { RefundButton, RefundQuestion } from '../../../components/refund.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';
import { useOperation } from '../../../data/use-operation.ts';
import { formatPrice } from '../../../format/price.ts';
import { useFormat } from '../../../format/use-format.tsx';
import { buildHash } from '../../../router/route.ts';
import { randomHex } from '../../../state/random.ts';
import { InlineForm } from './inline-form.tsx';
import { OrderPart } from './order-part.tsx';
import classes from './record.module.css';
import type { RecordProps } from './record-context.tsx';

const FIRST = 3;
const MAX = 100;

export function PaymentsSection({ user, part, onPart }: RecordProps) {
  const { t } = useTranslation('sales');
  const orders = useOperation('listOrders', { user_id: user.id, limit: MAX });
  const [isWhole, setWhole] = useState(false);
  const [refunding, setRefunding] = useState<Order | null>(null);
  const all = orders.data?.items ?? [];
  const shown = isWhole ? all : all.slice(0, FIRST);
  return (
    <DrawerSection
      title={t('payment.title')}
      actions={
        part !== 'payment' &&
        part !== 'order' && (
          <>
            <Button
              variant="subtle"
              className={classes.sectionAct ?? ''}
              leftSection={<IconLink size={16} stroke={1.5} />}
              onClick={() => onPart('order')}
            >
              {t('request.title')}
            </Button>
            <Button
              variant="subtle"
              className={classes.sectionAct ?? ''}
              leftSection={<IconPlus size={16} stroke={1.5} />}
              onClick={() => onPart('payment')}
            >
              {t('payment.record')}
            </Button>
          </>
        )
      }
    >
      {part === 'order' && <OrderPart user={user} onClose={() => onPart(null)} />}
      {part === 'payment' && <PaymentPart user={user} onClose={() => onPart(null)} />}
      {orders.error !== null && orders.data === undefined ? (
        <ErrorState size="small" failure={orders.error} onRetry={() => void orders.refetch()} />
      ) : orders.data === undefined ? (
        <Skeleton width="60%" />
      ) : all.length === 0 && part !== 'payment' ? (
        <p className={classes.quiet}>{t('payment.none')}</p>
      ) : null}
      <ul className={classes.grants}>
        {shown.map((order) => (
          <OrderLine key={order.id} order={order} onRefund={() => setRefunding(order)} />
        ))}
      </ul>
      {all.length > shown.length && (
        <Button variant="subtle" color="gray" onClick={() => setWhole(true)}>
          {t('payment.all', { count: all.length - shown.length })}
        </Button>
      )}
      <RefundQuestion order={refunding} onClose={() => setRefunding(null)} />
    </DrawerSection>
  );
}

function OrderLine({ order, onRefund }: { readonly order: Order; readonly onRefund: () => void }) {
  const { t } = useTranslation('sales');
  const format = useFormat();
  const { id, offer, method, reference, note, paid_at, state } = order;
  const facts = [
    t('order.number', { id }),
    method === null ? '' : t(`order.method.${method}`),
    reference ?? '',
    paid_at === null ? '' : format.moment(paid_at),
    note,
  ];
  return (
    <li className={classes.grant} data-over={state !== 'paid' || undefined}>
      <span className={classes.grantText}>
        <span className="figures">{`${formatPrice(order, format.locale)} · ${offer}`}</span>
        <span className={classes.quiet}>
          {facts.filter((fact) => fact !== '').join(' · ')}
          {state !== 'paid' && ` · ${t(`order.state.${state}`)}`}
        </span>
      </span>
      {order.page_url !== null && <CopyButton value={order.page_url} label={t('request.copy', { id })} />}
      {order.pay_url !== null && <CopyButton value={order.pay_url} label={t('request.copyDirect', { id })} />}
      {state === 'paid' && <RefundButton id={id} onClick={onRefund} />}
    </li>
  );
}

interface PaymentPartProps {
  readonly user: User;
  readonly onClose: () => void;
}

/** The form; rendered when the user's offers are loaded. */
function PaymentPart({ user, onClose }: PaymentPartProps) {
  const { t } = useTranslation('sales');
  const planId = user.tariff_id;
  const offers = useOperation('listOffers', { tariff_id: planId ?? 0 }, { enabled: planId !== null });
  if (planId === null) return <p className={classes.quiet}>{t('payment.noPlan')}</p>;
  if (offers.data === undefined) {
    if (offers.error === null) return <Skeleton height={120} />;
    return <ErrorState size="small" failure={offers.error} onRetry={() => void offers.refetch()} />;
  }
  const onSale = offers.data.items.filter((offer) => offer.on_sale && !offer.trial);
  if (onSale.length === 0) {
    return (
      <p className={classes.quiet}>
        {t('payment.noOffers')} <a href={buildHash(['sales', 'offers'], { plan: planId })}>{t('payment.toOffers')}</a>
      </p>
    );
  }
  return <PaymentForm user={user} offers={onSale} onClose={onClose} />;
}

interface Values extends Record<string, unknown> {
  offer_id: string;
  /** Decimal text in the major unit. */
  amount: string;
  currency: string;
  method: PaymentMethod;
  reference: string;
  note: string;
}

function priceValues(offer: Offer | undefined): Pick<Values, 'amount' | 'currency'> {
  const price = offer?.prices[0];
  return price === undefined ? { amount: '', currency: '' } : { amount: toDecimal(price), currency: price.currency };
}

function PaymentForm({ user, offers, onClose }: PaymentPartProps & { readonly offers: readonly Offer[] }) {
  const { t } = useTranslation(['sales', 'common']);
  const { locale } = useFormat();
  const { id, name } = user;
  // The idempotency key, the same on every retry of this form.
  const [key] = useState(() => randomHex(16));
  const operation = useOperationForm<'recordPayment', Values>({
    operation: 'recordPayment',
    initial: {
      offer_id: String(offers[0]?.id ?? ''),
      ...priceValues(offers[0]),
      method: 'cash',
      reference: '',
      note: '',
    },
    toInput: ({ offer_id, amount, currency, method, reference, note }) => ({
      key,
      user_id: id,
      offer_id: Number(offer_id),
      amount: fromDecimal(amount.trim(), currency) ?? 0,
      currency,
      method,
      ...(reference.trim() !== '' && { reference: reference.trim() }),
      note: note.trim(),
    }),
    check: ({ amount, currency }): Record<string, string> =>
      fromDecimal(amount.trim(), currency) === null ? { amount: t('sales:payment.badAmount') } : {},
    message: (order) => ({ text: t('sales:payment.toast', { name, amount: formatPrice(order, locale) }) }),
    onDone: onClose,
  });
  const { form } = operation;
  const offer = offers.find((one) => String(one.id) === form.values.offer_id);
  const choose = (offerId: string | null) => {
    if (offerId === null) return;
    form.setValues({ offer_id: offerId, ...priceValues(offers.find((one) => String(one.id) === offerId)) });
  };
  const chooseCurrency = (currency: string | null) => {
    const price = offer?.prices.find((one) => one.currency === currency);
    if (price !== undefined) form.setValues({ currency: price.currency, amount: toDecimal(price) });
  };
  return (
    <InlineForm
      label={t('sales:payment.record')}
      submitLabel={t('sales:payment.act')}
      operation={operation}
      onClose={onClose}
    >
      <Select
        label={t('sales:payment.offer')}
        data={offers.map((one) => ({ value: String(one.id), label: one.name }))}
        allowDeselect={false}
        comboboxProps={{ shadow: 'none' }}
        {...form.getInputProps('offer_id')}
        onChange={choose}
      />
      <FieldRow>
        <TextInput
          label={t('sales:payment.amount')}
          inputMode="decimal"
          autoComplete="off"
          {...form.getInputProps('amount')}
          onChange={(event) => form.setFieldValue('amount', event.currentTarget.value.replace(',', '.'))}
        />
        <Select
          label={t('sales:payment.currency')}
          data={offer?.prices.map(({ currency }) => currency) ?? []}
          allowDeselect={false}
          comboboxProps={{ shadow: 'none' }}
          {...form.getInputProps('currency')}
          onChange={chooseCurrency}
        />
      </FieldRow>
      <FieldRow>
        <Select
          label={t('sales:payment.method')}
          data={PAYMENT_METHODS.map((value) => ({ value, label: t(`sales:order.method.${value}`) }))}
          allowDeselect={false}
          comboboxProps={{ shadow: 'none' }}
          {...form.getInputProps('method')}
        />
        <TextInput
          label={t('sales:payment.reference')}
          autoComplete="off"
          maxLength={100}
          {...form.getInputProps('reference')}
        />
      </FieldRow>
      <p className={classes.quiet}>{t('sales:payment.referenceHint')}</p>
      <TextInput label={t('sales:payment.note')} autoComplete="off" maxLength={200} {...form.getInputProps('note')} />
    </InlineForm>
  );
}
