// The administrator: created by the one-time link or in the terminal; the password is changed, or reset from the terminal.

import { setUp as setUpOperation } from '../../contract/access/session.ts';
import type { FieldError } from '../../contract/errors.ts';
import type { Input } from '../../contract/table.ts';
import { HOUR_MS } from '../../domain/limits.ts';
import { beginBrowserSession, beginSession, buildAdministrator } from '../access/session.ts';
import { dropTwoFactor } from '../access/two-factor.ts';
import { type BackupEnv, requireBackups, restoreLocally } from '../backups/backups.ts';
import { holdsFiles, openSavedPlace } from '../backups/place-access.ts';
import { backUpTo, type PlaceRunEnv } from '../backups/place-runs.ts';
import { unpairAll } from '../bot/admins.ts';
import type { AsyncContext, Env, Handlers, Transaction } from '../kernel/context.ts';
import type { LocalCommands } from '../kernel/core.ts';
import { bodyError, PanelError } from '../kernel/panel-error.ts';
import { tokenOf } from '../kernel/wire.ts';
import type { BackupPlaceRow } from '../ports/backup-places.ts';
import type { Call } from '../ports/call.ts';
import { forgetOtherBrowsers, knownBrowser } from '../proof/browsers.ts';
import { findWeakness, requireStrong } from '../proof/new-password.ts';
import { type AcmeEnv, orderAcme, readAcme } from '../settings/acme.ts';
import { renewSecretPath } from '../settings/addresses.ts';
import { checkReleases, type UpdateEnv } from '../updates/updates.ts';

type LocalCommandsEnv = AcmeEnv &
  BackupEnv &
  PlaceRunEnv &
  UpdateEnv &
  Pick<Env, 'crypto' | 'notifyEndedSessions' | 'passwords' | 'store' | 'transact'>;

const TOKEN_BYTES = 32;
const TOKEN_LIFE_MS = HOUR_MS;

function requireToken({ store, crypto }: Pick<Env, 'store' | 'crypto'>, token: string, now: number): void {
  if (store.administrator.get()) throw new PanelError('already_set_up');
  const stored = store.administrator.setupToken();
  const isGood = stored !== null && stored.endsAt > now && crypto.isEqual(crypto.sha256(token), stored.hash);
  if (!isGood) throw new PanelError('not_found');
}

function saveAdministrator({ store, now }: Transaction, name: string, passwordHash: string): void {
  store.administrator.save({ name, passwordHash, createdAt: now, passwordChangedAt: now });
  store.administrator.setSetupToken(null);
  store.administrator.clearAttempts();
}

/** The token is checked before the costly hash, and again in the transaction: of many uses at once only one succeeds. */
async function setUp(input: Input<'setUp'>, { env, commit }: AsyncContext<'setUp'>) {
  requireToken(env, input.token, env.clock.now());
  requireStrong(env.passwords, input.password, input.name, '#/password');
  const passwordHash = await env.passwords.hash(input.password);
  return commit((tx) => {
    requireToken(tx, input.token, tx.now);
    saveAdministrator(tx, input.name, passwordHash);
    if (input.language !== undefined) tx.saveSettings({ language: input.language });
    tx.audit('administrator:1', { name: input.name }, 'done', buildAdministrator(input.name));
    return { body: { name: input.name }, ...beginBrowserSession(tx) };
  });
}

/** All other sessions end with the old password. */
async function changePassword(input: Input<'changePassword'>, context: AsyncContext<'changePassword'>) {
  const { passwords, store: present } = context.env;
  requireStrong(passwords, input.new_password, present.administrator.get()?.name ?? '', '#/new_password');
  const passwordHash = await passwords.hash(input.new_password);
  return context.commit((tx) => {
    const { env, store, now, call } = tx;
    const administrator = store.administrator.get();
    if (!administrator) throw new PanelError('signed_out');
    store.administrator.save({ ...administrator, passwordHash, passwordChangedAt: now });
    const hasSession = call.actor.sessionId !== undefined;
    const ended = store.sessions.removeAll(null) - (hasSession ? 1 : 0);
    env.notifyEndedSessions();
    forgetOtherBrowsers(tx);
    const revoked = input.revoke_keys ? store.keys.revokeAll(now) : 0;
    const body = { sessions_ended: ended, keys_revoked: revoked };
    tx.audit('administrator:1', body);
    return { body, ...(hasSession && { sessionToken: beginSession(tx, knownBrowser(env, call)?.id ?? null) }) };
  });
}

export const ADMINISTRATOR_HANDLERS = {
  setUp: { run: setUp, isEssential: true },
  changePassword: { run: changePassword, isEssential: true },
} satisfies Handlers<'setUp' | 'changePassword'>;

