// The administrator's operations on backup places: add, change, test, list, delete. A place is tested before it is stored.
import type { Proof } from '../../contract/access/proof.ts';
import {
  BACKUP_PLACE_FIELDS,
  type BackupPlaceKind,
  type BackupPlaceView,
  MAX_BACKUP_PLACES,
} from '../../contract/backup-places.ts';
import type { Input, Output } from '../../contract/table.ts';
import { buildTestName, isOwnName, isTestName } from '../../domain/backup-places.ts';
import { hostTexts } from '../../i18n/host.ts';
import type { AsyncContext, Context, Env, Handlers, Transaction } from '../kernel/context.ts';
import { bodyError, PanelError, requireAll } from '../kernel/panel-error.ts';
import { toInstant, toInstantOrNull } from '../kernel/wire.ts';
import { getChatLanguage } from '../notify/buyer-notices.ts';
import type { BackupPlaceRow, PlaceFields } from '../ports/backup-places.ts';
import { PRIORITIES } from '../ports/bot.ts';
import type { Result } from '../ports/call.ts';
import {
  buildAccess,
  holdsFiles,
  listSecretNames,
  openSavedPlace,
  openSecrets,
  removeSecrets,
  requirePlaces,
  sealPassphrase,
  sealSecrets,
  secretPlace,
  toPlaceError,
} from './place-access.ts';
import { backUpTo, findLastLeft, type PlaceRunEnv, requireChat, requirePlace, saveOutcome } from './place-runs.ts';

const MAX_LISTED = 1000;

function viewPlace({ env, store }: Context, row: BackupPlaceRow): BackupPlaceView {
  const { id, kind, name, fields, allowPrivate, encrypted, everyHours, keep, lastAt, error, errorAt } = row;
  return {
    id,
    kind,
    name,
    fields,
    secrets: listSecretNames(kind).filter((secret) => store.sealed.get(secretPlace(id, secret)) !== undefined),
    allow_private: allowPrivate,
    encrypted,
    every_hours: everyHours,
    keep,
    running: env.runningPlaces.has(id),
    last_at: toInstantOrNull(lastAt),
    error,
    error_at: toInstantOrNull(errorAt),
    created_at: toInstant(row.createdAt),
    updated_at: toInstant(row.updatedAt),
  };
}

/** The audit log contains neither settings nor credentials. */
function buildAuditDetail({ kind, name, encrypted, everyHours, keep }: BackupPlaceRow) {
  return { kind, name, encrypted, every_hours: everyHours, keep };
}

const buildAuditTarget = (id: number) => `backup-place:${id}`;

function isGiven([, value]: readonly [string, string | undefined]): boolean {
  return value !== undefined && value !== '';
}

/** Refuses fields that the kind does not have, that are missing, or that are malformed. */
function requireFields(kind: BackupPlaceKind, fields: PlaceFields): void {
  const known = BACKUP_PLACE_FIELDS[kind];
  const unknown = Object.keys(fields).filter((name) => !known.some((one) => one.name === name));
  requireAll(
    () => undefined,
    ...unknown.map((name) => () => {
      throw bodyError('validation', `#/fields/${name}`, 'unknown', 'is not a field of this kind of place');
    }),
    ...known.map(({ name, isRequired, isValid }) => () => {
      const value = fields[name];
      if (value === undefined) {
        if (isRequired) throw bodyError('validation', `#/fields/${name}`, 'required', 'is missing');
      } else if (!isValid(value)) throw bodyError('validation', `#/fields/${name}`, 'format', 'has the wrong form');
    }),
    () => {
      if (kind === 'sftp' && fields.sftp_password === undefined && fields.private_key === undefined)
        throw bodyError('validation', '#/fields/sftp_password', 'required', 'is missing, as there is no private key');
    },
  );
}

function requireHttps({ endpoint }: PlaceFields, allowPrivate: boolean): void {
  if (endpoint !== undefined && !allowPrivate && URL.parse(endpoint)?.protocol === 'http:')
    throw bodyError(
      'validation',
      '#/fields/endpoint',
      'https_required',
      'must be https unless private addresses are allowed',
    );
}

function split(
  kind: BackupPlaceKind,
  fields: PlaceFields,
): { readonly open: PlaceFields; readonly secret: PlaceFields } {
  const names: readonly string[] = listSecretNames(kind);
  const entries = Object.entries(fields);
  return {
    open: Object.fromEntries(entries.filter(([name]) => !names.includes(name))),
    secret: Object.fromEntries(entries.filter(([name]) => names.includes(name))),
  };
}

