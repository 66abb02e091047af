// A process that has a store and a vault over the session's keychain, and does what it is told: a command a line, a reply a line.
// Arguments: data folder, instance id, key file (or nothing). The log goes to stderr.
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { keychainLocation } from '../../src/adapters/vault/keychain.ts';
import { newMasterKey } from '../../src/adapters/vault/master-key.ts';
import { openVault } from '../../src/adapters/vault/vault.ts';
import { vaultMessage } from '../../src/core/settings/vault.ts';
import { openStore } from '../../src/store/index.ts';

export type Command =
  | { readonly do: 'state' | 'refresh' | 'prepare' | 'leave' }
  /** Writes a new key into the keychain, whatever the vault thinks; the id of the key that is there then. */
  | { readonly do: 'make' }
  | { readonly do: 'open'; readonly place: string }
  | { readonly do: 'seal'; readonly place: string; readonly secret: string };

const [, , folder = '', instanceId = '', keyFile = null] = process.argv;
const logAt = (level: string) => (event: string, fields?: object) =>
  console.error(JSON.stringify({ level, event, ...fields }));
const log = { info: logAt('info'), warn: logAt('warn'), error: logAt('error') };

const store = openStore(join(folder, 'panel.db'));
const vault = await openVault({ instanceId, sealed: store.sealed, keyFile, dataFolder: folder, log });

async function obey(command: Command): Promise<object> {
  switch (command.do) {
    case 'leave':
      store.close();
      process.exit(0);
      break;
    case 'refresh':
      await vault.refresh();
      break;
    case 'prepare':
      await vault.prepare();
      break;
    case 'seal':
      await vault.prepare();
      store.write(() => store.sealed.save(vault.seal(command.place, command.secret)));
      break;
    case 'make': {
      const found = await keychainLocation(instanceId).make(newMasterKey());
      return { keyId: found.kind === 'key' ? found.key.id : null };
    }
    case 'open': {
      const row = store.sealed.get(command.place);
      return { secret: row ? vault.open(row) : null };
    }
  }
  const [state, reason] = [vault.state(), vault.reason()];
  return { state, reason, backend: vault.backend(), message: vaultMessage(reason), rows: store.sealed.all().length };
}

async function reply(command: Command): Promise<void> {
  const said = await obey(command).catch((error: Error) => ({ error: error.message }));
  console.log(JSON.stringify(said));
}

await reply({ do: 'state' });
for await (const line of createInterface({ input: process.stdin })) await reply(JSON.parse(line));
