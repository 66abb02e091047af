// The first administrator: by the one-time link, or from the terminal; and the way back in for who forgot the password.
import { setUp as setUpOperation } from '../../contract/session.ts';
import type { Input, Output } from '../../contract/table.ts';
import { HOUR_MS } from '../../domain/limits.ts';
import { restoreLocally } from '../backups/backups.ts';
import type { Call, Reply, Scope } from '../context.ts';
import type { LocalCommands } from '../core.ts';
import { createScope, type Env } from '../env.ts';
import type { Handlers } from '../handler.ts';
import { PanelError } from '../panel-error.ts';
import { tokenOf } from '../wire.ts';
import { beginSession } from './session.ts';
import { dropTwoFactor } from './two-factor.ts';

const TOKEN_BYTES = 32;
const TOKEN_LIFE_MS = HOUR_MS;

function requireToken({ store, crypto }: Pick<Env, 'store' | 'crypto'>, token: string, now: number): void {
  if (store.administrator.get()) throw new PanelError('already_set_up');
  const stored = store.administrator.setupToken();
  const isGood = stored !== null && stored.endsAt > now && crypto.isEqual(crypto.sha256(token), stored.hash);
  if (!isGood) throw new PanelError('not_found');
}

/** The token is judged before the costly hash, and again in the transaction: of many uses at once one succeeds. */
async function prepareSetUp(input: Input<'setUp'>, _call: Call, env: Env): Promise<string> {
  requireToken(env, input.token, env.clock.now());
  return env.passwords.hash(input.password);
}

function putAdministrator({ store, now }: Scope, name: string, passwordHash: string): void {
  store.administrator.put({ name, passwordHash, createdAt: now, passwordChangedAt: now });
  store.administrator.setSetupToken(null);
  store.administrator.setAttempts(0, now);
}

function setUp(input: Input<'setUp'>, scope: Scope, passwordHash: string): Reply {
  requireToken(scope, input.token, scope.now);
  putAdministrator(scope, input.name, passwordHash);
  scope.audit('administrator:1', { name: input.name });
  const body: Output<'setUp'> = { name: input.name };
  return { status: 201, body, sessionToken: beginSession(scope) };
}

export const SETUP_HANDLERS = {
  setUp: { prepare: prepareSetUp, write: setUp, isEssential: true },
} satisfies Handlers<'setUp'>;

const LOCAL_CALL: Omit<Call, 'requestId'> = {
  actor: { kind: 'cli', id: null, name: 'command line', access: 'full' },
  address: null,
};

function requireValid(input: { name?: string; password: string }): void {
  const { name, password } = setUpOperation.input.shape;
  const checks = [
    { field: 'name', result: input.name === undefined ? null : name.safeParse(input.name) },
    { field: 'password', result: password.safeParse(input.password) },
  ];
  const errors = checks.flatMap(({ field, result }) =>
    (result?.error?.issues ?? []).map(({ message }) => ({ pointer: `#/${field}`, code: 'invalid', message })),
  );
  if (errors.length > 0) throw new PanelError('validation', errors);
}

/** What the command line may do, over the control socket or on its own. */
export function createLocalCommands(env: Env): LocalCommands {
  const { store, queue, crypto, clock } = env;

  const newCall = (): Call => ({ ...LOCAL_CALL, requestId: crypto.uuid().replaceAll('-', '') });

  function inTransaction<T>(action: string, work: (scope: Scope) => T): Promise<T> {
    const call = newCall();
    return queue.run(() => store.write(() => work(createScope(env, call, action, clock.now())), 'essential'));
  }

  return {
    isSetUp: () => store.administrator.get() !== undefined,
    hasSecondFactor: () => store.twoFactor.get() !== null,
    renewSetupToken: () =>
      inTransaction('renewSetupToken', ({ now }) => {
        if (store.administrator.get()) return null;
        const token = tokenOf(crypto.randomBytes(TOKEN_BYTES));
        store.administrator.setSetupToken({ hash: crypto.sha256(token), endsAt: now + TOKEN_LIFE_MS });
        return token;
      }),
    async setUp(name, password) {
      requireValid({ name, password });
      const passwordHash = await env.passwords.hash(password);
      await inTransaction('setUp', (scope) => {
        if (store.administrator.get()) throw new PanelError('already_set_up');
        putAdministrator(scope, name, passwordHash);
        scope.audit('administrator:1', { name });
      });
    },
    async resetPassword(password, disableTwoFactor = false) {
      requireValid({ password });
      const passwordHash = await env.passwords.hash(password);
      return inTransaction('resetPassword', (scope) => {
        const administrator = store.administrator.get();
        if (!administrator) throw new PanelError('not_found');
        store.administrator.put({ ...administrator, passwordHash, passwordChangedAt: scope.now });
        store.administrator.setAttempts(0, scope.now);
        if (disableTwoFactor) dropTwoFactor(scope);
        const keys = store.keys.revokeAll(scope.now);
        const sessions = store.sessions.removeAll(null);
        scope.audit('administrator:1', { keys, sessions, two_factor_off: disableTwoFactor });
        return { keys, sessions };
      });
    },
    restore: (path, passphrase) => restoreLocally(env, newCall(), path, passphrase),
  };
}
