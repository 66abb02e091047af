// What the one-time setup link leads to: the form, the administrator it makes, or the word that it is over.
import { PanelError } from '../../core/panel-error.ts';
import { ask, type Fields, goHome, show, type Visit } from './form.ts';
import { deadLinkPage, type SetupState, setupPage } from './setup.ts';

const TOKEN = /^[A-Za-z0-9_-]{16,200}$/;

/** GET /setup/<token>. The token itself is judged when the form is sent. */
export async function showSetup(visit: Visit, token: string): Promise<void> {
  const { output } = await ask(visit, 'panelState');
  if (output.set_up || !TOKEN.test(token)) showDead(visit, output.set_up);
  else show(visit, 200, setupPage(visit.view, { token }));
}

/** POST pages/set-up: makes the administrator and signs in. */
export async function setUp(
  visit: Visit,
  { token = '', name = '', password = '', repeat = '' }: Fields,
): Promise<void> {
  const { view } = visit;
  const again = (wrong: SetupState['wrong']) => show(visit, 422, setupPage(view, { token, name, wrong: wrong ?? {} }));
  if (password !== repeat) return again({ repeat: view.words.passwordsDiffer });
  try {
    const { cookies } = await ask(visit, 'setUp', { token, name, password });
    goHome(visit, cookies);
  } catch (error) {
    if (!(error instanceof PanelError)) throw error;
    if (error.code === 'not_found' || error.code === 'already_set_up') {
      showDead(visit, error.code === 'already_set_up');
      return;
    }
    const at = (error.errors ?? []).map(({ pointer }) => pointer);
    const wrong = {
      ...(at.includes('#/name') && { name: view.words.nameWrong }),
      ...(at.includes('#/password') && { password: view.words.passwordWrong }),
    };
    if (error.code !== 'validation' || Object.keys(wrong).length === 0) throw error;
    again(wrong);
  }
}

function showDead(visit: Visit, isSetUp: boolean): void {
  show(visit, isSetUp ? 409 : 404, deadLinkPage(visit.view, isSetUp));
}
