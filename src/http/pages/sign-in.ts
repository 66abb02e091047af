// What is shown to who is not signed in: the sign-in form, or how to make the first administrator.
import { codeField, field } from './field.ts';
import { html } from './html.ts';
import { cardPage, note, type View } from './layout.ts';

export interface SignInState {
  readonly hasTwoFactor: boolean;
  /** What was typed, to be typed no second time. */
  readonly name?: string;
  /** What went wrong. */
  readonly problem?: string;
  /** What was done just before. */
  readonly done?: string | undefined;
}

export function signInPage(view: View, { hasTwoFactor, name = '', problem, done }: SignInState): string {
  const { words, base } = view;
  return cardPage(
    view,
    words.signIn,
    html`${problem !== undefined && note('bad', problem)}
${done !== undefined && note('good', done)}
<form class="fields" method="post" action="${base}/pages/sign-in">
${field({
  name: 'name',
  label: words.name,
  type: 'text',
  autocomplete: 'username',
  value: name,
  isFocused: name === '',
})}
${field({
  name: 'password',
  label: words.password,
  type: 'password',
  autocomplete: 'current-password',
  isFocused: name !== '',
})}
${codeField(view, hasTwoFactor)}
<button class="primary">${words.signIn}</button>
</form>
<p class="small muted">${words.forgotPassword} <code>panel reset-password</code></p>`,
  );
}

export function noAdministratorPage(view: View): string {
  const { words } = view;
  return cardPage(
    view,
    words.noAdministrator,
    html`<p class="muted">${words.noAdministratorHow}</p>
<code class="copy">panel setup</code>`,
  );
}
