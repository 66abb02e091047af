// A bulk act from its dry run to its result.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { PanelCallError } from '../../../../../contract/client.ts';
import { MAX_BULK_IDS } from '../../../../../contract/user-acts.ts';
import type { Duration } from '../../../../../domain/term.ts';
import { usePanel } from '../../../data/panel.tsx';
import { useOperation } from '../../../data/use-operation.ts';
import { notify } from '../../../state/messages.ts';
import type { Filter } from '../filter.ts';
import { allUsers, knownUsers } from '../user-reads.ts';
import { type BulkEnd, type BulkJob, type BulkProgress, inPortions, inputOf, runBulk } from './run-bulk.ts';

export function useBulk({ action, target, count }: BulkJob, onDone: () => void) {
  const { t } = useTranslation('users');
  const { client, invalidate } = usePanel();
  const [term, setTerm] = useState<Duration | null>(action === 'extend' ? { months: 1 } : null);
  const [progress, setProgress] = useState<BulkProgress | null>(null);
  const [end, setEnd] = useState<BulkEnd | null>(null);
  const [failure, setFailure] = useState<PanelCallError | null>(null);
  const running = useRef<AbortController | null>(null);
  const isAskable = action !== 'extend' || term !== null;
  const dry = useOperation(
    'bulkUsers',
    { ...inputOf(action, target, term), dry_run: true },
    { enabled: isAskable && progress === null && end === null, keepPrevious: true, staleMs: 0 },
  );
  const names = useNames(target, count);
  useEffect(() => () => running.current?.abort(), []);

  async function run(work: (signal: AbortSignal) => Promise<BulkEnd>): Promise<BulkEnd> {
    const controller = new AbortController();
    running.current = controller;
    setProgress({ done: 0, total: null });
    try {
      return await work(controller.signal);
    } finally {
      running.current = null;
      setProgress(null);
      invalidate('user');
    }
  }

  async function start(): Promise<void> {
    if (dry.data === undefined) return;
    const { data } = dry;
    setFailure(null);
    const result = await run((signal) => runBulk(client, { action, target, count }, term, data, setProgress, signal));
    finish(result);
  }

  /** Tries those that a stop or a failure left. */
  async function goOn(): Promise<void> {
    if (end === null) return;
    const more = await run((signal) => inPortions(client, action, end.rest, term, setProgress, signal));
    finish({ ...more, affected: end.affected + more.affected, lines: [...more.lines, ...end.lines] });
  }

  function finish(result: BulkEnd): void {
    if (result.failure !== null && result.affected === 0 && result.rest.length === 0) {
      // Nothing was done and nothing is left to continue with: the forecast is read again.
      setFailure(result.failure);
      return;
    }
    setEnd(result);
    if (result.affected === 0) return;
    onDone();
    const changed = result.lines.filter(({ outcome }) => outcome === 'changed').map(({ id }) => id);
    const canUndo = (action === 'enable' || action === 'disable') && changed.length === result.affected;
    const undo = async () => {
      const back = action === 'enable' ? 'disable' : 'enable';
      const undone = await inPortions(client, back, changed, null, () => undefined, new AbortController().signal);
      invalidate('user');
      if (undone.failure !== null) throw undone.failure;
    };
    const text = t(`bulk.said.${action}`, { count: result.affected });
    notify({ text, ...(canUndo && { undo }) });
  }

  return {
    term,
    setTerm,
    dry,
    progress,
    end,
    failure,
    names,
    start: () => void start(),
    goOn: () => void goOn(),
    stop: () => running.current?.abort(),
  };
}

/** Names of those whom the act is about: as the list has shown them; read for a filter, where the result can name all of them. */
function useNames(target: BulkJob['target'], count: number): ReadonlyMap<number, string> {
  const { client } = usePanel();
  const queries = useQueryClient();
  const [known] = useState(() => new Map(knownUsers(queries).map(({ id, name }) => [id, name])));
  const { data } = useQuery({
    queryKey: ['bulk names', target],
    enabled: 'filter' in target && count <= MAX_BULK_IDS,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const names = new Map<number, string>();
      if (!('filter' in target)) return names;
      const { all: _all, ...filter } = target.filter as Filter & { readonly all?: true };
      for await (const { users } of allUsers(client, filter, 'id', signal)) {
        for (const { id, name } of users) names.set(id, name);
      }
      return names;
    },
  });
  return data ?? known;
}
