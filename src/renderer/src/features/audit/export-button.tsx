// Writes what the log shows into a file: all that match, page after page.
import { ActionIcon, Loader, Tooltip } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AuditEntry } from '../../../../contract/audit.ts';
import { useHost } from '../../data/host.ts';
import { usePanel } from '../../data/panel.tsx';
import { CSV_MARK, csvLine } from '../../format/csv.ts';
import { useFormat } from '../../format/use-format.tsx';
import { panelNow } from '../../state/connection.ts';
import { notify, notifyFailure } from '../../state/messages.ts';
import { type Filter, matches } from './filter.ts';
import type { EntryTexts } from './use-entry-texts.ts';

interface ExportButtonProps {
  readonly filter: Filter;
  /** The search text within it. */
  readonly text: string;
  readonly texts: EntryTexts;
}

const PAGE = 500;

export function ExportButton({ filter, text, texts }: ExportButtonProps) {
  const { t } = useTranslation('audit');
  const { client } = usePanel();
  const host = useHost();
  const format = useFormat();
  const [done, setDone] = useState<number | null>(null);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  const run = async () => {
    const controller = new AbortController();
    running.current = controller;
    setDone(0);
    const lines = [AUDIT_HEAD];
    try {
      let before: number | undefined;
      do {
        const input = { ...filter, limit: PAGE, ...(before !== undefined && { before }) };
        const page = await client.listAudit(input, { signal: controller.signal });
        for (const entry of page.items) {
          const action = texts.actionOf(entry.action);
          if (matches(entry, text, `${action}\n${texts.nameOf(entry) ?? ''}`)) lines.push(auditRow(entry, action));
        }
        setDone(lines.length - 1);
        before = page.next_before ?? undefined;
      } while (before !== undefined);
      const file = `audit-${new Date(panelNow()).toISOString().slice(0, 10)}.csv`;
      if (!(await host.save(file, 'text/csv;charset=utf-8', lines.join('')))) return;
      notify({ text: t('export.done', { count: lines.length - 1, amount: format.number(lines.length - 1), file }) });
    } catch (failure) {
      if (!controller.signal.aborted) notifyFailure(failure);
    } finally {
      running.current = null;
      setDone(null);
    }
  };
  const label = done === null ? t('export.act') : t('export.running', { done: format.number(done) });
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="default"
        size={32}
        aria-label={label}
        onClick={() => (running.current === null ? void run() : running.current.abort())}
      >
        {done === null ? <IconDownload size={16} stroke={1.5} /> : <Loader size={14} />}
      </ActionIcon>
    </Tooltip>
  );
}

// Entries of the log as a table for other programs.

const AUDIT_HEAD = `${CSV_MARK}${csvLine([
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
])}`;

/** `words`: the act in the language of the page. */
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
