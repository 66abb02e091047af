// The vault behind the core's port: secrets sealed with one master key, which is stored in the keychain or a key file.
//
// It never makes a key while secrets are sealed with another, never overwrites an entry, and has no fallback: without the key, secrets
// cannot be used (docs/secrets.md).
import { PanelError } from '../../core/kernel/panel-error.ts';
import type { Log, Vault, VaultReason, VaultState } from '../../core/ports/ports.ts';
import type { SealedStore } from '../../core/ports/sealed.ts';
import { keyFileLocation } from './key-file.ts';
import { keychainLocation } from './keychain.ts';
import type { StartKeychainProcess } from './keychain-process.ts';
import { type Found, type KeyLocation, type MasterKey, newMasterKey, openWith, sealWith } from './master-key.ts';

export type VaultOptions = {
  /** Identifies the panel: its entry in the keychain, and the secrets sealed for it. */
  readonly instanceId: string;
  readonly sealed: Pick<SealedStore, 'keyId'>;
  /** The path given by `--key-file`; null: the keychain. */
  readonly keyFile: string | null;
  /** The data folder, which must not contain the key file. */
  readonly dataFolder?: string;
  /** How the process that calls the keychain is started; null: as Node. */
  readonly startKeychain?: StartKeychainProcess | null;
  readonly log: Log;
};

/** How long to wait for a call, in ms. A prompt may stay open longer: the state changes when it is answered. */
const CALL_MS = 3000;

export interface OpenVault extends Vault {
  /** Call this before closing the store: a later answer of the keychain is ignored. */
  close(): void;
}

/**
 * Reads the master key and returns the vault in any state, within about 3 s; never rejects. A missing key file is created at once, an entry
 * in the keychain when the first secret needs it.
 */
export async function openVault(options: VaultOptions): Promise<OpenVault> {
  const { instanceId, sealed, keyFile, dataFolder, startKeychain, log } = options;
  const location =
    keyFile === null ? keychainLocation(instanceId, startKeychain) : keyFileLocation(keyFile, dataFolder ?? null);
  const vault = createVault(location, { instanceId, sealed, log });
  const state = await vault.refresh();
  // If the key cannot be created, the vault's state has the reason.
  if (state === 'headless') await vault.prepare().catch(() => {});
  return vault;
}

type VaultAssessment = { readonly state: VaultState; readonly reason: VaultReason };

/** A vault over a location that has not been read yet. */
export function createVault(
  location: KeyLocation,
  { instanceId, sealed, log }: Pick<VaultOptions, 'instanceId' | 'sealed' | 'log'>,
  waitMs = CALL_MS,
): OpenVault {
  let found: Found = { kind: 'unusable', state: 'locked', reason: 'locked', detail: 'not read yet' };
  /** The last matching key: an open vault stays open when the keychain becomes unavailable. */
  let lastKey: MasterKey | null = null;
  /** One call at a time: each may have a prompt open. */
  let running: Promise<void> | null = null;
  let isLate = false;
  let isClosed = false;

  const matches = (key: MasterKey) => [null, key.id].includes(sealed.keyId());
  const assessKey = (): VaultAssessment => {
    if (found.kind === 'unusable') return found;
    const isUsable = found.kind === 'key' ? matches(found.key) : sealed.keyId() === null;
    if (isUsable) return { state: location.opened, reason: location.opened };
    return found.kind === 'key'
      ? { state: 'changed', reason: location.other }
      : { state: 'deleted', reason: location.missing };
  };
  const isOpen = () => assessKey().state === location.opened;
  const keyInUse = (): MasterKey => {
    if (found.kind === 'key' && isOpen()) return found.key;
    throw new PanelError('vault_unavailable');
  };

  const logState = () => {
    const { state, reason } = assessKey();
    const fields = {
      state,
      reason,
      backend: location.backend,
      ...(found.kind === 'unusable' && { detail: found.detail }),
    };
    log[isOpen() ? 'info' : 'warn']('vault', fields);
  };
  const accept = (next: Found) => {
    if (isClosed) return;
    found = next;
    if (found.kind === 'key' && isOpen()) lastKey = found.key;
    logState();
  };

  const read = async () => {
    const next = await location.find();
    if (isClosed) return;
    const isGone = next.kind === 'empty' || (next.kind === 'unusable' && next.state !== 'changed');
    if (!isGone || lastKey === null || sealed.keyId() !== lastKey.id) return accept(next);
    if (next.kind === 'unusable' || !location.restoresKey) {
      log.warn('vault continues with its key, which is no longer stored', {
        found: next.kind,
        backend: location.backend,
      });
      return accept({ kind: 'key', key: lastKey });
    }
    log.warn('vault stores its key again, which was deleted', { backend: location.backend });
    accept(await location.make(lastKey));
  };
  const make = async () => accept(await location.make(newMasterKey()));

  /**
   * Starts the work unless some is running, and waits for the running work, for a limited time. The next attempt aborts a call that is
   * still unanswered.
   */
  const run = async (work: () => Promise<void>): Promise<void> => {
    if (isLate && location.abort()) await running;
    running ??= work()
      .catch((error: unknown) => log.warn('vault', { failure: String(error) }))
      .finally(() => {
        running = null;
        isLate = false;
      });
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<boolean>((resolve) => {
      timer = setTimeout(resolve, waitMs, true);
    });
    const isOver = await Promise.race([running.then(() => false), timeout]);
    clearTimeout(timer);
    isLate = isOver && running !== null;
    if (isLate && found.kind !== 'key') {
      accept({ kind: 'unusable', state: 'locked', reason: 'locked', detail: 'no answer yet' });
    }
  };

  return {
    state: () => assessKey().state,
    reason: () => assessKey().reason,
    backend: () => (assessKey().state === 'absent' ? null : location.backend),
    async refresh() {
      await run(read);
      return assessKey().state;
    },
    async prepare() {
      // Read each time, so that a deleted entry is noticed before another secret depends on it.
      await run(read);
      while (found.kind === 'empty' && isOpen()) {
        const isOwn = running === null;
        await run(make);
        if (isOwn) break;
      }
      keyInUse();
    },
    seal: (place, secret) => sealWith(keyInUse(), instanceId, place, secret),
    open(row) {
      const secret = openWith(keyInUse(), instanceId, row);
      if (secret !== null) return secret;
      log.error('a sealed secret does not open', { place: row.place });
      throw new PanelError('vault_unavailable');
    },
    close() {
      isClosed = true;
      if (running !== null) location.abort();
    },
  };
}

function refuse(): never {
  throw new PanelError('vault_unavailable');
}

/** The vault of commands and threads that use no secret. */
export const noVault: Vault = {
  state: () => 'absent',
  reason: () => 'absent',
  backend: () => null,
  refresh: async () => 'absent',
  prepare: async () => refuse(),
  seal: refuse,
  open: refuse,
};
