// Exports all entries that match the log's filter and search.
import { useTranslation } from 'react-i18next';
import type { AuditEntry } from '../../../../contract/access/audit.ts';
import { CsvExport } from '../../components/csv-export.tsx';
import { usePanel } from '../../data/panel.tsx';
import { csvLine } from '../../format/csv.ts';
import { type Filter, matches } from './filter.ts';
import type { EntryTexts } from './use-entry-texts.ts';

interface ExportButtonProps {
  readonly filter: Filter;
  /** The search text. */
  readonly text: string;
  readonly texts: EntryTexts;
}

const PAGE = 500;

export function ExportButton({ filter, text, texts }: ExportButtonProps) {
  const { t } = useTranslation('audit');
  const { client } = usePanel();
  return (
    <CsvExport
      name="audit"
      columns={AUDIT_COLUMNS}
      read={async (before, signal) => {
        const { items, next_before } = await client.listAudit({ ...filter, limit: PAGE, before }, { signal });
        const lines = items.flatMap((entry) => {
          const action = texts.formatAction(entry.action);
          return matches(entry, text, `${action}\n${texts.findName(entry) ?? ''}`) ? [auditRow(entry, action)] : [];
        });
        return { lines, next_before };
      }}
      texts={{
        act: t('export.act'),
        running: (done) => t('export.running', { done }),
        done: (values) => t('export.done', values),
      }}
    />
  );
}

// The columns of the exported file.

const AUDIT_COLUMNS = [
  'id',
  'at',
  'actor_kind',
  'actor_id',
  'actor',
  'action',
  'action_text',
  'outcome',
  'target',
  'address',
  'request_id',
  'detail',
];

/** `texts`: the action in the language of the page. */
function auditRow(entry: AuditEntry, texts: string): string {
  const { id, at, actor, action, outcome, target, address, request_id, detail } = entry;
  const facts = Object.keys(detail).length === 0 ? '' : JSON.stringify(detail);
  return csvLine([
    id,
    at,
    actor.kind,
    actor.id,
    actor.name,
    action,
    texts,
    outcome,
    target,
    address,
    request_id,
    facts,
  ]);
}
