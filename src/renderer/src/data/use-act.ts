// Acts on the panel for components: run, refresh what they changed, and say what happened, or why not.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { CallOptions, PanelCallError } from '../../../contract/client.ts';
import type { OperationId, Output } from '../../../contract/table.ts';
import { type Said, say, sayFailure } from '../components/toasts.tsx';
import { type Noun, nounOf } from './nouns.ts';
import { usePanel } from './panel.tsx';
import { type CallInput, callOperation, noteEtag, readBehind } from './use-operation.ts';

export interface ActOptions<Id extends OperationId> {
  /** What to say when it is done, and how it is undone. Nothing is said without it. */
  readonly said?: (output: Output<Id>, input: CallInput<Id>) => Said | undefined;
  readonly onDone?: (output: Output<Id>, input: CallInput<Id>) => void;
  /** Instead of a toast that tells the failure. */
  readonly onFailure?: (failure: PanelCallError) => void;
  /** What it changes beside the operation's own noun. */
  readonly touches?: readonly Noun[];
}

export interface Act<Id extends OperationId> {
  /** Begins it and returns at once: for buttons. Whatever comes of it is said. */
  start(input: CallInput<Id>, options?: CallOptions): void;
  /** Runs it; rejects with a PanelCallError that is not said: for forms and sequences. */
  run(input: CallInput<Id>, options?: CallOptions): Promise<Output<Id>>;
  readonly isRunning: boolean;
}

/** `const extend = useAct('extendUser', { said: (user) => ({ text: … }) })`, then `extend.start({ id: 7, months: 1 })`. */
export function useAct<Id extends OperationId>(id: Id, options: ActOptions<Id> = {}): Act<Id> {
  const { client, touch } = usePanel();
  const queries = useQueryClient();
  const { said, onDone, onFailure, touches } = options;
  const mutation = useMutation<Output<Id>, PanelCallError, { input: CallInput<Id>; call?: CallOptions }>({
    // What was sent and answered may be a secret: nothing of it stays when the component goes.
    gcTime: 0,
    mutationFn: ({ input, call }) => {
      const read = readBehind(id, input);
      return callOperation(client, id, input, { ...call, ...(read && { onEtag: (etag) => noteEtag(...read, etag) }) });
    },
    onSuccess: (output, { input }) => {
      // The record as it is now, with its tag: the next change need not wait for it to be read.
      const read = readBehind(id, input);
      if (read !== null) queries.setQueryData(read, output);
      const noun = nounOf(id);
      if (noun !== null) touch(noun);
      for (const other of touches ?? []) touch(other);
      const result = said?.(output, input);
      if (result) say(result);
      onDone?.(output, input);
    },
  });
  const { mutate, mutateAsync } = mutation;
  return {
    start: (input, call) =>
      mutate({ input, ...(call && { call }) }, { onError: (failure) => (onFailure ?? sayFailure)(failure) }),
    run: useCallback((input, call) => mutateAsync({ input, ...(call && { call }) }), [mutateAsync]),
    isRunning: mutation.isPending,
  };
}
