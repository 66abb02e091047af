// Runs changing operations for components: calls, invalidates what they change, and shows the result or the failure.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { CallOptions, PanelCallError } from '../../../contract/client.ts';
import type { OperationId, Output } from '../../../contract/table.ts';
import { type Message, notify, notifyFailure } from '../state/messages.ts';
import { changedTags, EFFECTS } from './cache-tags.ts';
import { usePanel } from './panel.tsx';
import { type CallInput, callOperation } from './use-operation.ts';

export interface OperationRunnerOptions<Id extends OperationId> {
  /** The toast of success, with its undo; left out: none. */
  readonly message?: (output: Output<Id>, input: CallInput<Id>) => Message | undefined;
  readonly onDone?: (output: Output<Id>, input: CallInput<Id>) => void;
  /** Replaces the toast of a failure. */
  readonly onFailure?: (failure: PanelCallError) => void;
}

export interface OperationRunner<Id extends OperationId> {
  /** Starts the operation and returns at once, for buttons. Success and failure are shown as toasts. */
  start(input: CallInput<Id>, options?: CallOptions): void;
  /** Runs the operation; rejects with a PanelCallError that is not shown, for forms and sequences. */
  run(input: CallInput<Id>, options?: CallOptions): Promise<Output<Id>>;
  readonly isRunning: boolean;
}

/** `const extend = useAct('extendUser', { message: (user) => ({ text: … }) })`, then `extend.start({ id: 7, months: 1 })`. */
export function useAct<Id extends OperationId>(id: Id, options: OperationRunnerOptions<Id> = {}): OperationRunner<Id> {
  const { client, etags, invalidate } = usePanel();
  const queries = useQueryClient();
  const { message, onDone, onFailure } = options;
  const mutation = useMutation<Output<Id>, PanelCallError, { input: CallInput<Id>; call?: CallOptions }>({
    // Input and output may contain secrets: both are discarded when the component unmounts.
    gcTime: 0,
    mutationFn: ({ input, call }) => {
      const read = changedRecord(id, input);
      return callOperation(client, id, input, { ...call, ...(read && { onEtag: (tag) => etags.store(...read, tag) }) });
    },
    onSuccess: (output, { input }) => {
      // Caches the new record with its entity tag, so that the next change need not wait for a read.
      const read = changedRecord(id, input);
      if (read !== null) queries.setQueryData(read, output);
      for (const tag of changedTags(id)) invalidate(tag);
      const result = message?.(output, input);
      if (result) notify(result);
      onDone?.(output, input);
    },
  });
  const { mutate, mutateAsync } = mutation;
  return {
    start: (input, call) =>
      mutate({ input, ...(call && { call }) }, { onError: (failure) => (onFailure ?? notifyFailure)(failure) }),
    run: useCallback((input, call) => mutateAsync({ input, ...(call && { call }) }), [mutateAsync]),
    isRunning: mutation.isPending,
  };
}

/** The query key of the read that returns the changed record: for `updateUser` it is `getUser`. null: there is none. */
function changedRecord(id: OperationId, input: unknown): readonly [OperationId, { readonly id: unknown }] | null {
  const effect = EFFECTS[id];
  const hasId = typeof input === 'object' && input !== null && 'id' in input;
  return 'changes' in effect && effect.record !== undefined && hasId ? [effect.record, { id: input.id }] : null;
}
