// Runs operations for internal callers with their own actor: the command line, and tests.
import { parseInput, splitInput } from '../contract/input/input.ts';
import type { CallOf } from '../contract/operation.ts';
import { OPERATIONS, type Output } from '../contract/table.ts';
import type { Core } from '../core/kernel/core.ts';
import { PanelError } from '../core/kernel/panel-error.ts';
import type { Call, HandledId } from '../core/ports/call.ts';

/** Validates the input like every door and runs the operation. Rejects with PanelError. */
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