/** Rejects with PanelError `place_failed`, `bot_off`. */
async function requireWorking(
  env: Pick<Env, 'backupPlaces' | 'settings' | 'store' | 'tasks'>,
  kind: BackupPlaceKind,
  fields: PlaceFields,
  allowPrivate: boolean,
): Promise<void> {
  if (kind === 'chat') return requireChat(env);
  const place = requirePlaces(env).open(buildAccess(kind, fields, allowPrivate));
  try {
    await env.tasks.untilStop(place.test(buildTestName(env.settings().instanceId)));
  } finally {
    place.close();
  }
}

/** Refuses a second chat, which would be the same place. */
function requireFree(
  { store }: Pick<Env, 'store'>,
  { kind, name }: Pick<BackupPlaceRow, 'kind' | 'name'>,
  id: number | null,
) {
  const others = store.backupPlaces.all().filter((row) => row.id !== id);
  if (others.some((row) => row.name === name)) throw bodyError('validation', '#/name', 'taken', 'is used already');
  if (kind === 'chat' && others.some((row) => row.kind === 'chat'))
    throw bodyError('validation', '#/kind', 'taken', 'is there already');
}

function requireEncryption(kind: BackupPlaceKind, encrypted: boolean): void {
  if (kind === 'chat' && !encrypted)
    throw bodyError('validation', '#/passphrase', 'required', 'is needed: nothing is sent to a chat in clear');
}

function listBackupPlaces(_input: Input<'listBackupPlaces'>, context: Context): Result<Output<'listBackupPlaces'>> {
  const { store, settings } = context;
  const items = store.backupPlaces.all().map((row) => viewPlace(context, row));
  return { body: { items, left_at: toInstantOrNull(findLastLeft(store, settings)) } };
}

async function createBackupPlace(input: Input<'createBackupPlace'>, context: AsyncContext<'createBackupPlace'>) {
  const { env } = context;
  const { kind, name, allow_private: allowPrivate, passphrase, every_hours: everyHours, keep } = input;
  const fields: PlaceFields = Object.fromEntries(Object.entries(input.fields).filter(isGiven));
  const encrypted = passphrase !== null;
  requireAll(
    () => requireFields(kind, fields),
    () => requireHttps(fields, allowPrivate),
    () => requireFree(env, { kind, name }, null),
    () => requireEncryption(kind, encrypted),
  );
  if (env.store.backupPlaces.all().length >= MAX_BACKUP_PLACES) throw new PanelError('place_limit');
  const { open, secret } = split(kind, fields);
  if (encrypted || Object.keys(secret).length > 0) await env.vault.prepare();
  await requireWorking(env, kind, fields, allowPrivate);
  return context.commit((tx) => {
    const { store, now } = tx;
    if (store.backupPlaces.all().length >= MAX_BACKUP_PLACES) throw new PanelError('place_limit');
    requireFree(tx, { kind, name }, null);
    const outcome = { lastAt: null, error: null, errorAt: null };
    const settings = { kind, name, fields: open, allowPrivate, encrypted, everyHours, keep };
    const unsaved: Omit<BackupPlaceRow, 'id'> = { ...settings, ...outcome, createdAt: now, updatedAt: now };
    const row = { ...unsaved, id: store.backupPlaces.insert(unsaved) };
    sealSecrets(tx, row, secret);
    sealPassphrase(tx, row.id, passphrase);
    tx.audit(buildAuditTarget(row.id), buildAuditDetail(row));
    return { body: viewPlace(tx, row) };
  });
}

type Changes = Omit<Input<'changeBackupPlace'>, 'id' | keyof Proof>;

async function changeBackupPlace(input: Input<'changeBackupPlace'>, context: AsyncContext<'changeBackupPlace'>) {
  const { env } = context;
  const before = requirePlace(env, input.id);
  const { kind } = before;
  const { name, fields, allow_private, passphrase, every_hours, keep }: Changes = input;
  const movesPlace = fields !== undefined || allow_private !== undefined;
  if (movesPlace || typeof passphrase === 'string') await env.vault.prepare();
  const merged = movesPlace ? { ...before.fields, ...openSecrets(env, before), ...fields } : before.fields;
  const all: PlaceFields = Object.fromEntries(Object.entries(merged).filter(isGiven));
  const { open, secret } = split(kind, all);
  const wanted = {
    name: name ?? before.name,
    fields: open,
    allowPrivate: allow_private ?? before.allowPrivate,
    encrypted: passphrase === undefined ? before.encrypted : passphrase !== null,
    everyHours: every_hours === undefined ? before.everyHours : every_hours,
    keep: keep ?? before.keep,
  };
  requireAll(
    () => requireFree(env, { kind, name: wanted.name }, before.id),
    () => requireEncryption(kind, wanted.encrypted),
    ...(movesPlace ? [() => requireFields(kind, all), () => requireHttps(all, wanted.allowPrivate)] : []),
  );
  if (movesPlace) await requireWorking(env, kind, all, wanted.allowPrivate);
  return context.commit((tx) => {
    const present = requirePlace(tx, before.id);
    requireFree(tx, { kind, name: wanted.name }, before.id);
    // The place was just tested, or is retried at once.
    const row = { ...present, ...wanted, error: null, errorAt: null, updatedAt: tx.now };
    tx.store.backupPlaces.save(row);
    if (movesPlace) sealSecrets(tx, row, secret);
    if (passphrase !== undefined) sealPassphrase(tx, row.id, passphrase);
    tx.audit(buildAuditTarget(row.id), {
      ...buildAuditDetail(row),
      moved: movesPlace,
      new_passphrase: typeof passphrase === 'string',
    });
    return { body: viewPlace(tx, row) };
  });
}

