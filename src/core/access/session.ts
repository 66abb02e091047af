// The administrator's sessions: sign-in, sign-out, the list of devices, and what a page can read before sign-in.

import type { Input, Output } from '../../contract/table.ts';
import { DAY_MS, HOUR_MS } from '../../domain/limits.ts';
import type { AsyncContext, Context, Env, Handlers, Transaction } from '../kernel/context.ts';
import { PanelError } from '../kernel/panel-error.ts';
import { toInstant, toInstantOrNull, tokenOf } from '../kernel/wire.ts';
import { notifyAdmins, type Render } from '../notify/admin-notices.ts';
import type { Actor, Result } from '../ports/call.ts';
import type { Store } from '../ports/ports.ts';
import type { SessionRow } from '../ports/sessions.ts';
import { clearAttempts, mayTryCode, recordCodeAttempt, type Scope, signInScope } from '../proof/attempts.ts';
import { knownBrowser, rememberBrowser } from '../proof/browsers.ts';
import { acceptCode, provenUntil, requireReachableFactor, verifyPassword } from '../proof/proof.ts';

type SessionEnv = Pick<Env, 'clock' | 'crypto' | 'log' | 'queue' | 'store'>;

/** A session ends after this idle time, and at the latest after the time below. */
export const IDLE_MS = 12 * HOUR_MS;
export const ABSOLUTE_MS = 30 * DAY_MS;
const TOUCH_EVERY_MS = 60_000;
/** Two halves of 256 bits each: a browser stores them in two places (src/http/browser.ts). */
const TOKEN_BYTES = 64;

function computeSessionEnd(row: SessionRow): number {
  return Math.min(row.lastSeenAt + IDLE_MS, row.createdAt + ABSOLUTE_MS);
}

/** Starts a session and returns its token; only a hash is stored. */
export function beginSession({ store, crypto, call, now }: Transaction, browserId: number | null): string {
  const token = tokenOf(crypto.randomBytes(TOKEN_BYTES));
  const session = {
    address: call.address ?? '',
    device: call.device ?? '',
    createdAt: now,
    lastSeenAt: now,
    browserId,
  };
  store.sessions.insert(session, crypto.sha256(token));
  return token;
}

/**
 * Starts a session, remembers its browser, and ends the previous session of that browser. Returns the members of a result that make the browser store
 * both tokens.
 */
export function beginBrowserSession(tx: Transaction): Pick<Result<unknown>, 'sessionToken' | 'browserToken'> {
  const { env, store, call } = tx;
  const browser = rememberBrowser(tx);
  if (call.actor.sessionId !== undefined) store.sessions.remove(call.actor.sessionId);
  if (browser) store.sessions.removeOfBrowser(browser.id);
  env.notifyEndedSessions();
  const sessionToken = beginSession(tx, browser?.id ?? null);
  return { sessionToken, ...(browser && { browserToken: browser.token }) };
}

/**
 * The administrator behind a session token; null if the token is unknown or the session ended. `isUse`: updates the time of last use, at most once a
 * minute; polling by an idle page must not extend its session.
 */
export function authenticateSession(env: SessionEnv, token: string, isUse = true): Actor | null {
  const { store, crypto, clock, queue, log } = env;
  const row = store.sessions.byHash(crypto.sha256(token));
  const now = clock.now();
  if (!row || computeSessionEnd(row) <= now) return null;
  const administrator = store.administrator.get();
  if (!administrator) return null;
  if (isUse && now - row.lastSeenAt >= TOUCH_EVERY_MS) {
    const touch = () => store.write(() => store.sessions.touch(row.id, now), 'essential');
    queue.run(touch).catch((error: unknown) => log.warn('session not touched', { error: String(error) }));
  }
  const session = { sessionId: row.id, sessionEndsAt: computeSessionEnd(row) };
  return { ...buildAdministrator(administrator.name), ...session };
}

/** The actor of the administrator, after authentication. */
export function buildAdministrator(name: string): Actor {
  return { kind: 'administrator', id: 1, name, access: 'full' };
}

async function signIn(input: Input<'signIn'>, { env, call, commit }: AsyncContext<'signIn'>) {
  requireReachableFactor(env, input.code);
  const scope = signInScope(env, call);
  const administrator = await verifyPassword(env, scope, input.name, input.password).catch((error: unknown) => {
    if (error instanceof PanelError && error.code === 'slow_down')
      env.failures.recordFailure('sign_in', call.address, true);
    throw error;
  });
  return commit((tx) => {
    if (!administrator || !acceptSignInCode(tx, scope, input.code)) {
      env.failures.recordFailure('sign_in', call.address, false);
      tx.audit(null, {}, 'refused');
      return { refusal: new PanelError('sign_in_failed') };
    }
    clearAttempts(tx, scope);
    tx.audit('administrator:1', { device: call.device ?? '' }, 'done', buildAdministrator(administrator.name));
    if (call.address !== null && knownBrowser(env, call) === undefined) notifySignIn(tx);
    return { body: { name: administrator.name }, ...beginBrowserSession(tx) };
  });
}

