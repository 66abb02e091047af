// The secret store as the panel shows it.

import type { Output } from '../../contract/table.ts';
import type { Context, Handlers } from '../kernel/context.ts';
import type { Result } from '../ports/call.ts';
import type { VaultReason } from '../ports/ports.ts';

const MESSAGES: Readonly<Record<VaultReason, string>> = {
  unlocked: 'Secrets are sealed with a key in the keychain of this computer.',
  headless: 'Secrets are sealed with the key file given at start. Keep a copy of it apart from the backups.',
  locked: 'The keychain is locked. Unlock it, then check again. Nothing is lost; what needs a secret waits.',
  absent:
    'This computer has no keychain service. Start one and check again, or start the panel with --key-file. Nothing is lost.',
  changed:
    'The keychain holds another key than the one that sealed the secrets here. Bring back the former keychain, or restore a backup with its passphrase. Nothing is dropped.',
  deleted:
    'The keychain has no key for the secrets here: it was deleted, or they were sealed elsewhere. Bring back the former keychain, start with the --key-file they were sealed with, or restore a backup with its passphrase. Where it is lost, the panel needs a new authority too, under Certificates. Nothing is dropped.',
  key_file_missing:
    'The key file is not there, and no new one is made while secrets are sealed with the former. Put it back and check again, or restore a backup with its passphrase. Where it is lost, the panel needs a new authority too, under Certificates. Nothing is dropped.',
  key_file_changed:
    'The key file holds another key than the one that sealed the secrets here. Put the former file back and check again, or start without --key-file if the keychain has the key. Nothing is dropped.',
  key_file_unsafe:
    'The key file is not safe where it is. It must be a plain file of mode 0600, of the user who runs the panel or of root, outside the data folder, in a folder where others cannot write. Change that and check again. Nothing is lost.',
  key_file_malformed:
    'The key file holds no key: it must be one line of base64 that stands for 32 bytes. Put the right file back and check again. Nothing is lost.',
  key_file_unusable:
    'The key file cannot be read or made; the log says why. Its folder must exist and be open to the user who runs the panel. Change that and check again. Nothing is lost.',
};

/** Explains the reason of a vault's state and its remedy, in English. */
export function vaultMessage(reason: VaultReason): string {
  return MESSAGES[reason];
}

function viewVault({ vault, env: { keyFile = null } }: Context): Result<Output<'getVault'>> {
  const message = vaultMessage(vault.reason());
  return { body: { state: vault.state(), backend: vault.backend(), key_file: keyFile, message } };
}

export const VAULT_HANDLERS = {
  getVault: { read: (_input, context) => viewVault(context) },
  refreshVault: {
    async run(_input, { env, commit }) {
      await env.vault.refresh();
      return commit(viewVault);
    },
    isEssential: true,
  },
} satisfies Handlers<'getVault' | 'refreshVault'>;
