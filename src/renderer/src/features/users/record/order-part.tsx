// Asks a user for money: an order of what the plan sells, whose link is then shown. Its page lets the buyer choose a provider; opened at
// one, the link leads there.
import { Button, Select, TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { issuesReceipts, type Provider } from '../../../../../contract/sales/providers.ts';
import type { Offer, Order } from '../../../../../contract/sales/sales.ts';
import { email as emailAddress } from '../../../../../contract/scalars.ts';
import type { User } from '../../../../../contract/users/users.ts';
import { acceptsPrice } from '../../../../../domain/sales/money.ts';
import { CopyButton } from '../../../components/copy-button.tsx';
import { useOperationForm } from '../../../components/form/use-operation-form.ts';
import { ErrorState } from '../../../components/placeholder.tsx';
import { useReturnFocus } from '../../../components/record-drawer.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';
import { useAct } from '../../../data/use-act.ts';
import { useOperation } from '../../../data/use-operation.ts';
import { formatPrice } from '../../../format/price.ts';
import { useFormat } from '../../../format/use-format.tsx';
import { buildHash } from '../../../router/route.ts';
import { InlineForm } from './inline-form.tsx';
import classes from './record.module.css';

interface OrderPartProps {
  readonly user: User;
  readonly onClose: () => void;
}

/** The form; rendered when offers and providers are loaded. */
export function OrderPart({ user, onClose }: OrderPartProps) {
  const { t } = useTranslation('sales');
  const planId = user.tariff_id;
  const offers = useOperation('listOffers', { tariff_id: planId ?? 0 }, { enabled: planId !== null });
  const providers = useOperation('listProviders', {});
  const settings = useOperation('getPanelSettings', {});
  const failed = [offers, providers, settings].find(({ error }) => error !== null);
  if (planId === null) return <p className={classes.quiet}>{t('payment.noPlan')}</p>;
  if (failed?.error) return <ErrorState size="small" failure={failed.error} onRetry={() => void failed.refetch()} />;
  if (!offers.data || !providers.data || !settings.data) return <Skeleton height={120} />;
  const paymentOptions = listPaymentOptions(
    offers.data.items.filter((offer) => offer.on_sale),
    providers.data.items.filter((provider) => provider.enabled),
  );
  if (!settings.data.selling || paymentOptions.length === 0) {
    return (
      <p className={classes.quiet}>
        {t(settings.data.selling ? 'request.noWay' : 'request.off')}{' '}
        <a href={buildHash(['settings', 'payments'])}>{t('request.toProviders')}</a>
      </p>
    );
  }
  return <OrderForm user={user} paymentOptions={paymentOptions} onClose={onClose} />;
}

/** One offer at one provider in one currency; without a provider (null) on the page of the order. */
interface PaymentOption {
  readonly id: string;
  readonly offer: Offer;
  readonly at: { readonly provider: Provider; readonly price: Offer['prices'][number] } | null;
}

function listPaymentOptions(offers: readonly Offer[], providers: readonly Provider[]): readonly PaymentOption[] {
  return offers.flatMap((offer) => {
    const direct = providers.flatMap((provider) =>
      offer.prices
        .filter((price) => acceptsPrice(provider, price))
        .map((price) => ({ id: `${offer.id} ${provider.id} ${price.currency}`, offer, at: { provider, price } })),
    );
    return direct.length === 0 ? [] : [{ id: `${offer.id} page`, offer, at: null }, ...direct];
  });
}

/** Whether a receipt is sent to the buyer of an order that is opened there. */
function isEmailNeeded(option: PaymentOption | undefined): boolean {
  return option?.at != null && issuesReceipts(option.at.provider);
}

function OrderForm({
  user,
  paymentOptions,
  onClose,
}: OrderPartProps & { readonly paymentOptions: readonly PaymentOption[] }) {
  const { t } = useTranslation(['sales', 'common']);
  const { locale } = useFormat();
  const [made, setMade] = useState<Order | null>(null);
  const findPaymentOption = (id: unknown) => paymentOptions.find((option) => option.id === id);
  const open = useAct('openOrder', { onDone: setMade });
  const operation = useOperationForm({
    operation: 'createOrder',
    initial: {
      way: paymentOptions[0]?.id ?? '',
      promo_code: '',
      email: emailAddress.safeParse(user.contact).data ?? '',
    },
    toInput: ({ way, promo_code: code }) => ({
      user_id: user.id,
      offer_id: findPaymentOption(way)?.offer.id ?? 0,
      ...(code.trim() !== '' && { promo_code: code.trim() }),
    }),
    check: ({ way, email }): Record<string, string> =>
      isEmailNeeded(findPaymentOption(way)) && !emailAddress.safeParse(email.trim()).success
        ? { email: t('sales:request.badEmail') }
        : {},
    onDone: (order) => {
      setMade(order);
      const chosenOption = findPaymentOption(form.values.way);
      if (!chosenOption?.at) return;
      open.start({
        id: order.id,
        provider_id: chosenOption.at.provider.id,
        currency: chosenOption.at.price.currency,
        ...(isEmailNeeded(chosenOption) && { email: form.values.email.trim() }),
      });
    },
  });
  if (made !== null) return <OrderLink order={made} isOpening={open.isRunning} onClose={onClose} />;
  const { form } = operation;
  const offered = [...new Map(paymentOptions.map(({ offer }) => [offer.id, offer])).values()];
  const chosen = findPaymentOption(form.values.way);
  const ofOffer = paymentOptions.filter(({ offer }) => offer.id === chosen?.offer.id);
  return (
    <InlineForm
      label={t('sales:request.title')}
      submitLabel={t('sales:request.act')}
      operation={operation}
      onClose={onClose}
    >
      <Select
        label={t('sales:request.offer')}
        data={offered.map(({ id, name }) => ({ value: String(id), label: name }))}
        allowDeselect={false}
        comboboxProps={{ shadow: 'none' }}
        value={String(chosen?.offer.id ?? '')}
        onChange={(id) =>
          form.setFieldValue('way', paymentOptions.find(({ offer }) => String(offer.id) === id)?.id ?? '')
        }
      />
      <Select
        label={t('sales:request.where')}
        data={ofOffer.map(({ id, at }) => ({
          value: id,
          label: at ? `${at.provider.name} · ${formatPrice(at.price, locale)}` : t('sales:request.onPage'),
        }))}
        allowDeselect={false}
        comboboxProps={{ shadow: 'none' }}
        {...form.getInputProps('way')}
      />
      {isEmailNeeded(chosen) && (
        <TextInput
          label={t('sales:request.email')}
          description={t('sales:request.emailHint')}
          type="email"
          maxLength={200}
          autoComplete="off"
          {...form.getInputProps('email')}
        />
      )}
      <TextInput
        label={t('sales:request.promo')}
        maxLength={64}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        {...form.getInputProps('promo_code')}
      />
    </InlineForm>
  );
}

interface OrderLinkProps {
  readonly order: Order;
  /** The provider is asked for its page. */
  readonly isOpening: boolean;
  readonly onClose: () => void;
}

/** The link of an order that was just made: at the provider where it was opened there, else to its page. */
function OrderLink({ order: { id, pay_url, page_url }, isOpening, onClose }: OrderLinkProps) {
  const { t } = useTranslation(['sales', 'common']);
  const box = useRef<HTMLFieldSetElement>(null);
  useReturnFocus(box);
  useEffect(() => {
    if (!isOpening) box.current?.querySelector('button')?.focus();
  }, [isOpening]);
  const link = pay_url ?? page_url;
  return (
    <fieldset ref={box} className={classes.panel} aria-busy={isOpening}>
      <legend className="visually-hidden">{t('sales:order.number', { id })}</legend>
      <p role="status">{t('sales:request.made', { id })}</p>
      {isOpening || link === null ? (
        isOpening && <Skeleton height={40} />
      ) : (
        <div className={classes.link}>
          <code className={classes.linkText} title={link}>
            {link}
          </code>
        </div>
      )}
      <span className={classes.editorActs}>
        {!isOpening && link !== null && <CopyButton wide value={link} label={t('sales:request.copyLink')} />}
        <Button variant="default" onClick={onClose}>
          {t('common:close')}
        </Button>
      </span>
    </fieldset>
  );
}
