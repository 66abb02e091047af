// What a key may do, as a mark beside its name.
import type { Key } from '../../contract/keys.ts';
import { type Html, html } from './html.ts';
import type { View } from './layout.ts';

export function accessChip({ words }: View, { access }: Pick<Key, 'access'>): Html {
  return access === 'full'
    ? html`<span class="chip full">${words.accessFull}</span>`
    : html`<span class="chip">${words.accessRead}</span>`;
}
