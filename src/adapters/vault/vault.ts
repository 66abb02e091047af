// The vault behind the core's port: secrets sealed with one master key, which the keychain or a key file keeps.
//
// It never makes a key while secrets are sealed with another, never writes over an entry, and falls back to nothing: where the
// key is not to be had, secrets wait (docs/secrets.md).
import { PanelError } from '../../core/panel-error.ts';
import type { SealedStore } from '../../core/ports/administrator.ts';
import type { Log, Vault, VaultReason, VaultState } from '../../core/ports/ports.ts';
import { keyFilePlace } from './key-file.ts';
import type { Found, KeyPlace } from './key-location.ts';
import { keychainPlace } from './keychain.ts';
import { type MasterKey, newMasterKey, openWith, sealWith } from './master-key.ts';

export type VaultOptions = {
  /** Names the panel: its entry in the keychain, and whose secrets open. */
  readonly instanceId: string;
  readonly sealed: Pick<SealedStore, 'keyId'>;
  /** The path given by `--key-file`; null: the keychain. */
  readonly keyFile: string | null;
  /** The data folder, which the key file must not lie in. */
  readonly dataFolder?: string;
  readonly log: Log;
};

/** How long a call may be waited for. A prompt may stay open longer: when it is answered, the state follows by itself. */
const PATIENCE_MS = 3000;

/**
 * Looks for the master key and gives the vault in whatever state it is, within some 3 s; never rejects. A key file that is not
 * there is made at once, an entry in the keychain when the first secret needs it.
 */
export async function openVault({ instanceId, sealed, keyFile, dataFolder, log }: VaultOptions): Promise<Vault> {
  const place = keyFile === null ? keychainPlace(instanceId) : keyFilePlace(keyFile, dataFolder ?? null);
  const vault = createVault(place, { instanceId, sealed, log });
  const state = await vault.refresh();
  // Refused where it cannot be made; the vault then says why.
  if (state === 'headless') await vault.prepare().catch(() => {});
  return vault;
}

type Judgement = { readonly state: VaultState; readonly reason: VaultReason };

/** A vault over one place that has not been looked at yet. */
export function createVault(
  place: KeyPlace,
  { instanceId, sealed, log }: Pick<VaultOptions, 'instanceId' | 'sealed' | 'log'>,
  patienceMs = PATIENCE_MS,
): Vault {
  let found: Found = { kind: 'unusable', state: 'locked', reason: 'locked', detail: 'not looked at yet' };
  /** The last key that fitted: a keychain that goes away later does not close an open vault. */
  let held: MasterKey | null = null;
  /** One call at a time: each may be holding a prompt open. */
  let running: Promise<void> | null = null;
  let isLate = false;

  const fits = (key: MasterKey) => [null, key.id].includes(sealed.keyId());
  const judge = (): Judgement => {
    if (found.kind === 'unusable') return found;
    const isUsable = found.kind === 'key' ? fits(found.key) : sealed.keyId() === null;
    if (isUsable) return { state: place.opened, reason: place.opened };
    return found.kind === 'key'
      ? { state: 'changed', reason: place.other }
      : { state: 'deleted', reason: place.missing };
  };
  const isOpen = () => judge().state === place.opened;
  const keyInUse = (): MasterKey => {
    if (found.kind === 'key' && isOpen()) return found.key;
    throw new PanelError('vault_unavailable');
  };

  const tell = () => {
    const { state, reason } = judge();
    const fields = {
      state,
      reason,
      backend: place.backend,
      ...(found.kind === 'unusable' && { detail: found.detail }),
    };
    log[isOpen() ? 'info' : 'warn']('vault', fields);
  };
  const accept = (next: Found) => {
    found = next;
    if (found.kind === 'key' && isOpen()) held = found.key;
    tell();
  };

  const look = async () => {
    const next = await place.find();
    const isGone = next.kind === 'empty' || (next.kind === 'unusable' && next.state !== 'changed');
    if (!isGone || held === null || sealed.keyId() !== held.id) return accept(next);
    if (next.kind === 'unusable' || !place.takesBack) {
      log.warn('vault keeps its key, which is not at its place', { found: next.kind, backend: place.backend });
      return accept({ kind: 'key', key: held });
    }
    log.warn('vault puts its key back, which was deleted', { backend: place.backend });
    accept(await place.make(held));
  };
  const make = async () => accept(await place.make(newMasterKey()));

  /**
   * Begins the work unless some runs already, and waits for what runs, but not for long. What nobody has answered by the next
   * time gives way to a new attempt.
   */
  const run = async (work: () => Promise<void>): Promise<void> => {
    if (isLate && place.giveUp()) await running;
    running ??= work()
      // A late answer may find the store closed.
      .catch((error: unknown) => log.warn('vault', { failure: String(error) }))
      .finally(() => {
        running = null;
        isLate = false;
      });
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<boolean>((resolve) => {
      timer = setTimeout(resolve, patienceMs, true);
    });
    const isOver = await Promise.race([running.then(() => false), patience]);
    clearTimeout(timer);
    isLate = isOver && running !== null;
    if (isLate && found.kind !== 'key') {
      accept({ kind: 'unusable', state: 'locked', reason: 'locked', detail: 'no answer yet' });
    }
  };

  return {
    state: () => judge().state,
    reason: () => judge().reason,
    backend: () => (judge().state === 'absent' ? null : place.backend),
    async refresh() {
      await run(look);
      return judge().state;
    },
    async prepare() {
      // Each time: an entry that was deleted since is noticed before more depends on it.
      await run(look);
      while (found.kind === 'empty' && isOpen()) {
        const isMine = running === null;
        await run(make);
        if (isMine) break;
      }
      keyInUse();
    },
    seal: (placeOfRow, secret) => sealWith(keyInUse(), instanceId, placeOfRow, secret),
    open(row) {
      const secret = openWith(keyInUse(), instanceId, row);
      if (secret !== null) return secret;
      log.error('a sealed secret does not open', { place: row.place });
      throw new PanelError('vault_unavailable');
    },
  };
}
