// API keys: created and revoked by the administrator, stored as hashes, checked on every request.

import type { Key } from '../../contract/access/keys.ts';
import type { Input, Output } from '../../contract/table.ts';
import { base62FromBytes, formatKey, isKeyWellFormed } from '../../domain/key-format.ts';
import { DAY_MS } from '../../domain/limits.ts';
import type { Context, Env, Handlers, Transaction } from '../kernel/context.ts';
import { PanelError } from '../kernel/panel-error.ts';
import { toInstant, toInstantOrNull } from '../kernel/wire.ts';
import type { Actor, Result } from '../ports/call.ts';
import type { KeyRow } from '../ports/keys.ts';

type KeyEnv = Pick<Env, 'clock' | 'crypto' | 'queue' | 'store'>;

const RANDOM_CHARACTERS = 36;
const PREFIX_CHARACTERS = 8;

export function computeKeyState(row: KeyRow, now: number): Key['state'] {
  if (row.revokedAt !== null) return row.unconfirmed === 1 ? 'unconfirmed' : 'revoked';
  return row.expiresAt !== null && row.expiresAt <= now ? 'expired' : 'active';
}

function viewKey(row: KeyRow, now: number): Key {
  return {
    id: row.id,
    name: row.name,
    access: row.access,
    prefix: row.prefix,
    state: computeKeyState(row, now),
    created_at: toInstant(row.createdAt),
    expires_at: toInstantOrNull(row.expiresAt),
    revoked_at: toInstantOrNull(row.revokedAt),
    last_used_at: toInstantOrNull(row.lastUsedAt),
    last_used_from: row.lastUsedFrom,
  };
}

function listKeys(_input: Input<'listKeys'>, { store, now }: Context): Result<Output<'listKeys'>> {
  return { body: { items: store.keys.all().map((row) => viewKey(row, now)) } };
}

function createKey(input: Input<'createKey'>, tx: Transaction): Result<Output<'createKey'>> {
  const { store, crypto, now } = tx;
  const { name, access, expires_in_days: days } = input;
  const value = formatKey(base62FromBytes(crypto.randomBytes, RANDOM_CHARACTERS));
  const fields: Omit<KeyRow, 'id'> = {
    name,
    access,
    prefix: value.slice(0, PREFIX_CHARACTERS),
    createdAt: now,
    expiresAt: days === null ? null : now + days * DAY_MS,
    revokedAt: null,
    unconfirmed: 0,
    lastUsedAt: null,
    lastUsedFrom: null,
  };
  const row = { ...fields, id: store.keys.insert(fields, crypto.sha256(value)) };
  tx.audit(`key:${row.id}`, { name, access, expires_in_days: days });
  return { body: { key: viewKey(row, now), value } };
}

function revokeKey(input: Input<'revokeKey'>, tx: Transaction): Result<Key> {
  const { store, now } = tx;
  const row = store.keys.get(input.id);
  if (!row) throw new PanelError('not_found');
  if (row.revokedAt === null || row.unconfirmed === 1) {
    store.keys.revoke(row.id, now);
    tx.audit(`key:${row.id}`, { name: row.name });
  }
  return { body: viewKey({ ...row, revokedAt: row.revokedAt ?? now, unconfirmed: 0 }, now) };
}

/** Only a key that the restore revoked can be confirmed. */
function confirmKey(input: Input<'confirmKey'>, tx: Transaction): Result<Key> {
  const { store, now } = tx;
  const row = store.keys.get(input.id);
  if (!row) throw new PanelError('not_found');
  if (row.unconfirmed === 0) return { body: viewKey(row, now) };
  store.keys.confirm(row.id);
  tx.audit(`key:${row.id}`, { name: row.name, access: row.access });
  return { body: viewKey({ ...row, revokedAt: null, unconfirmed: 0 }, now) };
}

export const KEY_HANDLERS = {
  listKeys: { read: listKeys },
  createKey: { write: createKey },
  revokeKey: { write: revokeKey, isEssential: true },
  confirmKey: { write: confirmKey },
} satisfies Handlers<'listKeys' | 'createKey' | 'revokeKey' | 'confirmKey'>;

const RECORD_EVERY_MS = 60_000;

export type KeyAuthentication = ReturnType<typeof createKeyAuthentication>;

/** Authenticates by key and records use: collected in memory, written at most once a minute per key, outside requests. */
export function createKeyAuthentication({ store, crypto, clock, queue }: KeyEnv) {
  const pending = new Map<number, { at: number; from: string }>();
  const written = new Map<number, number>();
  return {
    /** The actor behind a key; null if the key is malformed (no look-up), unknown, expired or revoked. */
    authenticate(key: string): Actor | null {
      if (!isKeyWellFormed(key)) return null;
      const row = store.keys.byHash(crypto.sha256(key));
      if (!row || computeKeyState(row, clock.now()) !== 'active') return null;
      return { kind: 'key', id: row.id, name: row.name, access: row.access };
    },
    recordUse(keyId: number, from: string): void {
      const at = clock.now();
      const last = written.get(keyId);
      if (last === undefined || at - last >= RECORD_EVERY_MS || at < last) pending.set(keyId, { at, from });
    },
    async flushUses(): Promise<void> {
      if (pending.size === 0 || store.diskSpace.isFull()) return;
      const uses = [...pending];
      pending.clear();
      await queue.run(() =>
        store.write(() => {
          for (const [keyId, { at, from }] of uses) {
            store.keys.touch(keyId, at, from);
            written.set(keyId, at);
          }
        }),
      );
    },
  };
}
