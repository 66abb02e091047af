// The two formats that every client reads: one share link a line, in base64 or as it stands.
import type { Subscription } from '../core/core.ts';
import type { SettingValues } from '../core/ports/settings.ts';
import { toBase64 } from './encoding.ts';
import { entriesOf } from './entries.ts';
import { canShare, shareLink } from './share-links.ts';

type Settings = Pick<SettingValues, 'language' | 'timeZone'>;

/** One share link a line. */
export function renderPlain(sub: Subscription, settings: Settings): string {
  return entriesOf(sub, settings, canShare).map(shareLink).join('\n');
}

/** Base64 of the same lines. */
export function renderLinks(sub: Subscription, settings: Settings): string {
  return toBase64(renderPlain(sub, settings));
}