/** For a sign-in from an unknown browser. */
function notifySignIn(tx: Transaction): void {
  const { now } = tx;
  const { device = '', requestId } = tx.call;
  const address = tx.call.address ?? '';
  const render: Render = ({ t, when }) =>
    t('admin.notice.signIn', { device: device === '' ? t('admin.notice.noDevice') : device, address, when: when(now) });
  notifyAdmins(tx, { kind: 'sign_in', key: requestId, render });
}

function acceptSignInCode(tx: Transaction, scope: Scope | null, code: string | undefined): boolean {
  if (!mayTryCode(tx, scope)) return false;
  const isRight = acceptCode(tx, code);
  // A missing code is not a failed attempt: the page asks for it after the password.
  if (isRight || code !== undefined) recordCodeAttempt(tx, scope, isRight);
  return isRight;
}

function signOut(_input: Input<'signOut'>, tx: Transaction): Result<undefined> {
  const { sessionId } = tx.call.actor;
  if (sessionId !== undefined) tx.store.sessions.remove(sessionId);
  tx.env.notifyEndedSessions();
  tx.audit('administrator:1');
  return { body: undefined, sessionToken: null };
}

function listSessions(_input: Input<'listSessions'>, { store, now, call }: Context): Result<Output<'listSessions'>> {
  const open = store.sessions.all().filter((row) => computeSessionEnd(row) > now);
  const body: Output<'listSessions'> = {
    items: open.map((row) => ({
      id: row.id,
      current: row.id === call.actor.sessionId,
      address: row.address,
      device: row.device,
      created_at: toInstant(row.createdAt),
      last_seen_at: toInstant(row.lastSeenAt),
      ends_at: toInstant(computeSessionEnd(row)),
    })),
  };
  return { body };
}

function endSession(input: Input<'endSession'>, tx: Transaction): Result<undefined> {
  if (!tx.store.sessions.remove(input.id)) throw new PanelError('not_found');
  tx.env.notifyEndedSessions();
  tx.audit(`session:${input.id}`);
  const isOwn = input.id === tx.call.actor.sessionId;
  return { body: undefined, ...(isOwn && { sessionToken: null }) };
}

function endOtherSessions(_input: Input<'endOtherSessions'>, tx: Transaction): Result<Output<'endOtherSessions'>> {
  const ended = tx.store.sessions.removeAll(tx.call.actor.sessionId ?? null);
  tx.env.notifyEndedSessions();
  tx.audit(null, { ended });
  return { body: { ended } };
}

/** Dispatch has verified the proof already, as for every operation that needs one. */
function prove(_input: Input<'prove'>, { env, now, call }: Transaction): Result<Output<'prove'>> {
  return { body: { proven_until: toInstantOrNull(provenUntil(env, call.actor.sessionId, now)) } };
}

/** Deletes ended sessions. */
export function pruneSessions(store: Store, now: number): void {
  store.sessions.removeOld(now - IDLE_MS, now - ABSOLUTE_MS);
}

function getFailedAttempts(_input: Input<'getFailedAttempts'>, { env }: Context): Result<Output<'getFailedAttempts'>> {
  const { sign_in, key } = env.failures.lastHour();
  return { body: { sign_ins: sign_in, keys: key } };
}

function panelState(
  _input: Input<'panelState'>,
  { env, store, call, settings }: Context,
): Result<Output<'panelState'>> {
  const isSignedIn = call.actor.kind === 'administrator';
  // Someone who only knows the path must not learn whether a second factor is required.
  const isKnown = isSignedIn || call.address === null || knownBrowser(env, call) !== undefined;
  const isSetUp = store.administrator.get() !== undefined;
  const body = {
    version: isSignedIn ? env.version : null,
    language: settings.language,
    panel_title: settings.panelTitle,
    set_up: isSetUp,
    two_factor: isKnown ? store.twoFactor.get() !== null : null,
    signed_in: isSignedIn ? { name: call.actor.name } : null,
    base_url: isSignedIn ? env.baseUrl() : null,
    command: isKnown || !isSetUp ? env.command : 'panel',
    disk_full: isSignedIn && store.diskSpace.isFull(),
  };
  return { body };
}

export const SESSION_HANDLERS = {
  panelState: { read: panelState },
  getFailedAttempts: { read: getFailedAttempts },
  signIn: { run: signIn, isEssential: true },
  signOut: { write: signOut, isEssential: true },
  listSessions: { read: listSessions },
  endSession: { write: endSession, isEssential: true },
  endOtherSessions: { write: endOtherSessions, isEssential: true },
  prove: { write: prove, isEssential: true },
} satisfies Handlers<
  | 'panelState'
  | 'getFailedAttempts'
  | 'signIn'
  | 'signOut'
  | 'listSessions'
  | 'endSession'
  | 'endOtherSessions'
  | 'prove'
>;
