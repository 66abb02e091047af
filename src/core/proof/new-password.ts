// Requirements of a new password besides its length: not a common one, and not easy to guess.
import type { FieldError } from '../../contract/errors.ts';
import { computeStrength } from '../../domain/password-strength.ts';
import { PanelError } from '../kernel/panel-error.ts';
import type { PasswordHasher } from '../ports/ports.ts';

/** The weakness of a password of valid length; undefined: none. `name`: the administrator's. */
export function findWeakness(
  passwords: Pick<PasswordHasher, 'isCommon'>,
  password: string,
  name: string,
  pointer: string,
): FieldError | undefined {
  if (passwords.isCommon(password)) {
    return { pointer, code: 'common_password', message: 'is among the passwords that are tried first' };
  }
  if (computeStrength(password, name).level <= 1)
    return { pointer, code: 'weak_password', message: 'is easily guessed' };
  return undefined;
}

/** Throws PanelError `validation`. */
export function requireStrong(...[passwords, password, name, pointer]: Parameters<typeof findWeakness>): void {
  const weakness = findWeakness(passwords, password, name, pointer);
  if (weakness) throw new PanelError('validation', [weakness]);
}
