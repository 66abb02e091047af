// Asks a user for money: an order of what the plan sells, whose link is then copied from the list of payments. Its page lets the buyer
// choose a provider; opened at one, it has a link there too.
import { Button, Select, TextInput } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { type Provider, takesCurrency } from '../../../../../contract/sales/providers.ts';
import type { Offer, Order } from '../../../../../contract/sales/sales.ts';
import type { User } from '../../../../../contract/users/users.ts';
import { FormFailure } from '../../../components/form/form-failure.tsx';
import { useOperationForm } from '../../../components/form/use-operation-form.ts';
import { ErrorState } from '../../../components/placeholder.tsx';
import { useReturnFocus } from '../../../components/record-drawer.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';
import { useAct } from '../../../data/use-act.ts';
import { useOperation } from '../../../data/use-operation.ts';
import { formatPrice } from '../../../format/price.ts';
import { useFormat } from '../../../format/use-format.tsx';
import { hashOf } from '../../../router/route.ts';
import { panelNow } from '../../../state/connection.ts';
import { notify } from '../../../state/messages.ts';
import { offersFor } from './offers-for.ts';
import classes from './record.module.css';
import { useEditing } from './record-context.tsx';

interface OrderPartProps {
  readonly user: User;
  readonly onClose: () => void;
}

/** The form, once it is known what can be sold and where it can be paid. */
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
  const ways = waysOf(
    offersFor(offers.data.items, user, panelNow()),
    providers.data.items.filter((provider) => provider.enabled),
  );
  if (!settings.data.selling || ways.length === 0) {
    return (
      <p className={classes.quiet}>
        {t(settings.data.selling ? 'request.noWay' : 'request.off')}{' '}
        <a href={hashOf(['settings', 'payments'])}>{t('request.toProviders')}</a>
      </p>
    );
  }
  return <OrderForm user={user} ways={ways} onClose={onClose} />;
}

/** One offer at one provider in one currency, or (null) on the page of the order. */
interface Way {
  readonly id: string;
  readonly offer: Offer;
  readonly at: { readonly provider: Provider; readonly price: Offer['prices'][number] } | null;
}

function waysOf(offers: readonly Offer[], providers: readonly Provider[]): readonly Way[] {
  return offers.flatMap((offer) => {
    const direct = providers.flatMap((provider) =>
      offer.prices
        .filter(({ currency }) => takesCurrency(provider.kind, currency))
        .map((price) => ({ id: `${offer.id} ${provider.id} ${price.currency}`, offer, at: { provider, price } })),
    );
    return direct.length === 0 ? [] : [{ id: `${offer.id} page`, offer, at: null }, ...direct];
  });
}

function OrderForm({ user, ways, onClose }: OrderPartProps & { readonly ways: readonly Way[] }) {
  const { t } = useTranslation(['sales', 'common']);
  const { locale } = useFormat();
  const box = useRef<HTMLFormElement>(null);
  const wayOf = (id: unknown) => ways.find((way) => way.id === id);
  const message = ({ id }: Pick<Order, 'id'>) => ({ text: t('sales:request.toast', { id }) });
  const open = useAct('openOrder', { message });
  const { form, failure, isBusy, isDirty, submit } = useOperationForm({
    operation: 'createOrder',
    initial: { way: ways[0]?.id ?? '', promo_code: '' },
    toInput: ({ way, promo_code: code }) => ({
      user_id: user.id,
      offer_id: wayOf(way)?.offer.id ?? 0,
      ...(code.trim() !== '' && { promo_code: code.trim() }),
    }),
    onDone: ({ id }) => {
      const at = wayOf(form.values.way)?.at;
      if (at) open.start({ id, provider_id: at.provider.id, currency: at.price.currency });
      else notify(message({ id }));
      onClose();
    },
  });
  const closeBy = useEditing(isDirty && !isBusy);
  const offered = [...new Map(ways.map(({ offer }) => [offer.id, offer])).values()];
  const chosen = wayOf(form.values.way);
  const ofOffer = ways.filter(({ offer }) => offer.id === chosen?.offer.id);
  // Before the focus moves into the form.
  useReturnFocus(box);
  useEffect(() => {
    box.current?.scrollIntoView({ block: 'nearest' });
    box.current?.querySelector('input')?.focus();
  }, []);
  return (
    <form
      ref={box}
      className={classes.panel}
      noValidate
      aria-label={t('sales:request.title')}
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return;
        event.stopPropagation();
        event.preventDefault();
        closeBy(onClose);
      }}
    >
      <Select
        label={t('sales:request.offer')}
        data={offered.map(({ id, name }) => ({ value: String(id), label: name }))}
        allowDeselect={false}
        comboboxProps={{ shadow: 'none' }}
        value={String(chosen?.offer.id ?? '')}
        onChange={(id) => form.setFieldValue('way', ways.find(({ offer }) => String(offer.id) === id)?.id ?? '')}
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
      <TextInput
        label={t('sales:request.promo')}
        maxLength={64}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        {...form.getInputProps('promo_code')}
      />
      <FormFailure failure={failure} />
      <span className={classes.editorActs}>
        <Button type="submit" loading={isBusy}>
          {t('sales:request.act')}
        </Button>
        <Button variant="default" onClick={() => closeBy(onClose)}>
          {t('common:cancel')}
        </Button>
      </span>
    </form>
  );
}
