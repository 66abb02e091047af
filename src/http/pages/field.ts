// Form fields with their labels, hints and failures tied together for screen readers.
import { type Html, html } from './html.ts';
import type { View } from './layout.ts';

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly type: 'text' | 'password';
  readonly autocomplete: 'username' | 'current-password' | 'new-password' | 'one-time-code' | 'off';
  readonly value?: string;
  readonly hint?: string;
  /** What is wrong with what was typed. */
  readonly wrong?: string | undefined;
  readonly isFocused?: boolean;
}

export function field({ name, label, type, autocomplete, value = '', hint, wrong, isFocused }: Field): Html {
  const about = [hint === undefined ? '' : `${name}-hint`, wrong === undefined ? '' : `${name}-wrong`].filter(Boolean);
  const described = about.length > 0 && html` aria-describedby="${about.join(' ')}"`;
  const invalid = wrong !== undefined && html` aria-invalid="true"`;
  const focus = isFocused === true && html` autofocus`;
  const plain = type === 'text' && html` autocapitalize="none" spellcheck="false"`;
  return html`<div class="field">
<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}" value="${value}" required${plain}${described}${invalid}${focus}>
${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}
${wrong !== undefined && html`<p class="wrong" id="${name}-wrong">${wrong}</p>`}
</div>`;
}

/** The one-time code, where the second factor is on. */
export function codeField({ words }: View, hasTwoFactor: boolean): Html | false {
  if (!hasTwoFactor) return false;
  return field({
    name: 'code',
    label: words.code,
    type: 'text',
    autocomplete: 'one-time-code',
    hint: words.codeHint,
  });
}
