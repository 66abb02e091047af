// The form that makes an API key, and the page that shows the key this once.
import type { Output } from '../../contract/table.ts';
import { accessChip } from './chip.ts';
import { codeField, field } from './field.ts';
import { type Html, html } from './html.ts';
import { sheetPage, type View } from './layout.ts';

export interface NewKeyState {
  readonly name?: string;
  readonly access?: string;
  /** `30`, `90`, `365` or empty for never. */
  readonly expiry?: string;
  /** What is wrong, by field. */
  readonly wrong?: Readonly<Partial<Record<'name' | 'password', string>>>;
}

export function newKeyForm(view: View, hasTwoFactor: boolean, state: NewKeyState): Html {
  const { words, base } = view;
  const { name = '', access = 'read', expiry = '365', wrong = {} } = state;
  const expiries = { '30': words.days30, '90': words.days90, '365': words.days365, '': words.never };
  return html`<section class="card" aria-labelledby="new-key">
<h2 id="new-key">${words.newKey}</h2>
<form class="fields" method="post" action="${base}/pages/create-key">
<div class="two">
${field({
  name: 'name',
  label: words.name,
  type: 'text',
  autocomplete: 'off',
  value: name,
  hint: words.keyNameHint,
  wrong: wrong.name,
  isFocused: wrong.name !== undefined,
})}
<div class="field">
<label for="expiry">${words.expiry}</label>
<select id="expiry" name="expiry" autocomplete="off">${Object.entries(expiries).map(
    ([value, label]) => html`<option value="${value}"${value === expiry && html` selected`}>${label}</option>`,
  )}</select>
</div>
</div>
<fieldset>
<legend>${words.access}</legend>
<div class="choices">
${choice('read', access, words.accessRead, words.accessReadWhat)}
${choice('full', access, words.accessFull, words.accessFullWhat)}
</div>
</fieldset>
<div class="two">
${field({
  name: 'password',
  label: words.yourPassword,
  type: 'password',
  autocomplete: 'current-password',
  hint: words.yourPasswordHint,
  wrong: wrong.password,
  isFocused: wrong.name === undefined && wrong.password !== undefined,
})}
${codeField(view, hasTwoFactor)}
</div>
<div><button class="primary">${words.createKey}</button></div>
</form>
</section>`;
}

function choice(value: string, chosen: string, label: string, what: string): Html {
  return html`<label class="choice"><input type="radio" name="access" value="${value}" aria-describedby="access-${value}"${value === chosen && html` checked`}><b>${label}</b><span class="hint" id="access-${value}">${what}</span></label>`;
}

export interface KeyMade {
  readonly administrator: string;
  readonly made: Output<'createKey'>;
  readonly baseUrl: string;
  /** PEM file of the panel's own authority, where a client on this machine finds it. */
  readonly caFile: string | null;
}

/** Not to be kept anywhere: this is the one time that the key is shown. */
export function keyMadePage(view: View, { administrator, made, baseUrl, caFile }: KeyMade): string {
  const { words, base } = view;
  const title = words.keyMade(made.key.name);
  const line = [
    caFile === null ? 'curl' : `curl --cacert ${quote(caFile)}`,
    `-H ${quote(`Authorization: Bearer ${made.value}`)}`,
    quote(`${baseUrl}/users?limit=5`),
  ].join(' \\\n  ');
  return sheetPage(
    view,
    title,
    administrator,
    html`<section class="card">
<div class="lead">
<div class="title"><h2>${title}</h2>${accessChip(view, made.key)}</div>
<p class="muted">${words.keyMadeOnce}</p>
</div>
<div class="field"><h3>${words.keyValue}</h3><code class="copy">${made.value}</code></div>
<div class="field"><h3>${words.tryIt}</h3><code class="copy">${line}</code></div>
<div><a class="button plain" href="${base}/">${words.backToKeys}</a></div>
</section>`,
  );
}

/** One word for a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
