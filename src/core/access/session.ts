// The administrator's sessions: sign-in, sign-out, the list of devices.
import type { Input, Output } from '../../contract/table.ts';
import { DAY_MS, HOUR_MS } from '../../domain/limits.ts';
import type { Actor, Call, Reply, Scope } from '../context.ts';
import type { Env } from '../env.ts';
import type { Handlers, Refusal } from '../handler.ts';
import { PanelError } from '../panel-error.ts';
import type { AdministratorRow, SessionRow } from '../ports/administrator.ts';
import type { Store } from '../ports/ports.ts';
import { toInstant, tokenOf } from '../wire.ts';
import { forgiveAttempts, provePassword } from './attempts.ts';
import { acceptCode, requireReachableFactor } from './second-factor.ts';

/** A session ends when it is idle for so long, and in any case after this. */
export const IDLE_MS = 12 * HOUR_MS;
export const ABSOLUTE_MS = 30 * DAY_MS;
const TOUCH_EVERY_MS = 60_000;
const TOKEN_BYTES = 32;

function endOf(row: SessionRow): number {
  return Math.min(row.lastSeenAt + IDLE_MS, row.createdAt + ABSOLUTE_MS);
}

/** Begins a session and returns its token, which is stored as a hash only. */
export function beginSession({ store, crypto, call, now }: Scope): string {
  const token = tokenOf(crypto.randomBytes(TOKEN_BYTES));
  const session = { address: call.address ?? '', device: call.device ?? '', createdAt: now, lastSeenAt: now };
  store.sessions.insert(session, crypto.sha256(token));
  return token;
}

/**
 * The administrator behind a session token; null if it is unknown or has ended. Notes at most once a minute that it was seen,
 * unless nobody uses it: a page left open must not keep its session from growing idle.
 */
export function authenticateSession(env: Env, token: string, isUse = true): Actor | null {
  const { store, crypto, clock, queue, log } = env;
  const row = store.sessions.byHash(crypto.sha256(token));
  const now = clock.now();
  if (!row || endOf(row) <= now) return null;
  const administrator = store.administrator.get();
  if (!administrator) return null;
  if (isUse && now - row.lastSeenAt >= TOUCH_EVERY_MS) {
    const touch = () => store.write(() => store.sessions.touch(row.id, now), 'essential');
    queue.run(touch).catch((error: unknown) => log.warn('session not touched', { error: String(error) }));
  }
  return { kind: 'administrator', id: 1, name: administrator.name, access: 'full', sessionId: row.id };
}

async function proveForSignIn(input: Input<'signIn'>, call: Call, env: Env): Promise<AdministratorRow | null> {
  requireReachableFactor(env, input.code);
  return provePassword(env, call, input.name, input.password);
}

function signIn(input: Input<'signIn'>, scope: Scope, administrator: AdministratorRow | null): Reply | Refusal {
  if (!administrator || !acceptCode(scope, input.code)) {
    scope.audit(null, {}, 'refused');
    return { refusal: new PanelError('sign_in_failed') };
  }
  forgiveAttempts(scope);
  const sessionToken = beginSession(scope);
  scope.audit('administrator:1', { device: scope.call.device ?? '' });
  const body: Output<'signIn'> = { name: administrator.name };
  return { status: 200, body, sessionToken };
}

function signOut(_input: Input<'signOut'>, scope: Scope): Reply {
  const { sessionId } = scope.call.actor;
  if (sessionId !== undefined) scope.store.sessions.remove(sessionId);
  scope.audit('administrator:1');
  return { status: 204, sessionToken: null };
}

function listSessions(_input: Input<'listSessions'>, { store, now, call }: Scope): Reply {
  const open = store.sessions.all().filter((row) => endOf(row) > now);
  const body: Output<'listSessions'> = {
    items: open.map((row) => ({
      id: row.id,
      current: row.id === call.actor.sessionId,
      address: row.address,
      device: row.device,
      created_at: toInstant(row.createdAt),
      last_seen_at: toInstant(row.lastSeenAt),
      ends_at: toInstant(endOf(row)),
    })),
  };
  return { status: 200, body };
}

function endSession(input: Input<'endSession'>, scope: Scope): Reply {
  if (!scope.store.sessions.remove(input.id)) throw new PanelError('not_found');
  scope.audit(`session:${input.id}`);
  return input.id === scope.call.actor.sessionId ? { status: 204, sessionToken: null } : { status: 204 };
}

function endOtherSessions(_input: Input<'endOtherSessions'>, scope: Scope): Reply {
  const ended = scope.store.sessions.removeAll(scope.call.actor.sessionId ?? null);
  scope.audit(null, { ended });
  const body: Output<'endOtherSessions'> = { ended };
  return { status: 200, body };
}

/** Drops sessions that have ended. */
export function pruneSessions(store: Store, now: number): void {
  store.sessions.removeOld(now - IDLE_MS, now - ABSOLUTE_MS);
}

export const SESSION_HANDLERS = {
  signIn: { prepare: proveForSignIn, write: signIn, isEssential: true },
  signOut: { write: signOut, isEssential: true },
  listSessions: { read: listSessions },
  endSession: { write: endSession, isEssential: true },
  endOtherSessions: { write: endOtherSessions, isEssential: true },
} satisfies Handlers<'signIn' | 'signOut' | 'listSessions' | 'endSession' | 'endOtherSessions'>;
