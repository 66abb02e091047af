// The refund of an order: its button, and the confirmation that says what will be revoked.
import { ActionIcon, Button, TextInput, Tooltip } from '@mantine/core';
import { IconArrowBackUp } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Order } from '../../../contract/sales/sales.ts';
import { useAct } from '../data/use-act.ts';
import { useOperation } from '../data/use-operation.ts';
import { formatPrice } from '../format/price.ts';
import { useFormat } from '../format/use-format.tsx';
import { Confirm } from './confirm.tsx';

interface RefundButtonProps {
  readonly id: number;
  /** Without room for its label. */
  readonly isNarrow?: boolean;
  readonly onClick: () => void;
}

export function RefundButton({ id, isNarrow = false, onClick }: RefundButtonProps) {
  const { t } = useTranslation('sales');
  const label = t('order.refund', { id });
  if (!isNarrow) {
    return (
      <Button variant="default" size="compact-sm" aria-label={label} onClick={onClick}>
        {t('refund.act')}
      </Button>
    );
  }
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" size={32} aria-label={label} onClick={onClick}>
        <IconArrowBackUp size={16} stroke={1.5} />
      </ActionIcon>
    </Tooltip>
  );
}

interface RefundQuestionProps {
  /** null: closed. */
  readonly order: Order | null;
  readonly onClose: () => void;
}

/** Says what is revoked, and asks for confirmation. */
export function RefundQuestion({ order, onClose }: RefundQuestionProps) {
  const { t } = useTranslation('sales');
  const { locale } = useFormat();
  const [note, setNote] = useState('');
  const refund = useAct('refundOrder', {
    message: ({ id, refunding }) => ({ text: refunding ? t('refund.begun') : t('refund.done', { id }) }),
  });
  const close = () => {
    setNote('');
    onClose();
  };
  return (
    <Confirm
      isOpen={order !== null}
      onClose={close}
      title={t('refund.title', { id: order?.id ?? 0 })}
      action={t('refund.act')}
      isDangerous
      onConfirm={() => refund.run({ id: order?.id ?? 0, note: note.trim() })}
    >
      {order !== null && (
        <>
          <TakenBackText id={order.id} amount={order.amount === 0 ? null : formatPrice(order, locale)} />
          <TextInput
            mt={12}
            label={t('refund.note')}
            maxLength={200}
            value={note}
            onChange={(event) => setNote(event.currentTarget.value)}
          />
        </>
      )}
    </Confirm>
  );
}

/** `amount` null: nothing was paid. */
function TakenBackText({ id, amount }: { readonly id: number; readonly amount: string | null }) {
  const { t } = useTranslation('sales');
  const format = useFormat();
  const preview = useOperation('previewRefund', { id }, { staleMs: 0 });
  if (preview.data === undefined) return <p aria-busy>{t('refund.loading')}</p>;
  const { expires_at: end, hold, bytes, bytes_used: used, referrer, nothing, by_provider: byProvider } = preview.data;
  const moment = (instant: string | null | undefined) => (instant ? format.moment(instant, 'exact') : '—');
  return (
    <>
      {amount !== null && <p>{t(byProvider ? 'refund.byProvider' : 'refund.money', { amount })}</p>}
      {nothing && <p>{t('refund.nothing')}</p>}
      {end !== null && end.to === null && hold === null && <p>{t('refund.termNever')}</p>}
      {end !== null && end.to !== null && <p>{t('refund.term', { from: moment(end.from), to: moment(end.to) })}</p>}
      {hold !== null && <p>{t('refund.hold', { term: format.term(hold) })}</p>}
      {bytes > 0 && <p>{t('refund.bytes', { left: format.bytes(bytes) })}</p>}
      {used > 0 && <p>{t('refund.used', { used: format.bytes(used) })}</p>}
      {referrer !== null && (
        <p>
          {referrer.hold === null
            ? t('refund.referrer', { name: referrer.name, to: moment(referrer.expires_at?.to) })
            : t('refund.referrerHold', { name: referrer.name, term: format.term(referrer.hold) })}
        </p>
      )}
    </>
  );
}
