// The button that exports a list as a CSV file, page by page; pressing it again stops the export.
import { ActionIcon, Loader, Tooltip } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useHost } from '../data/host.ts';
import { csvHead } from '../format/csv.ts';
import { useFormat } from '../format/use-format.tsx';
import { panelNow } from '../state/connection.ts';
import { notify, notifyFailure } from '../state/messages.ts';

interface CsvPage {
  /** Each made by `csvLine`. */
  readonly lines: readonly string[];
  /** The cursor of the next page; null: this is the last one. */
  readonly next_before: number | null;
}

interface CsvExportProps {
  /** Prefix of the file's name; the date follows. */
  readonly name: string;
  readonly columns: readonly string[];
  read(before: number | undefined, signal: AbortSignal): Promise<CsvPage>;
  readonly texts: {
    readonly act: string;
    running(done: string): string;
    done(values: { readonly count: number; readonly amount: string; readonly file: string }): string;
  };
}

export function CsvExport({ name, columns, read, texts }: CsvExportProps) {
  const host = useHost();
  const format = useFormat();
  const [done, setDone] = useState<number | null>(null);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  const run = async () => {
    const controller = new AbortController();
    running.current = controller;
    setDone(0);
    const lines: string[] = [];
    try {
      let before: number | undefined;
      do {
        const page = await read(before, controller.signal);
        lines.push(...page.lines);
        setDone(lines.length);
        before = page.next_before ?? undefined;
      } while (before !== undefined);
      const file = `${name}-${new Date(panelNow()).toISOString().slice(0, 10)}.csv`;
      if (!(await host.save(file, 'text/csv;charset=utf-8', [csvHead(columns), ...lines].join('')))) return;
      notify({ text: texts.done({ count: lines.length, amount: format.number(lines.length), file }) });
    } catch (failure) {
      if (!controller.signal.aborted) notifyFailure(failure);
    } finally {
      running.current = null;
      setDone(null);
    }
  };
  const label = done === null ? texts.act : texts.running(format.number(done));
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
