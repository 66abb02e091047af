// Runs a command of the command line: by the panel that runs on the data folder, or else in this process.
import { existsSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { connectControl } from '../adapters/control-socket.ts';
import { findAuthority, findDataFolder, hasPanel } from '../adapters/data-folder.ts';
import { openBackupPlaces } from '../adapters/places/place-thread.ts';
import { isRefusal, refusal } from '../adapters/refusal.ts';
import { toRefusal } from '../adapters/start-obstacle.ts';
import { noVault, openVault } from '../adapters/vault/vault.ts';
import { createCore } from '../core/create-core.ts';
import type { Log, Store } from '../core/ports/ports.ts';
import type { SealedStore } from '../core/ports/sealed.ts';
import { createBackups } from './backup/backups.ts';
import { type CommandArgs, type CommandName, type CommandResult, dispatchCommand } from './local-commands.ts';
import { machineParts } from './machine-parts.ts';
import { backedUpCertificates } from './own-authority.ts';
import { findKeyFile, isHeadless, prepareKeyFile } from './own-key-file.ts';
import { ownFolder } from './owned-folder.ts';
import { buildOrigin } from './public-origin.ts';
import { openRole, readMark } from './role.ts';
import { sealedKey } from './sealed-key.ts';
import { createImportFiles } from './workers/import-thread.ts';

/** Maximum time from a panel's lock to its control socket. */
const START_MS = 10_000;
const RETRY_MS = 200;
/** Commands report to the terminal and write no log. */
const silent: Log = { info() {}, warn() {}, error() {} };

/**
 * Runs a command on the data folder `data` (or the default one). Rejects with the command's PanelError, or a refusal. `mayCreate`: creates a missing
 * folder, which otherwise is a refusal. `keyFile`: the master key file; null: the keychain.
 */
export async function runCommand<Name extends CommandName>(
  data: string | undefined,
  name: Name,
  args: CommandArgs<Name>,
  { mayCreate = false, keyFile = null }: { mayCreate?: boolean; keyFile?: string | null } = {},
): Promise<CommandResult<Name>> {
  const folder = findDataFolder(data);
  for (let waited = 0; ; waited += RETRY_MS) {
    const client = await connectControl(folder);
    if (client) return client.callPanel(name, args).finally(client.close) as Promise<CommandResult<Name>>;
    if (!mayCreate && !hasPanel(folder)) {
      throw refusal(
        'data_folder',
        `No panel has run on ${folder} yet. Start one with \`panel serve\`, or name its folder with --data.`,
      );
    }
    try {
      return (await performHere(folder, name, args, keyFile)) as CommandResult<Name>;
    } catch (error) {
      if (!isRefusal(error) || error.refusal !== 'in_use' || waited >= START_MS) throw error;
    }
    await wait(RETRY_MS);
  }
}

/**
 * Creating a key may need the authenticator's secret, a backup and an export need all secrets, an import seals keys of connections, and a restore
 * needs the existing master key to recognize backups of this panel. `file`: the key file; null: the keychain.
 */
function needsVault(
  name: CommandName,
  { twoFactor }: Store,
  sealed: Pick<SealedStore, 'keyId'>,
  file: string | null,
): boolean {
  if (name === 'import-apply') return true;
  if (name === 'key-add') return twoFactor.get() !== null;
  if (name === 'restore' || name === 'restore-check') return file === null || existsSync(file);
  return (name === 'backup' || name === 'export' || name.startsWith('place-')) && sealed.keyId() !== null;
}

async function performHere(folder: string, name: CommandName, args: unknown, keyFile: string | null): Promise<unknown> {
  const { store, database, swap, close } = ownFolder(folder, name);
  try {
    await store.diskSpace.recover();
    const { instanceId } = store.settings.get();
    const options = { instanceId, dataFolder: folder, log: silent };
    const sealed = sealedKey(folder, store.sealed);
    // A restore and an import seal secrets, possibly before the first start of a panel.
    const file =
      (name === 'restore' || name === 'import-apply') && isHeadless(process.platform, process.env)
        ? await prepareKeyFile(keyFile, { ...options, sealed })
        : findKeyFile(keyFile, instanceId);
    const vaultOver = (over: Pick<SealedStore, 'keyId'>) => openVault({ ...options, sealed: over, keyFile: file });
    const vault = needsVault(name, store, sealed, file) ? await vaultOver(sealed) : noVault;
    const origin = () => {
      const { host, port, publicAddress } = store.settings.get();
      return buildOrigin({ scheme: 'https', host, port, publicAddress });
    };
    const parts = machineParts();
    const backups = createBackups({
      folder,
      store,
      database,
      swap,
      vault,
      clock: parts.clock,
      version: parts.version,
      openEmptyVault: () => vaultOver({ keyId: () => null }),
      certificates: backedUpCertificates({ folder, store, vault, log: silent, clock: parts.clock }, () => null),
      // A panel that has never listened has no links yet.
      linksOrigin: () => (store.settings.has('port') ? (store.settings.get().publicUrl ?? origin()) : null),
      releaseDatabase: async () => {},
      supersededBy: () => readMark(folder),
    });
    const core = createCore({
      ...parts,
      store,
      role: openRole({ folder, store, startedAt: parts.clock.now(), log: silent }),
      vault,
      backups,
      backupPlaces: openBackupPlaces(folder),
      importFiles: createImportFiles(folder, database),
      origin,
      log: silent,
      heavy: null,
      host: () => null,
    });
    const result = await dispatchCommand(
      // A restore may create the authority.
      { core, crypto: parts.crypto, caPath: () => findAuthority(folder), origin },
      name,
      args,
    );
    await core.stop();
    return result;
  } catch (error) {
    throw toRefusal(error, folder);
  } finally {
    close();
  }
}
