// What a new password must be besides long enough: not one that is tried first, and not one that is guessed soon.
import type { FieldError } from '../../contract/errors.ts';
import { computeStrength } from '../../domain/password-strength.ts';
import { PanelError } from '../kernel/panel-error.ts';
import type { PasswordHasher } from '../ports/ports.ts';

/** What is wrong with a password of the right length; undefined: nothing. `name`: the administrator's. */
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
