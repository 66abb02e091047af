// From an operation's id and judged input to the core: for the doors, and for callers inside the process with an actor of their own.
import { parseInput, splitInput } from '../contract/input/input.ts';
import type { CallOf } from '../contract/operation.ts';
import { type Input, OPERATIONS, type OperationId, type Output } from '../contract/table.ts';
import type { Call, HandledId, Reply } from '../core/call.ts';
import type { Core } from '../core/core.ts';
import { PanelError } from '../core/panel-error.ts';

/**
 * Calls the core with an id that is known at run time only. The casts are sound because `input` comes from parseInput of that same
 * operation, and because the doors answer the operations that are their own before they come here.
 */
export function callCore(
  core: Pick<Core, 'call'>,
  id: OperationId,
  input: unknown,
  call: Call,
): Reply | Promise<Reply> {
  return core.call(id as HandledId, input as Input<HandledId>, call);
}

/** Judges the input as every door does and runs the operation. Rejects with PanelError. */
export async function runOperation<Id extends HandledId>(
  core: Pick<Core, 'call'>,
  id: Id,
  input: CallOf<(typeof OPERATIONS)[Id]>,
  call: Call,
): Promise<Output<Id>> {
  const operation = OPERATIONS[id];
  const parsed = parseInput(operation, splitInput(operation, input));
  if (!parsed.ok) throw new PanelError('validation', parsed.errors);
  const { body } = await core.call(id, parsed.value, call);
  return body;
}
