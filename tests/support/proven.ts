// The administrator's password with the calls that need it, for tests that are about something else.
import { acceptsProof, needsProof, type Operation } from '../../src/contract/operation.ts';
import { OPERATIONS, type OperationId } from '../../src/contract/table.ts';
import type { Actor } from '../../src/core/ports/call.ts';

/** The input with the password where the operation needs a proof and the input has none. */
export function proven<In extends object>(id: OperationId, input: In, password: string): In {
  const takesPassword = acceptsProof(OPERATIONS[id]) && !('password' in input);
  return takesPassword && needsProof(OPERATIONS[id], input) ? { ...input, password } : input;
}

/** Who calls: API operations take no password, so that one which needs a proof is called from the command line, where none is asked for. */
export function provenActor(id: OperationId, input: object, actor: Actor): Actor {
  const operation: Operation = OPERATIONS[id];
  return operation.door === 'api' && needsProof(operation, input) ? { ...actor, kind: 'cli', id: null } : actor;
}
