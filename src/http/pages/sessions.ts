// The list of open sessions, each with the way to end it.
import type { Output } from '../../contract/table.ts';
import { type Html, html } from './html.ts';
import type { View } from './layout.ts';
import { moment, timed } from './moment.ts';

export type Session = Output<'listSessions'>['items'][number];

export function sessionList(view: View, sessions: readonly Session[]): Html {
  const { words, base } = view;
  const hasOthers = sessions.some(({ current }) => !current);
  return html`<section class="card" aria-labelledby="sessions">
<div class="head"><h2 id="sessions">${words.sessions}</h2>
${
  hasOthers &&
  html`<form method="post" action="${base}/pages/end-other-sessions"><button class="quiet">${words.endOthers}</button></form>`
}</div>
<ul class="rows">${sessions.map((session) => row(view, session))}</ul>
</section>`;
}

function row(view: View, { id, current, device, address, created_at, last_seen_at }: Session): Html {
  const { words, base } = view;
  const name = device === '' ? words.unknownDevice : device;
  return html`<li>
<div class="title"><h3>${name}</h3>${current && html`<span class="chip">${words.thisOne}</span>`}</div>
<div class="meta">${address !== '' && html`<span>${address}</span>`}<span>${timed(created_at, words.signedIn(moment(view, created_at)))}</span><span>${timed(last_seen_at, words.lastSeen(moment(view, last_seen_at)))}</span></div>
${
  !current &&
  html`<form method="post" action="${base}/pages/end-session"><input type="hidden" name="id" value="${id}"><button class="quiet" aria-label="${words.endSessionOf(name)}">${words.endSession}</button></form>`
}
</li>`;
}
