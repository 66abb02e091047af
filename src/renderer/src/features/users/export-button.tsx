// Exports the listed users, with progress.
import { ActionIcon, Tooltip } from '@mantine/core';
import { IconDownload, IconX } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Sort } from '../../../../contract/users/users.ts';
import { useHost } from '../../data/host.ts';
import { usePanel } from '../../data/panel.tsx';
import { useFormat } from '../../format/use-format.tsx';
import { panelNow } from '../../state/connection.ts';
import { notify, notifyFailure } from '../../state/messages.ts';
import { usersCsvHead, usersCsvRows } from './csv.ts';
import type { Filter } from './filter.ts';
import type { Plans } from './use-plans.ts';
import { allUsers } from './user-reads.ts';
import classes from './users.module.css';

interface ExportButtonProps {
  readonly filter: Filter;
  readonly sort: Sort;
  readonly plans: Plans;
}

export function ExportButton({ filter, sort, plans }: ExportButtonProps) {
  const { t } = useTranslation('users');
  const format = useFormat();
  const { progress, start, stop } = useExport();
  if (progress !== null) {
    const { done, total } = progress;
    return (
      <span className={classes.exporting} role="status">
        <progress className="visually-hidden" aria-label={t('export.act')} value={done} max={Math.max(1, total)} />
        {t('export.running', { done: format.number(done), total: format.number(total) })}
        <ActionIcon variant="subtle" color="gray" size={24} aria-label={t('export.stop')} onClick={stop}>
          <IconX size={14} stroke={1.75} />
        </ActionIcon>
      </span>
    );
  }
  return (
    <Tooltip label={`${t('export.act')}. ${t('export.hint')}`} multiline maw={260}>
      <ActionIcon
        variant="default"
        size={32}
        aria-label={t('export.act')}
        onClick={() => start(filter, sort, plans.names)}
      >
        <IconDownload size={16} stroke={1.5} />
      </ActionIcon>
    </Tooltip>
  );
}

// A running export: page by page into one file, with progress and cancellation.

export interface Export {
  /** null: none is running. */
  readonly progress: { readonly done: number; readonly total: number } | null;
  start(filter: Filter, sort: Sort, plans: ReadonlyMap<number, string>): void;
  stop(): void;
}

function useExport(): Export {
  const { t } = useTranslation('users');
  const { client } = usePanel();
  const host = useHost();
  const format = useFormat();
  const [progress, setProgress] = useState<Export['progress']>(null);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  const run: Export['start'] = async (filter, sort, plans) => {
    const controller = new AbortController();
    running.current = controller;
    const encoder = new TextEncoder();
    const parts = [encoder.encode(usersCsvHead())];
    let done = 0;
    setProgress({ done, total: 0 });
    try {
      for await (const { users, total } of allUsers(client, filter, sort, controller.signal)) {
        parts.push(encoder.encode(usersCsvRows(users, plans)));
        done += users.length;
        setProgress({ done, total: Math.max(total, done) });
      }
      const file = `users-${new Date(panelNow()).toISOString().slice(0, 10)}.csv`;
      if (!(await host.save(file, 'text/csv;charset=utf-8', joinBytes(parts)))) return;
      notify({ text: t('export.done', { count: done, amount: format.number(done), file }) });
    } catch (failure) {
      if (controller.signal.aborted) notify({ text: t('export.stopped') });
      else notifyFailure(failure);
    } finally {
      running.current = null;
      setProgress(null);
    }
  };
  return {
    progress,
    start: (...input) => void run(...input),
    stop: () => running.current?.abort(),
  };
}

function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
