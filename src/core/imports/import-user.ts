// One user of a document: what an import does with it, and the write.
import type { DocumentUser } from '../../contract/imports/document.ts';
import { nextReset } from '../../domain/calendar.ts';
import { isGuessable } from '../../domain/imports/link-token.ts';
import { type ImportedFacts, mergeUser, type UserMerge } from '../../domain/imports/plan.ts';
import { DAY_MS } from '../../domain/limits.ts';
import { parseOwnJson } from '../../domain/own-json.ts';
import { type Account, computeUserState, extraBytes } from '../../domain/users/account.ts';
import { freshFlags, nextChangeAt } from '../../domain/users/settle.ts';
import { isTrafficLow } from '../../domain/users/traffic.ts';
import type { Transaction } from '../kernel/context.ts';
import { fromInstant } from '../kernel/wire.ts';
import type { ImportEntry, ImportReason, ImportReasonCode, UserImport } from '../ports/imports.ts';
import type { NewUser, UserRow } from '../ports/users.ts';
import { hashToken } from '../subscription/imported-links.ts';
import { commitUser, describe, openUser } from '../users/change.ts';
import { newAccess } from '../users/users.ts';
import { factsOfDocument, factsOfRow, type GivenCredentials, readCredentials } from './facts.ts';

/** What an import has seen of the document so far. */
export interface ImportState extends Pick<UserImport, 'source' | 'references' | 'links'> {
  /** Unique values of users of this document who are not written yet, with their ids in the source. */
  readonly seen: Map<string, string>;
}

type Reading = Pick<Transaction, 'store' | 'now' | 'settings' | 'crypto'>;

interface PlannedUser {
  readonly entry: ImportEntry;
  write(tx: Transaction): void;
}

const FAMILIES = ['uuid', 'password', 'key', 'wireguard'] as const;

/** Decides; nothing is written before `write` is called, in the same transaction. */
export function planUser(tx: Reading, user: DocumentUser, state: ImportState): PlannedUser {
  const { store } = tx;
  const reasons: ImportReason[] = [...user.losses];
  const note = (code: ImportReasonCode, detail = '') => reasons.push({ code, detail });
  const entry = (outcome: ImportEntry['outcome']): ImportEntry => ({
    kind: 'user',
    id: user.id,
    name: user.name,
    outcome,
    reasons,
  });
  const record = store.imports.get('user', state.source, user.id);
  const present = record && store.users.get(record.recordId);
  // Its links may be those of another user, who had its name before.
  const skip = (real: Transaction) => {
    for (const { hash } of hashLinks(real, user, state)) releaseLink(real, hash, present?.id ?? null, state);
  };
  if (record && !present) {
    note('deleted_here');
    return { entry: entry('skipped'), write: skip };
  }
  const given = readCredentials(user, state.references);
  const owner = findOtherOwner(tx, given, user, present, state);
  if (owner !== null) {
    note('credential_taken', owner);
    return { entry: entry('decision'), write: skip };
  }
  const fitted = freeIds(tx, user, present, state, note);
  const next = factsOfDocument(fitted, state.references, tx.crypto);
  if (!present) return { entry: entry('created'), write: (real) => insertUser(real, fitted, given, next, state) };
  const then = parseOwnJson(record?.facts ?? '{}') as ImportedFacts;
  const current = openUser(tx as Transaction, present);
  const here = factsOfRow(current.row, store.users.credentials(present.id), given, tx.crypto);
  const merge = mergeUser(then, next, here);
  for (const field of merge.kept) note('changed_here', field);
  const isSame = merge.changed.length === 0 && merge.counters === null && !merge.hasNewLinks;
  return {
    entry: entry(isSame ? 'unchanged' : 'updated'),
    write: (real) => {
      // Links that were revoked here stay revoked.
      if (merge.hasNewLinks && store.imports.hasLinks(present.id)) saveLinks(real, user, present.id, state);
      if (!isSame) updateUser(real, present, merge, next, given, fitted);
      if (isSame && merge.kept.length === 0) return;
      // One that was changed here stays so, also after another import.
      const wasUntouched = present.version === record?.version;
      const version = wasUntouched ? store.users.get(present.id)?.version : record?.version;
      saveRecord(real, state, user.id, { recordId: present.id, facts: next, version: version ?? 0 });
    },
  };
}

