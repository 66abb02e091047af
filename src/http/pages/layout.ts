// The frame of every plain page: head, policy and the two shapes, a card in the middle and a sheet with a bar above.
import { randomBytes } from 'node:crypto';
import type { SettingValues } from '../../core/ports/settings.ts';
import { MARK } from './favicon.ts';
import { type Content, type Html, html } from './html.ts';
import type { Words } from './i18n/en.ts';
import { chooseLanguage, type Language, WORDS } from './language.ts';
import { STYLE } from './style.ts';

/** What a page is drawn with. */
export interface View {
  readonly language: Language;
  readonly words: Words;
  /** Path of the secret segment, without a slash at its end. */
  readonly base: string;
  readonly panelTitle: string;
  readonly timeZone: string;
  /** Of this one reply. */
  readonly nonce: string;
}

export function viewOf(settings: SettingValues, acceptLanguage: string | undefined): View {
  const language = chooseLanguage(acceptLanguage, settings.language);
  return {
    language,
    words: WORDS[language],
    base: `/${settings.secretPath}`,
    panelTitle: settings.panelTitle,
    timeZone: settings.timeZone,
    nonce: randomBytes(18).toString('base64url'),
  };
}

/** No script, no frame, no other site; styles of this reply alone. */
export function policyOf({ nonce }: View): string {
  return [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    "img-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}

/** Own pages learn where one came from, so that the browser names its Origin; others learn nothing of the secret path. */
const REFERRER = 'same-origin';

function page(view: View, title: string, body: Html): string {
  const { language, base, panelTitle, nonce } = view;
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="${REFERRER}">
<meta name="robots" content="noindex, nofollow">
<title>${title} · ${panelTitle}</title>
<link rel="icon" href="${base}/favicon.svg" type="image/svg+xml">
<style nonce="${nonce}">${{ markup: STYLE }}</style>
</head>
<body>
${body}
</body>
</html>
`.markup;
}

const mark: Html = { markup: MARK };

/** A card in the middle: setup, sign-in, what went wrong. */
export function cardPage(view: View, title: string, content: Content): string {
  return page(
    view,
    title,
    html`<main class="narrow">
<div class="brand">${mark}<span>${view.panelTitle}</span></div>
<section class="card">
<h1>${title}</h1>
${content}
</section>
</main>`,
  );
}

/** A sheet under a bar with the administrator's name and the way out. */
export function sheetPage(view: View, title: string, who: string, content: Content): string {
  const { words, base, panelTitle } = view;
  return page(
    view,
    title,
    html`<header><div class="bar">
<div class="brand">${mark}<span>${panelTitle}</span></div>
<div class="who"><span class="muted">${who}</span>
<form method="post" action="${base}/pages/sign-out"><button class="quiet">${words.signOut}</button></form></div>
</div></header>
<main class="wide">
<h1 class="away">${title}</h1>
${content}
</main>`,
  );
}

/** A message about what was just done, or what went wrong. */
export function note(kind: 'good' | 'bad', text: string): Html {
  return html`<p class="note ${kind}" role="${kind === 'bad' ? 'alert' : 'status'}">${text}</p>`;
}