function deleteBackupPlace({ id }: Input<'deleteBackupPlace'>, tx: Transaction): Result<undefined> {
  const row = requirePlace(tx, id);
  tx.store.backupPlaces.remove(id);
  removeSecrets(tx, row);
  tx.audit(buildAuditTarget(id), buildAuditDetail(row));
  return { body: undefined };
}

async function testBackupPlace({ id }: Input<'testBackupPlace'>, context: AsyncContext<'testBackupPlace'>) {
  const { env } = context;
  const row = requirePlace(env, id);
  let failure: PanelError | null = null;
  try {
    await requireWorking(env, row.kind, { ...row.fields, ...openSecrets(env, row) }, row.allowPrivate);
  } catch (error) {
    if (!(error instanceof PanelError) || error.code === 'unavailable') throw error;
    failure = error;
  }
  return context.commit((tx) => {
    const error = failure === null ? null : toPlaceError(failure);
    saveOutcome(tx, id, { error, errorAt: failure === null ? null : tx.now });
    tx.audit(buildAuditTarget(id), { kind: row.kind, error }, failure === null ? 'done' : 'refused');
    if (failure !== null) return { refusal: failure };
    if (row.kind === 'chat') sendTestMessage(tx);
    return { body: viewPlace(tx, requirePlace(tx, id)) };
  });
}

function sendTestMessage(tx: Transaction): void {
  const { store, now } = tx;
  for (const { telegramId: chatId } of store.bot.admins()) {
    const payload = { text: hostTexts(getChatLanguage(tx, chatId), 'bot')('admin.backup.test') };
    store.bot.enqueue({ chatId, dedupeKey: null, method: 'sendMessage', payload, priority: PRIORITIES.notice }, now);
  }
}

async function listPlacedBackups({ id }: Input<'listPlacedBackups'>, { env }: AsyncContext<'listPlacedBackups'>) {
  const row = requirePlace(env, id);
  if (!holdsFiles(row)) throw bodyError('validation', '#/id', 'inconsistent', 'is a chat, which cannot be listed');
  const place = openSavedPlace(env, row);
  try {
    const found = await env.tasks.untilStop(place.list());
    const { instanceId } = env.settings();
    const items = found
      .filter(({ name }) => !isTestName(name))
      .slice(0, MAX_LISTED)
      .map(({ name, sizeBytes, storedAt }) => {
        return { name, size_bytes: sizeBytes, stored_at: toInstant(storedAt), own: isOwnName(name, instanceId) };
      });
    return { body: { items } };
  } finally {
    place.close();
  }
}

async function backUpToPlace({ id }: Input<'backUpToPlace'>, { env, call, commit }: AsyncContext<'backUpToPlace'>) {
  requirePlace(env, id);
  requireReady(env);
  const result = await commit((tx) => {
    tx.audit(buildAuditTarget(id));
    return { body: viewPlace(tx, requirePlace(tx, id)) };
  });
  if (!env.runningPlaces.has(id)) env.tasks.start('backup to a place', () => backUpTo(env, id, call));
  return { ...result, body: { ...result.body, running: true } };
}

function requireReady(env: Pick<PlaceRunEnv, 'backupPlaces' | 'backups'>): void {
  requirePlaces(env);
  if (!env.backups) throw new PanelError('unavailable');
}

export const BACKUP_PLACE_HANDLERS = {
  listBackupPlaces: { read: listBackupPlaces },
  createBackupPlace: { run: createBackupPlace },
  changeBackupPlace: { run: changeBackupPlace },
  deleteBackupPlace: { write: deleteBackupPlace, isEssential: true },
  testBackupPlace: { run: testBackupPlace },
  listPlacedBackups: { run: listPlacedBackups },
  backUpToPlace: { run: backUpToPlace },
} satisfies Handlers<
  | 'listBackupPlaces'
  | 'createBackupPlace'
  | 'changeBackupPlace'
  | 'deleteBackupPlace'
  | 'testBackupPlace'
  | 'listPlacedBackups'
  | 'backUpToPlace'
>;