function saveRecord(
  { store, now }: Transaction,
  { source }: ImportState,
  sourceId: string,
  { facts, ...record }: { readonly recordId: number; readonly version: number; readonly facts: ImportedFacts },
): void {
  store.imports.save({ kind: 'user', source, sourceId, ...record, facts: JSON.stringify(facts), at: now });
}

/** Who else presents one of these credentials: an engine could not tell the two apart. */
function findOtherOwner(
  { store }: Reading,
  given: GivenCredentials,
  user: DocumentUser,
  present: UserRow | undefined,
  { seen }: ImportState,
): string | null {
  const values = [
    ...FAMILIES.flatMap((family) => (given[family] === undefined ? [] : [{ family, value: given[family] }])),
    // Whatever the protocol of the inbound is.
    ...given.byInbound.flatMap(({ value }) => FAMILIES.map((family) => ({ family, value }))),
  ];
  for (const { family, value } of values) {
    const owner = store.users.findOwnerId(family, value, false);
    if (owner !== undefined && owner !== present?.id) return store.users.get(owner)?.name ?? String(owner);
    const other = seen.get(value);
    if (other !== undefined && other !== user.id) return other;
  }
  for (const { value } of values) seen.set(value, user.id);
  return null;
}

/** Ids that another user has are left out. */
function freeIds(
  { store }: Reading,
  user: DocumentUser,
  present: UserRow | undefined,
  { seen }: ImportState,
  note: (code: ImportReasonCode, detail?: string) => void,
): DocumentUser {
  const isOther = (other: UserRow | undefined) => other !== undefined && other.id !== present?.id;
  const claim = (key: string) => {
    const other = seen.get(key);
    if (other === undefined) seen.set(key, user.id);
    return other === undefined || other === user.id;
  };
  let fitted = user;
  const { telegram_id: telegramId, external_id: externalId, token } = user;
  if (telegramId !== null && (isOther(store.users.byTelegramId(telegramId)) || !claim(`telegram ${telegramId}`))) {
    note('telegram_id_taken', String(telegramId));
    fitted = { ...fitted, telegram_id: null };
  }
  if (externalId !== null && (isOther(store.users.byExternalId(externalId)) || !claim(`external ${externalId}`))) {
    note('external_id_taken', externalId);
    fitted = { ...fitted, external_id: null };
  }
  if (token !== null && (isOther(store.users.byToken(token)) || !claim(`token ${token}`))) {
    note('link_taken');
    fitted = { ...fitted, token: null };
  }
  return fitted;
}

const toMs = (instant: string | null) => (instant === null ? null : fromInstant(instant));

function insertUser(
  tx: Transaction,
  user: DocumentUser,
  given: GivenCredentials,
  facts: ImportedFacts,
  state: ImportState,
): void {
  const { store, now, settings } = tx;
  const made = newAccess(tx);
  const { byInbound, ...families } = given;
  const termBeganAt = toMs(user.term_began_at);
  const { resetStrategy } = facts;
  const grants = user.grants.map((grant) => ({
    bytes: grant.bytes,
    bytesLeft: grant.bytes_left,
    lifetime: grant.lifetime,
    days: grant.days,
    endsAt: toMs(grant.ends_at),
    note: grant.note,
    createdAt: fromInstant(grant.created_at),
  }));
  const account: Account = {
    enabled: facts.enabled,
    ...facts.term,
    trafficLimit: facts.trafficLimit,
    usedUp: facts.used.up,
    usedDown: facts.used.down,
    totalUp: facts.total.up,
    totalDown: facts.total.down,
    resetStrategy,
    termBeganAt,
    heldAt: facts.term.hold === null ? toMs(user.held_at) : (toMs(user.held_at) ?? now),
    resetsAt: toMs(user.resets_at) ?? nextReset(resetStrategy, now, termBeganAt, settings.timeZone),
    grants: grants.map((grant, index) => ({ ...grant, id: index })),
  };
  // What happened in the source was announced there.
  const isExpired = account.expiresAt !== null && account.expiresAt <= now;
  const flags = { ...freshFlags(account, now, settings.expiringNoticeDays), expiredAnnounced: isExpired };
  const { grants: _apart, ...stored } = account;
  const row: NewUser = {
    ...stored,
    ...flags,
    heldAt: account.heldAt ?? null,
    token: user.token ?? made.token,
    credentials: { ...made.credentials, ...families, ...(byInbound.length > 0 && { byInbound }) },
    name: facts.name,
    contact: facts.contact,
    note: facts.note,
    tags: facts.tags,
    externalId: facts.externalId,
    telegramId: facts.telegramId,
    metadata: facts.metadata,
    tariffId: user.tariff === null ? null : (state.references.tariffs.get(user.tariff) ?? null),
    deviceLimit: facts.deviceLimit,
    concurrentLimit: facts.concurrentLimit,
    excess: null,
    inbounds: facts.inbounds,
    state: computeUserState(account, now),
    extra: extraBytes(account.grants, now),
    dueAt: nextChangeAt(account, flags, now, settings.expiringNoticeDays),
    onlineAt: toMs(user.online_at),
    trafficLowAnnounced: isTrafficLow(account, now),
    cut: null,
    createdAt: toMs(user.created_at) ?? now,
    updatedAt: now,
    version: 1,
  };
  const id = store.users.insert(row);
  for (const grant of grants) store.grants.insert({ ...grant, userId: id });
  const { credentials: _secret, ...fields } = row;
  tx.emit('user.created', { ...describe({ ...fields, id }), name: row.name, tariff_id: row.tariffId });
  saveRecord(tx, state, user.id, { recordId: id, version: row.version, facts });
  saveLinks(tx, user, id, state);
}

