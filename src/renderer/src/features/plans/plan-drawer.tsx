// The drawer of a plan: a new one, a copy, or a change.
import { useTranslation } from 'react-i18next';
import type { Offer } from '../../../../contract/sales/sales.ts';
import { isPriceOffer } from '../../../../domain/sales/sold.ts';
import { FormDrawer } from '../../components/form/form-drawer.tsx';
import { OpenedRecord, type RecordVersion } from '../../components/form/opened-record.tsx';
import { useOperationForm } from '../../components/form/use-operation-form.ts';
import { Mark, StateBadge } from '../../components/state.tsx';
import { useOpening } from '../../components/use-opening.ts';
import { useAct } from '../../data/use-act.ts';
import { useOperation } from '../../data/use-operation.ts';
import { isPrice } from '../../format/price.ts';
import { buildHash } from '../../router/route.ts';
import { PlanFields } from './plan-form.tsx';
import { PlanMenu } from './plan-menu.tsx';
import {
  blankValues,
  buildInput,
  buildPatch,
  type Plan,
  type PlanInput,
  type PlanValues,
  pickPlanInput,
  toFormValues,
} from './plan-values.ts';
import classes from './plans.module.css';

const isPriceSource = ({ sold, trial }: Offer) => isPriceOffer({ sold, isTrial: trial });

interface PlanDrawerProps {
  /** `new`, an id, or null: closed. */
  readonly open: 'new' | number | null;
  /** For a new plan: the plan whose values it copies. */
  readonly from: Plan | undefined;
  /** The initial currency of a plan without prices. */
  readonly currency: string;
  readonly onClose: () => void;
}

export function PlanDrawer({ open, from, currency, onClose }: PlanDrawerProps) {
  const { shown, count } = useOpening(open);
  const isOpen = open !== null;
  if (shown === null) return null;
  if (shown === 'new') {
    return <NewPlan key={count} isOpen={isOpen} from={from} currency={currency} onClose={onClose} />;
  }
  return (
    <OpenedRecord key={count} read="getTariff" id={shown} isOpen={isOpen} onClose={onClose} width={560}>
      {(plan, version) => (
        <EditPlan plan={plan} version={version} isOpen={isOpen} currency={currency} onClose={onClose} />
      )}
    </OpenedRecord>
  );
}

interface NewPlanProps extends Omit<PlanDrawerProps, 'open'> {
  readonly isOpen: boolean;
}

function NewPlan({ isOpen, from, currency, onClose }: NewPlanProps) {
  const { t } = useTranslation('plans');
  const initial: PlanValues =
    from === undefined
      ? blankValues(currency)
      : { ...toFormValues(from, currency), name: t('copyOf', { name: from.name }).slice(0, 100) };
  const form = useOperationForm({
    operation: 'createTariff',
    initial,
    toInput: buildInput,
    check: useCheck(),
    message: ({ name }) => ({ text: t('toast.created', { name }) }),
    onDone: onClose,
  });
  return (
    <FormDrawer
      isOpen={isOpen}
      onClose={onClose}
      title={from === undefined ? t('create') : t('copyTitle', { name: from.name })}
      action={t('createAct')}
      width={560}
      form={form}
    >
      <PlanFields form={form.form} plan={null} offer={null} />
    </FormDrawer>
  );
}

function useCheck() {
  const { t } = useTranslation('sales');
  return ({ price }: PlanValues): Record<string, string> =>
    isPrice(price) ? {} : { price: t('offer.fields.badPrice') };
}

interface EditPlanProps extends Pick<NewPlanProps, 'isOpen' | 'currency' | 'onClose'> {
  readonly plan: Plan;
  readonly version: RecordVersion;
}

function EditPlan({ plan, version, isOpen, currency, onClose }: EditPlanProps) {
  const { t } = useTranslation(['plans', 'common']);
  const { id, users, archived } = plan;
  const { run } = useAct('updateTariff');
  const offers = useOperation('listOffers', { tariff_id: id });
  const offer = offers.data && (offers.data.items.find(isPriceSource) ?? null);
  const toPatch = (input: PlanInput) => {
    const { price, ...patch } = buildPatch(input);
    return { id, ...patch, ...(offer === null && { price }) };
  };
  const form = useOperationForm({
    operation: 'updateTariff',
    initial: toFormValues(plan, currency),
    toInput: (values) => toPatch(buildInput(values)),
    check: useCheck(),
    ifMatch: version.etag,
    message: ({ name }) => ({
      text: t('plans:toast.saved', { name }),
      undo: () => run(toPatch(pickPlanInput(plan))),
    }),
    onDone: onClose,
  });
  return (
    <FormDrawer
      isOpen={isOpen}
      isOfList
      onClose={onClose}
      title={plan.name}
      subtitle={
        <>
          {archived ? <StateBadge state="archived" /> : <Mark>{t('plans:mark')}</Mark>}
          <a className={classes.link} href={buildHash(['users'], { tariff_id: id })}>
            {t('plans:users', { count: users })}
          </a>
        </>
      }
      actions={<PlanMenu plan={plan} onGone={onClose} />}
      action={t('common:save')}
      width={560}
      form={form}
      onReload={version.reload}
    >
      {users > 0 && <p className={classes.note}>{t('plans:kept')}</p>}
      <PlanFields form={form.form} plan={plan} offer={offer} />
    </FormDrawer>
  );
}
