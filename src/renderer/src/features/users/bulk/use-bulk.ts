// The state of a bulk action from its dry run to its result.
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { PanelCallError } from '../../../../../contract/client.ts';
import { MAX_BULK_IDS } from '../../../../../contract/users/user-acts.ts';
import { type FieldTexts, wrongFields } from '../../../components/form/field-errors.ts';
import { usePanel } from '../../../data/panel.tsx';
import { useOperation } from '../../../data/use-operation.ts';
import { notify } from '../../../state/messages.ts';
import { randomHex } from '../../../state/random.ts';
import type { Filter } from '../filter.ts';
import { NEW_GRANT } from '../grant-values.ts';
import { allUsers, knownUsers } from '../user-reads.ts';
import {
  type BulkEnd,
  type BulkInput,
  type BulkJob,
  type BulkProgress,
  type BulkValues,
  buildAct,
  buildBatch,
  buildInput,
  isRefused,
  runBulk,
  type SendBulk,
} from './run-bulk.ts';

const NEW_VALUES: BulkValues = {
  ...NEW_GRANT,
  term: { months: 1 },
  tariff_id: '',
  tags: [],
  inbounds: null,
  from_inbounds: [],
};

export function useBulk({ action, target, count }: BulkJob, onDone: () => void) {
  const { t } = useTranslation('users');
  const { t: tErrors } = useTranslation('errors');
  const { client, invalidate } = usePanel();
  const fields = useForm<BulkValues>({ initialValues: NEW_VALUES });
  const act = buildAct(action, fields.values);
  const [progress, setProgress] = useState<BulkProgress | null>(null);
  const [end, setEnd] = useState<BulkEnd | null>(null);
  const [failure, setFailure] = useState<PanelCallError | null>(null);
  const [batch] = useState(() => randomHex(16));
  /** The request that was started. */
  const [startedBulk, setStartedBulk] = useState<{ readonly bulk: BulkInput; readonly total: number } | null>(null);
  const [isPausing, setPausing] = useState(false);
  const running = useRef<AbortController | null>(null);
  // Validates the fields only: the real target is not needed, and would be read again with every key.
  const wrong = wrongFields(tErrors, 'bulkUsers', buildInput(act, { ids: [1] }));
  const isAskable = Object.keys(wrong).length === 0 && (action !== 'extend' || fields.values.term !== null);
  // The note does not change the forecast.
  const { note: _, ...actWithoutNote } = act;
  const dry = useOperation(
    'bulkUsers',
    { ...buildInput(actWithoutNote, target), dry_run: true },
    { enabled: isAskable && progress === null && end === null, keepPrevious: true, staleMs: 0 },
  );
  const preview = useOperation(
    'previewBulk',
    { ...buildInput(actWithoutNote, target), dry_run: true },
    { enabled: isAskable && progress === null && end === null, keepPrevious: true, staleMs: 0 },
  );
  const names = useNames(target, count);
  useEffect(() => () => running.current?.abort(), []);

  const send: SendBulk = (bulk, after) => client.bulkBatch({ batch, bulk, after });

  async function run(bulk: BulkInput, total: number, previous?: BulkEnd): Promise<void> {
    const controller = new AbortController();
    running.current = controller;
    setFailure(null);
    setProgress({ done: total - (previous?.left ?? total), total });
    try {
      finish(await runBulk(send, bulk, total, setProgress, controller.signal, previous));
    } finally {
      running.current = null;
      setProgress(null);
      setPausing(false);
      invalidate('user');
    }
  }

  async function start(): Promise<void> {
    if (dry.data === undefined) return;
    const bulk = buildBatch(act, target, dry.data);
    const total = 'ids' in target ? target.ids.length : dry.data.matched;
    setStartedBulk({ bulk, total });
    await run(bulk, total);
  }

  /** Continues with users that a pause or a failure has left. */
  async function resume(): Promise<void> {
    if (end !== null && startedBulk !== null) await run(startedBulk.bulk, startedBulk.total, end);
  }

  function finish(result: BulkEnd): void {
    if (isRefused(result)) {
      // The forecast is read again after a refusal.
      setFailure(result.failure);
      return;
    }
    setEnd(result);
    if (result.affected === 0) return;
    onDone();
    notify({ text: t(`bulk.toast.${action}`, { count: result.affected }) });
  }

  return {
    fields,
    /** Errors of filled fields; fields that are still empty are not reported. */
    wrong: presentOnly(wrong, act),
    isAskable,
    /** Whether the forecast belongs to the present input. */
    isChecked: isAskable && dry.data !== undefined && !dry.isPlaceholderData && !dry.isFetching,
    dry,
    preview: preview.data,
    progress,
    end,
    failure,
    names,
    start: () => void start(),
    resume: () => void resume(),
    /** It pauses after the running call. */
    isPausing,
    pause: () => {
      setPausing(true);
      running.current?.abort();
    },
  };
}

function presentOnly(texts: FieldTexts, members: object): FieldTexts {
  return Object.fromEntries(Object.entries(texts).filter(([name]) => name in members));
}

/** Names of the action's users: from the list's cache; for a filter they are read if the result can list all of them. */
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
