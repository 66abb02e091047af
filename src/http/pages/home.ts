// The home page in its states, and sign-in and sign-out: signed out, nobody there yet, or signed in.
import { PanelError } from '../../core/panel-error.ts';
import { ask, type Done, type Fields, goHome, show, type Visit } from './form.ts';
import type { Words } from './i18n/en.ts';
import { keysPage } from './keys.ts';
import type { NewKeyState } from './new-key.ts';
import { noAdministratorPage, signInPage } from './sign-in.ts';

function doneText(words: Words, done: string | undefined): string | undefined {
  const texts: Readonly<Record<Done, string>> = {
    'signed-out': words.signedOut,
    'key-revoked': words.keyRevoked,
    'session-ended': words.sessionEnded,
    'sessions-ended': words.sessionsEnded,
  };
  return done !== undefined && Object.hasOwn(texts, done) ? texts[done as Done] : undefined;
}

/** GET /: the keys, the sign-in form, or how to make the administrator. */
export async function showHome(visit: Visit, done: string | undefined): Promise<void> {
  const { view, token } = visit;
  const text = doneText(view.words, done);
  if (token !== null) return showKeys(visit, 200, { done: text });
  const { output } = await ask(visit, 'panelState');
  const hasTwoFactor = output.two_factor;
  show(visit, 200, output.set_up ? signInPage(view, { hasTwoFactor, done: text }) : noAdministratorPage(view));
}

export interface KeysOutcome {
  readonly done?: string | undefined;
  readonly newKey?: NewKeyState;
  /** Seconds. */
  readonly retryAfter?: number | undefined;
}

/** The page of who is signed in, with what came of a form. */
export async function showKeys(
  visit: Visit,
  status: number,
  { done, newKey = {}, retryAfter }: KeysOutcome,
): Promise<void> {
  const { parts, view, actor } = visit;
  const { users, usersOnline } = parts.core.figures();
  const { output: state } = await ask(visit, 'panelState');
  const { output: keys } = await ask(visit, 'listKeys');
  const { output: sessions } = await ask(visit, 'listSessions');
  const page = keysPage(view, {
    administrator: actor.name,
    hasTwoFactor: state.two_factor,
    baseUrl: parts.core.baseUrl(),
    users: { total: Object.values(users).reduce((sum, count) => sum + count, 0), online: usersOnline },
    keys: keys.items,
    sessions: sessions.items,
    done,
    newKey,
  });
  show(visit, status, page, retryAfter);
}

/** POST pages/sign-in. Whatever was wrong, the page is the same. */
export async function signIn(visit: Visit, fields: Fields): Promise<void> {
  const { name = '', password = '', code = '' } = fields;
  try {
    const { cookies } = await ask(visit, 'signIn', { name, password, ...codeOf(code) });
    goHome(visit, cookies);
  } catch (error) {
    const { output } = await ask(visit, 'panelState');
    const hasTwoFactor = output.two_factor;
    const [status, problem] = refusalOf(visit.view.words, error, hasTwoFactor);
    const page = signInPage(visit.view, { hasTwoFactor, name, problem });
    show(visit, status, page, error instanceof PanelError ? error.retryAfter : undefined);
  }
}

/** Status and words of a sign-in that was refused; what no form explains is thrown on. */
function refusalOf(words: Words, error: unknown, hasTwoFactor: boolean): readonly [status: number, problem: string] {
  switch (error instanceof PanelError ? error.code : null) {
    case 'slow_down':
      return [429, words.slowDown((error as PanelError).retryAfter ?? 1)];
    case 'vault_unavailable':
      return [503, words.vaultClosed];
    case 'sign_in_failed':
    case 'validation':
      return [401, hasTwoFactor ? words.signInFailedCode : words.signInFailed];
    default:
      throw error;
  }
}

/** The code as the operations take it: left out where the form had none. */
export function codeOf(code: string): { readonly code?: string } {
  return code === '' ? {} : { code };
}

/** POST pages/sign-out. */
export async function signOut(visit: Visit): Promise<void> {
  const { cookies } = await ask(visit, 'signOut');
  goHome(visit, cookies, 'signed-out');
}
