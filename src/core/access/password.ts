// The administrator's password: changed by who proves to know it; all other sessions end with it.
import type { Input, Output } from '../../contract/table.ts';
import type { Call, Reply, Scope } from '../context.ts';
import type { Env } from '../env.ts';
import type { Handlers, Refusal } from '../handler.ts';
import type { AdministratorRow } from '../ports/administrator.ts';
import { forgiveAttempts, proveAnew, refuse } from './attempts.ts';
import { acceptCode } from './second-factor.ts';
import { beginSession } from './session.ts';

interface Prepared {
  readonly administrator: AdministratorRow;
  readonly passwordHash: string;
}

async function prepareChange(input: Input<'changePassword'>, call: Call, env: Env): Promise<Prepared | null> {
  const administrator = await proveAnew(input, call, env);
  return administrator && { administrator, passwordHash: await env.passwords.hash(input.new_password) };
}

function changePassword(input: Input<'changePassword'>, scope: Scope, prepared: Prepared | null): Reply | Refusal {
  const { store, now, call } = scope;
  if (!prepared || !acceptCode(scope, input.code)) return refuse(scope);
  forgiveAttempts(scope);
  const { administrator, passwordHash } = prepared;
  store.administrator.put({ ...administrator, passwordHash, passwordChangedAt: now });
  const isOverSession = call.actor.sessionId !== undefined;
  const ended = store.sessions.removeAll(null) - (isOverSession ? 1 : 0);
  const revoked = input.revoke_keys ? store.keys.revokeAll(now) : 0;
  scope.audit('administrator:1', { sessions_ended: ended, keys_revoked: revoked });
  const body: Output<'changePassword'> = { sessions_ended: ended, keys_revoked: revoked };
  return { status: 200, body, ...(isOverSession && { sessionToken: beginSession(scope) }) };
}

export const PASSWORD_HANDLERS = {
  changePassword: { prepare: prepareChange, write: changePassword, isEssential: true },
} satisfies Handlers<'changePassword'>;
