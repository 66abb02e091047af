// Exports all orders as CSV, newest first. No cell can be run as a formula by a spreadsheet.
import { useTranslation } from 'react-i18next';
import type { Order } from '../../../../contract/sales/sales.ts';
import { toDecimal } from '../../../../domain/sales/money.ts';
import { CsvExport } from '../../components/csv-export.tsx';
import { usePanel } from '../../data/panel.tsx';
import { csvLine } from '../../format/csv.ts';

const PAGE = 500;

const COLUMNS = [
  'order',
  'paid_at',
  'state',
  'refunded_at',
  'user_id',
  'user',
  'plan',
  'offer',
  'amount',
  'currency',
  'method',
  'reference',
  'renewal',
  'promo_code',
  'note',
];

function formatLine(order: Order): string {
  return csvLine([
    order.id,
    order.paid_at,
    order.state,
    order.refunded_at,
    order.user?.id ?? null,
    order.user_name,
    order.tariff,
    order.offer,
    toDecimal(order),
    order.currency,
    order.method,
    order.reference,
    order.renewal,
    order.promo?.code ?? null,
    order.note,
  ]);
}

export function ExportButton() {
  const { t } = useTranslation('sales');
  const { client } = usePanel();
  return (
    <CsvExport
      name="orders"
      columns={COLUMNS}
      read={async (before, signal) => {
        const { items, next_before } = await client.listOrders({ limit: PAGE, before }, { signal });
        return { lines: items.map(formatLine), next_before };
      }}
      texts={{
        act: t('export.act'),
        running: (done) => t('export.running', { done }),
        done: (values) => t('export.done', values),
      }}
    />
  );
}