const LOCAL_CALL: Omit<Call, 'requestId'> = {
  actor: { kind: 'cli', id: null, name: 'command line', access: 'full' },
  address: null,
};

function requireValid(
  { passwords, store }: Pick<Env, 'passwords' | 'store'>,
  input: { name?: string; password: string },
): void {
  const { name, password } = setUpOperation.input.shape;
  const checks = [
    { field: 'name', result: input.name === undefined ? null : name.safeParse(input.name) },
    { field: 'password', result: password.safeParse(input.password) },
  ];
  const errors = checks.flatMap(({ field, result }) =>
    (result?.error?.issues ?? []).map(
      ({ message }): FieldError => ({ pointer: `#/${field}`, code: 'invalid', message }),
    ),
  );
  const owner = input.name ?? store.administrator.get()?.name ?? '';
  const weakness = errors.length > 0 ? undefined : findWeakness(passwords, input.password, owner, '#/password');
  if (weakness) errors.push(weakness);
  if (errors.length > 0) throw new PanelError('validation', errors);
}

function findPlace({ store }: Pick<LocalCommandsEnv, 'store'>, name: string): BackupPlaceRow {
  const found = store.backupPlaces.all().find((row) => row.name === name);
  if (!found) throw new PanelError('not_found');
  return found;
}

/** The commands of the command line, over the control socket or in its own process. */
export function createLocalCommands(env: LocalCommandsEnv): LocalCommands {
  const { store, crypto } = env;

  const newCall = (): Call => ({ ...LOCAL_CALL, requestId: crypto.uuid().replaceAll('-', '') });

  const transact = <T>(name: string, work: (tx: Transaction) => T) =>
    env.transact({ name, by: newCall(), importance: 'essential' }, work);

  return {
    isSetUp: () => store.administrator.get() !== undefined,
    hasSecondFactor: () => store.twoFactor.get() !== null,
    renewSetupToken: () =>
      transact('renewSetupToken', ({ now }) => {
        if (store.administrator.get()) return null;
        const token = tokenOf(crypto.randomBytes(TOKEN_BYTES));
        store.administrator.setSetupToken({ hash: crypto.sha256(token), endsAt: now + TOKEN_LIFE_MS });
        return token;
      }),
    async setUp(name, password) {
      requireValid(env, { name, password });
      const passwordHash = await env.passwords.hash(password);
      await transact('setUp', (tx) => {
        if (store.administrator.get()) throw new PanelError('already_set_up');
        saveAdministrator(tx, name, passwordHash);
        tx.audit('administrator:1', { name });
      });
    },
    async resetPassword(password, disableTwoFactor = false) {
      requireValid(env, { password });
      const passwordHash = await env.passwords.hash(password);
      return transact('resetPassword', (tx) => {
        const administrator = store.administrator.get();
        if (!administrator) throw new PanelError('not_found');
        store.administrator.save({ ...administrator, passwordHash, passwordChangedAt: tx.now });
        store.administrator.clearAttempts();
        forgetOtherBrowsers(tx);
        if (disableTwoFactor) dropTwoFactor(tx);
        const keys = store.keys.revokeAll(tx.now);
        const sessions = store.sessions.removeAll(null);
        env.notifyEndedSessions();
        const telegram = unpairAll(tx);
        tx.audit('administrator:1', { keys, sessions, telegram, two_factor_off: disableTwoFactor });
        return { keys, sessions, telegram };
      });
    },
    rotateSecretPath: async () => {
      await transact('rotateSecretPath', renewSecretPath);
    },
    orderCertificate: (settings) => transact('orderCertificate', (tx) => orderAcme(tx, settings)),
    acme: () => readAcme(env),
    checkReleases: () => checkReleases(env),
    recordUpdate: (outcome) =>
      transact('updatePanel', (tx) => {
        tx.saveSettings({ updateLast: { ...outcome, at: tx.now } });
        const isDone = outcome.result !== 'rolled_back';
        tx.audit(null, { ...outcome }, isDone ? 'done' : 'refused');
      }),
    checkBackup: (path, passphrase) => requireBackups(env).check({ path }, passphrase),
    recordStoredBackup: (name, kind) =>
      transact('storeBackup', (tx) => {
        tx.saveSettings({ backupLeftAt: tx.now });
        tx.audit(`backup:${name}`, { place: kind });
      }),
    backUpToPlace: (name) => backUpTo(env, findPlace(env, name).id, newCall()),
    openPlace(name) {
      const row = findPlace(env, name);
      if (!holdsFiles(row)) throw bodyError('validation', '#/name', 'inconsistent', 'is a chat, which cannot be read');
      return openSavedPlace(env, row);
    },
    restore: (path, passphrase, { confirmed = null, acceptsKeys = false } = {}) =>
      restoreLocally(env, newCall(), path, { passphrase, confirmed, acceptsKeys }),
  };
}
