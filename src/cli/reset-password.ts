// `panel reset-password`: the way back in. Whoever had a key or a session may have been the reason, so all of them end.
import { perform } from '../panel/perform.ts';
import { refusal } from '../panel/refusal.ts';
import { askNewPassword, print, printJson, say } from './terminal.ts';

export type ResetPasswordOptions = {
  readonly data?: string;
  readonly json?: boolean;
  /** Also turns the second factor off. */
  readonly disable2fa?: boolean;
};

export async function resetPassword({ data, json, disable2fa = false }: ResetPasswordOptions): Promise<void> {
  const isSetUp = await perform(data, 'is-set-up', {});
  if (!isSetUp) throw refusal('refused', 'There is no administrator yet. `panel setup` makes one.');
  if (process.stdin.isTTY) say('This sets a new password, revokes every API key and ends every session.');
  const password = await askNewPassword();
  const { keys, sessions } = await perform(data, 'reset-password', { password, disable_two_factor: disable2fa });
  if (json) printJson({ keys, sessions });
  else {
    const factor = disable2fa ? ' The second factor is off.' : '';
    print(`The password is set. Revoked keys: ${keys}. Ended sessions: ${sessions}.${factor}`);
  }
}
