// What the forms of the signed-in page do: make and revoke keys, end sessions.
import { ERRORS } from '../../contract/errors.ts';
import { PanelError } from '../../core/panel-error.ts';
import { ask, type Done, type Fields, goHome, show, type Visit } from './form.ts';
import { codeOf, showKeys } from './home.ts';
import { keyMadePage, type NewKeyState } from './new-key.ts';

/** POST pages/create-key: the key, this once; or the form again with what is wrong. */
export async function createKey(visit: Visit, fields: Fields): Promise<void> {
  const { parts, view, actor } = visit;
  const { name = '', access = '', expiry = '', password = '', code = '' } = fields;
  const days = expiry === '' ? null : Number(expiry);
  try {
    const { output } = await ask(visit, 'createKey', {
      name,
      access,
      expires_in_days: days,
      password,
      ...codeOf(code),
    });
    const baseUrl = parts.core.baseUrl();
    show(visit, 201, keyMadePage(view, { administrator: actor.name, made: output, baseUrl, caFile: parts.caFile() }));
  } catch (error) {
    const wrong = error instanceof PanelError ? wrongOf(visit, error, code !== '') : null;
    if (!(error instanceof PanelError) || wrong === null) throw error;
    await showKeys(visit, ERRORS[error.code].status, {
      newKey: { name, access, expiry, wrong },
      retryAfter: error.retryAfter,
    });
  }
}

/** What is wrong by field; null where no field is to blame. */
function wrongOf(
  { view: { words } }: Visit,
  { code, errors, retryAfter }: PanelError,
  isCoded: boolean,
): NonNullable<NewKeyState['wrong']> | null {
  if (code === 'wrong_password') return { password: isCoded ? words.wrongPasswordCode : words.wrongPassword };
  if (code === 'vault_unavailable') return { password: words.vaultClosed };
  if (code === 'slow_down') return { password: words.slowDown(retryAfter ?? 1) };
  const isName = code === 'validation' && (errors ?? []).some(({ pointer }) => pointer === '#/name');
  return isName ? { name: words.keyNameWrong } : null;
}

/** POST pages/revoke-key. A key that is gone already needs no revoking. */
export function revokeKey(visit: Visit, { id }: Fields): Promise<void> {
  return act(visit, 'revokeKey', { id: Number(id) }, 'key-revoked');
}

/** POST pages/end-session. */
export function endSession(visit: Visit, { id }: Fields): Promise<void> {
  return act(visit, 'endSession', { id: Number(id) }, 'session-ended');
}

/** POST pages/end-other-sessions. */
export function endOtherSessions(visit: Visit): Promise<void> {
  return act(visit, 'endOtherSessions', {}, 'sessions-ended');
}

async function act(
  visit: Visit,
  id: 'revokeKey' | 'endSession' | 'endOtherSessions',
  input: Readonly<Record<string, unknown>>,
  done: Done,
): Promise<void> {
  try {
    const { cookies } = await ask(visit, id, input);
    goHome(visit, cookies, done);
  } catch (error) {
    if (!(error instanceof PanelError) || error.code !== 'not_found') throw error;
    goHome(visit, []);
  }
}
