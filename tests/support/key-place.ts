// A vault over a place of keys that a test can lock, empty, change and make slow.
import type { Found, KeyLocation, MasterKey } from '../../src/adapters/vault/master-key.ts';
import { createVault } from '../../src/adapters/vault/vault.ts';
import type { SealedRow } from '../../src/core/ports/sealed.ts';
import { createTestLog } from './log.ts';

export const LOCKED: Found = { kind: 'unusable', state: 'locked', reason: 'locked', detail: 'prompt dismissed' };
export const ABSENT: Found = { kind: 'unusable', state: 'absent', reason: 'absent', detail: 'no service' };

/** A vault, the place under it and the rows that were sealed. `trouble` stands before whatever the place holds. */
export function createVaultWorld({ restoresKey = true, patienceMs = 3000, canAbort = false } = {}) {
  const rows: SealedRow[] = [];
  const keychain = { key: null as MasterKey | null, trouble: null as Found | null, finds: 0, makes: 0 };
  /** How often the vault has asked the store. */
  const store = { reads: 0 };
  let gate: Promise<unknown> = Promise.resolve();
  let abandon = () => {};
  const there = (): Found =>
    keychain.trouble ?? (keychain.key ? { kind: 'key', key: keychain.key } : { kind: 'empty' });
  const location: KeyLocation = {
    backend: 'test',
    opened: 'unlocked',
    missing: 'deleted',
    other: 'changed',
    restoresKey,
    async find() {
      keychain.finds += 1;
      await gate;
      return there();
    },
    async make(key) {
      keychain.makes += 1;
      await gate;
      if (keychain.trouble === null) keychain.key ??= key;
      return there();
    },
    abort() {
      if (canAbort) abandon();
      return canAbort;
    },
  };
  const log = createTestLog();
  const sealed = {
    keyId() {
      store.reads += 1;
      return rows[0]?.keyId ?? null;
    },
  };
  const open = (instanceId = 'abc') => createVault(location, { instanceId, sealed, log }, patienceMs);
  /** From now on the place answers nothing until the returned function is called. */
  const hang = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const abandoned = new Promise<void>((end) => {
      abandon = end;
    });
    gate = Promise.race([promise, abandoned]);
    return resolve;
  };
  return { rows, keychain, store, log, open, hang };
}
