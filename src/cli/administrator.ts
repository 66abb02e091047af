// `panel setup` and `panel reset-password`: create the administrator, and recover access after a forgotten password.

import { refusal } from '../adapters/refusal.ts';
import { runCommand } from '../panel/run-command.ts';
import { askNewPassword, notify, printJson, printText } from './terminal.ts';

/** `setup` works before the first start, so it may create the data folder; no other command does. */
const CREATES_FOLDER = { mayCreate: true };

export type SetupOptions = { readonly data?: string; readonly name?: string; readonly json?: boolean };

/** With `name` the administrator is created here; without it, the command prints a setup link for a browser. */
export async function setup({ data, name, json }: SetupOptions): Promise<void> {
  if (name === undefined) await printLink(data, json);
  else await createAdministrator(data, name, json);
}

async function printLink(data: string | undefined, json = false): Promise<void> {
  const { link } = await runCommand(data, 'setup-link', {}, CREATES_FOLDER);
  if (link === null) throw alreadySetUp();
  if (json) return printJson({ link });
  printText('Open this link within an hour to make the administrator. It works once; an older one works no more.\n');
  printText(`  ${link}\n`);
}

async function createAdministrator(data: string | undefined, name: string, json = false): Promise<void> {
  const isSetUp = await runCommand(data, 'is-set-up', {}, CREATES_FOLDER);
  if (isSetUp) throw alreadySetUp();
  const created = await runCommand(data, 'set-up', { name, password: await askNewPassword() }, CREATES_FOLDER);
  if (json) return printJson(created);
  printText(
    `The administrator ${created.name} is made. Next, a key for the API: panel key add --name <name> --access full`,
  );
}

function alreadySetUp(): Error {
  return refusal(
    'refused',
    'There is an administrator already. A forgotten password is replaced by `panel reset-password`.',
  );
}

export type ResetPasswordOptions = {
  readonly data?: string;
  readonly json?: boolean;
  /** Also disables the second factor. */
  readonly disable2fa?: boolean;
};

/** Also ends all sessions and revokes all keys, because one of them may be the reason for the reset. */
export async function resetPassword({ data, json, disable2fa = false }: ResetPasswordOptions): Promise<void> {
  const isSetUp = await runCommand(data, 'is-set-up', {});
  if (!isSetUp) throw refusal('refused', 'There is no administrator yet. `panel setup` makes one.');
  if (process.stdin.isTTY)
    notify('This sets a new password, revokes every API key, ends every session and removes your Telegram accounts.');
  const password = await askNewPassword();
  const ended = await runCommand(data, 'reset-password', { password, disable_two_factor: disable2fa });
  if (json) return printJson(ended);
  const { keys, sessions, telegram } = ended;
  const factor = disable2fa ? ' The second factor is off.' : '';
  printText(
    `The password is set. Revoked keys: ${keys}. Ended sessions: ${sessions}. Removed Telegram accounts: ${telegram}.${factor}`,
  );
}
