// A core over a real store, without doors: for tests of what the core does by itself.

import { certificateMaker } from '../../src/adapters/certificates/connection-certificates.ts';
import { nodeCrypto } from '../../src/adapters/crypto.ts';
import { createPasswordHasher } from '../../src/adapters/passwords.ts';
import { totp } from '../../src/adapters/totp.ts';
import type { Env } from '../../src/core/kernel/context.ts';
import type { CoreParts } from '../../src/core/kernel/core.ts';
import type { Call } from '../../src/core/ports/call.ts';
import type { Vault } from '../../src/core/ports/ports.ts';
import { createTestClock, createTestTimers } from './clock.ts';
import type { TempStore } from './temp-store.ts';

export const ADMINISTRATOR_CALL: Call = {
  actor: { kind: 'administrator', id: 1, name: 'admin', access: 'full' },
  requestId: 'test',
  address: null,
};
/** A call of the machine's owner at the command line, which needs no proof of identity. */
export const CLI_CALL: Call = { ...ADMINISTRATOR_CALL, actor: { ...ADMINISTRATOR_CALL.actor, kind: 'cli', id: null } };

/** Seals nothing, in memory. */
const vault: Vault = {
  state: () => 'unlocked',
  reason: () => 'unlocked',
  backend: () => null,
  refresh: async () => 'unlocked',
  prepare: async () => {},
  seal: (place, secret) => ({
    place,
    keyId: 'test',
    nonce: new Uint8Array(12),
    ciphertext: new TextEncoder().encode(secret),
  }),
  open: ({ ciphertext }) => new TextDecoder().decode(ciphertext),
};

/** The ports of a core over this store, which gets the settings of a new panel. Nothing of it is about a crash of the machine. */
export function coreParts({ store, db }: Pick<TempStore, 'store' | 'db'>, changes: Partial<CoreParts> = {}): CoreParts {
  db.pragma('synchronous = OFF');
  store.write(() => store.settings.set({ secretPath: 's'.repeat(32), port: 8443, instanceId: 'test' }));
  return {
    store,
    clock: createTestClock(Date.UTC(2026, 10, 20)),
    timers: createTestTimers(),
    crypto: nodeCrypto,
    passwords: createPasswordHasher(8),
    vault,
    totp,
    certificateMaker,
    log: { info() {}, warn() {}, error() {} },
    heavy: null,
    host: () => null,
    version: '0',
    command: 'npx panel',
    origin: () => 'https://127.0.0.1:8443',
    ...changes,
  };
}

/** The same environment whose writes fail after so many, as a panel that is killed makes no more. */
export function dying(env: Env, writes: number): Env {
  let left = writes;
  const countWrite = () => {
    if (left === 0) throw new Error('killed');
    left -= 1;
  };
  const run: Env['queue']['run'] = async (work) => {
    countWrite();
    return env.queue.run(work);
  };
  const transact: Env['transact'] = async (action, work) => {
    countWrite();
    return env.transact(action, work);
  };
  return { ...env, transact, queue: { ...env.queue, run } };
}
