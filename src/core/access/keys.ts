// API keys: made and revoked by the administrator, stored as hashes, judged anew on every request.
import type { Key } from '../../contract/keys.ts';
import type { Input, Output } from '../../contract/table.ts';
import { base62FromBytes, formatKey, isKeyWellFormed } from '../../domain/key-format.ts';
import { DAY_MS } from '../../domain/limits.ts';
import type { Actor, Reply, Scope } from '../context.ts';
import type { Env } from '../env.ts';
import type { Handlers, Refusal } from '../handler.ts';
import { PanelError } from '../panel-error.ts';
import type { AdministratorRow, KeyRow } from '../ports/administrator.ts';
import { toInstant, toInstantOrNull } from '../wire.ts';
import { forgiveAttempts, proveAnew, refuse } from './attempts.ts';
import { acceptCode } from './second-factor.ts';

const RANDOM_CHARACTERS = 36;
const PREFIX_CHARACTERS = 8;

function stateOf(row: KeyRow, now: number): Key['state'] {
  if (row.revokedAt !== null) return 'revoked';
  return row.expiresAt !== null && row.expiresAt <= now ? 'expired' : 'active';
}

function viewKey(row: KeyRow, now: number): Key {
  return {
    id: row.id,
    name: row.name,
    access: row.access,
    prefix: row.prefix,
    state: stateOf(row, now),
    created_at: toInstant(row.createdAt),
    expires_at: toInstantOrNull(row.expiresAt),
    revoked_at: toInstantOrNull(row.revokedAt),
    last_used_at: toInstantOrNull(row.lastUsedAt),
    last_used_from: row.lastUsedFrom,
  };
}

/** The actor behind a key; null for one that is malformed (without a look-up), unknown, expired or revoked. */
export function authenticateKey({ store, crypto, clock }: Env, key: string): Actor | null {
  if (!isKeyWellFormed(key)) return null;
  const row = store.keys.byHash(crypto.sha256(key));
  if (!row || stateOf(row, clock.now()) !== 'active') return null;
  return { kind: 'key', id: row.id, name: row.name, access: row.access };
}

function listKeys(_input: Input<'listKeys'>, { store, now }: Scope): Reply {
  const body: Output<'listKeys'> = { items: store.keys.all().map((row) => viewKey(row, now)) };
  return { status: 200, body };
}

function createKey(input: Input<'createKey'>, scope: Scope, proved: AdministratorRow | null): Reply | Refusal {
  const { store, crypto, now } = scope;
  const { name, access, expires_in_days: days } = input;
  if (!proved || !acceptCode(scope, input.code)) return refuse(scope, { name, access, expires_in_days: days });
  forgiveAttempts(scope);
  const value = formatKey(base62FromBytes(crypto.randomBytes, RANDOM_CHARACTERS));
  const fields: Omit<KeyRow, 'id'> = {
    name,
    access,
    prefix: value.slice(0, PREFIX_CHARACTERS),
    createdAt: now,
    expiresAt: days === null ? null : now + days * DAY_MS,
    revokedAt: null,
    lastUsedAt: null,
    lastUsedFrom: null,
  };
  const row = { ...fields, id: store.keys.insert(fields, crypto.sha256(value)) };
  scope.audit(`key:${row.id}`, { name, access, expires_in_days: days });
  const body: Output<'createKey'> = { key: viewKey(row, now), value };
  return { status: 201, body };
}

function revokeKey(input: Input<'revokeKey'>, scope: Scope): Reply {
  const { store, now } = scope;
  const row = store.keys.get(input.id);
  if (!row) throw new PanelError('not_found');
  if (row.revokedAt === null) {
    store.keys.revoke(row.id, now);
    scope.audit(`key:${row.id}`, { name: row.name });
  }
  return { status: 200, body: viewKey({ ...row, revokedAt: row.revokedAt ?? now }, now) };
}

export const KEY_HANDLERS = {
  listKeys: { read: listKeys },
  createKey: { prepare: proveAnew, write: createKey },
  revokeKey: { write: revokeKey, isEssential: true },
} satisfies Handlers<'listKeys' | 'createKey' | 'revokeKey'>;

const NOTE_EVERY_MS = 60_000;

/** Notes when keys are used: gathered in memory, written at most once a minute a key, off the request's path. */
export function createKeyUse({ store, clock, queue }: Env) {
  const pending = new Map<number, { at: number; from: string }>();
  const written = new Map<number, number>();
  return {
    note(keyId: number, from: string): void {
      const at = clock.now();
      const last = written.get(keyId);
      if (last === undefined || at - last >= NOTE_EVERY_MS || at < last) pending.set(keyId, { at, from });
    },
    async flush(): Promise<void> {
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
