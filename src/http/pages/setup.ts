// The one-time page that makes the administrator, and what it says once its link no longer works.
import { field } from './field.ts';
import { html } from './html.ts';
import { cardPage, type View } from './layout.ts';

export interface SetupState {
  readonly token: string;
  readonly name?: string;
  /** What is wrong, by field. */
  readonly wrong?: Readonly<Partial<Record<'name' | 'password' | 'repeat', string>>>;
}

export function setupPage(view: View, { token, name = '', wrong = {} }: SetupState): string {
  const { words, base } = view;
  return cardPage(
    view,
    words.setUp,
    html`<p class="muted">${words.setUpWhy}</p>
<form class="fields" method="post" action="${base}/pages/set-up">
<input type="hidden" name="token" value="${token}">
${field({
  name: 'name',
  label: words.name,
  type: 'text',
  autocomplete: 'username',
  value: name,
  wrong: wrong.name,
  isFocused: name === '' || wrong.name !== undefined,
})}
${field({
  name: 'password',
  label: words.password,
  type: 'password',
  autocomplete: 'new-password',
  hint: words.passwordHint,
  wrong: wrong.password,
  isFocused: name !== '' && wrong.name === undefined,
})}
${field({
  name: 'repeat',
  label: words.repeatPassword,
  type: 'password',
  autocomplete: 'new-password',
  wrong: wrong.repeat,
})}
<button class="primary">${words.setUpDo}</button>
</form>`,
  );
}

/** For a link that was used, replaced or is too old. */
export function deadLinkPage(view: View, isSetUp: boolean): string {
  const { words, base } = view;
  return cardPage(
    view,
    words.linkDead,
    isSetUp
      ? html`<p class="muted">${words.linkDone}</p>
<a class="button primary" href="${base}/">${words.toSignIn}</a>`
      : html`<p class="muted">${words.linkDeadHow}</p>
<code class="copy">panel setup</code>`,
  );
}