/** How long a link serves that can be guessed. */
const GUESSABLE_DAYS = 90;

function hashLinks({ crypto, now }: Transaction, user: DocumentUser, { links }: ImportState) {
  if (links === null) return [];
  return user.links.map(({ token, not_before }) => ({
    hash: hashToken(crypto, links.key, token),
    notBefore: toMs(not_before) ?? 0,
    // A computed token is long, whatever the name in it.
    endsAt: links.kind === 'constant' && isGuessable(token) ? now + GUESSABLE_DAYS * DAY_MS : null,
  }));
}

/** Several users may have one constant token; a name in computed ones is that of one user, and of another one after a deletion there. */
function releaseLink({ store }: Transaction, hash: string, userId: number | null, { links }: ImportState): void {
  if (links !== null && links.kind !== 'constant') store.imports.releaseLink(hash, userId);
}

function saveLinks(tx: Transaction, user: DocumentUser, userId: number, state: ImportState): void {
  if (state.links === null) return;
  const { store } = tx;
  const hashed = hashLinks(tx, user, state);
  const hashes = hashed.map(({ hash }) => hash);
  store.imports.removeLinks(userId, hashes);
  for (const link of hashed) {
    releaseLink(tx, link.hash, userId, state);
    store.imports.saveLink({ ...link, userId });
  }
}

function updateUser(
  tx: Transaction,
  present: UserRow,
  { changed, counters }: UserMerge,
  next: ImportedFacts,
  given: GivenCredentials,
  user: DocumentUser,
): void {
  const { store, now, settings } = tx;
  const has = (field: UserMerge['changed'][number]) => changed.includes(field);
  const current = openUser(tx, present);
  const { account: before } = current;
  const termBeganAt = has('term') ? toMs(user.term_began_at) : before.termBeganAt;
  const account: Account = {
    ...before,
    ...(has('enabled') && { enabled: next.enabled }),
    ...(has('term') && { ...next.term, termBeganAt, heldAt: next.term.hold === null ? null : now }),
    ...(has('trafficLimit') && { trafficLimit: next.trafficLimit }),
    ...(has('resetStrategy') && {
      resetStrategy: next.resetStrategy,
      resetsAt: nextReset(next.resetStrategy, now, termBeganAt, settings.timeZone),
    }),
    ...(counters && {
      usedUp: counters.used.up,
      usedDown: counters.used.down,
      totalUp: counters.total.up,
      totalDown: counters.total.down,
    }),
  };
  const FIELDS = [
    'name',
    'contact',
    'note',
    'tags',
    'externalId',
    'telegramId',
    'metadata',
    'deviceLimit',
    'concurrentLimit',
    'inbounds',
  ] as const;
  const fields = Object.fromEntries(FIELDS.filter(has).map((field) => [field, next[field]]));
  if (has('access')) {
    const { byInbound, ...families } = given;
    const kept = store.users.credentials(present.id);
    store.users.saveCredentials(present.id, { ...kept, ...families, byInbound });
  }
  commitUser(tx, current, {
    account,
    fields,
    setsEnd: has('term'),
    emit: (after, names) => tx.emit('user.changed', { ...after, tariff_id: present.tariffId }, names),
  });
}
