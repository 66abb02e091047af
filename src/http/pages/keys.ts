// The page of who is signed in: the API's address, its keys and the open sessions.
import type { Key } from '../../contract/keys.ts';
import type { Output } from '../../contract/table.ts';
import { accessChip } from './chip.ts';
import { type Html, html } from './html.ts';
import { note, sheetPage, type View } from './layout.ts';
import { count, day, moment, timed } from './moment.ts';
import { type NewKeyState, newKeyForm } from './new-key.ts';
import { type Session, sessionList } from './sessions.ts';

export interface KeysState {
  readonly administrator: string;
  readonly hasTwoFactor: boolean;
  readonly baseUrl: string;
  readonly users: { readonly total: number; readonly online: number };
  readonly keys: Output<'listKeys'>['items'];
  readonly sessions: readonly Session[];
  /** What was done just before. */
  readonly done?: string | undefined;
  /** What was typed into the form that was refused. */
  readonly newKey?: NewKeyState;
}

export function keysPage(view: View, state: KeysState): string {
  const { words } = view;
  const { administrator, baseUrl, users, done, newKey = {} } = state;
  const active = state.keys.filter((key) => key.state === 'active');
  const old = state.keys.filter((key) => key.state !== 'active');
  return sheetPage(
    view,
    words.keys,
    administrator,
    html`${done !== undefined && note('good', done)}
<section class="card" aria-labelledby="api">
<h2 id="api">${words.api}</h2>
<dl class="facts">
<div><dt>${words.baseUrl}</dt><dd><code class="copy">${baseUrl}</code></dd></div>
<div><dt>${words.users}</dt><dd class="figure">${count(view, users.total)}<span>${words.usersOnline(count(view, users.online))}</span></dd></div>
</dl>
</section>
<section class="card" aria-labelledby="keys">
<h2 id="keys">${words.keys}</h2>
${active.length === 0 ? html`<p class="muted">${words.noKeys}</p>` : keyList(view, active)}
${
  old.length > 0 &&
  html`<details class="old"><summary>${words.oldKeys(old.length)}</summary>
${keyList(view, old)}
</details>`
}
</section>
${newKeyForm(view, state.hasTwoFactor, newKey)}
${sessionList(view, state.sessions)}`,
  );
}

function keyList(view: View, keys: readonly Key[]): Html {
  return html`<ul class="rows">${keys.map((key) => keyRow(view, key))}</ul>`;
}

function keyRow(view: View, key: Key): Html {
  const { words } = view;
  return html`<li>
<div class="title"><h3>${key.name}</h3>${accessChip(view, key)}</div>
<div class="meta"><span><code>${key.prefix}…</code></span><span>${timed(key.created_at, words.made(day(view, key.created_at)))}</span><span>${endOf(view, key)}</span><span>${lastUseOf(view, key)}</span></div>
${key.state === 'active' && revoking(view, key)}
</li>`;
}

function endOf(view: View, { state, revoked_at, expires_at }: Key): Html | string {
  const { words } = view;
  if (state === 'revoked' && revoked_at !== null) return timed(revoked_at, words.revoked(day(view, revoked_at)));
  if (expires_at === null) return words.untilRevoked;
  const say = state === 'expired' ? words.expired : words.expires;
  return timed(expires_at, say(day(view, expires_at)));
}

function lastUseOf(view: View, { last_used_at, last_used_from }: Key): Html | string {
  if (last_used_at === null) return view.words.neverUsed;
  return timed(last_used_at, view.words.lastUsed(moment(view, last_used_at), last_used_from ?? ''));
}

/** Two steps without a script: what it breaks is read before it can be done. */
function revoking({ words, base }: View, { id, name }: Key): Html {
  return html`<details class="ask">
<summary>${words.revoke}<span class="away"> ${name}</span></summary>
<div class="body"><p>${words.revokeWhat}</p>
<form method="post" action="${base}/pages/revoke-key"><input type="hidden" name="id" value="${id}"><button class="danger">${words.revokeDo(name)}</button></form></div>
</details>`;
}
