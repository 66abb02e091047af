// The administrator's password with the calls that need it, for tests that are about something else.
import { needsProof } from '../../src/contract/operation.ts';
import { OPERATIONS, type OperationId } from '../../src/contract/table.ts';

/** The input with the password where the operation needs a proof and the input has none. */
export function proven<In extends object>(id: OperationId, input: In, password: string): In {
  return needsProof(OPERATIONS[id], input) && !('password' in input) ? { ...input, password } : input;
}
