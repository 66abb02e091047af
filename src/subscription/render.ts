// The reply to a subscription link: the format that the client can read, and the headers that it shows.
import type { Subscription } from '../core/core.ts';
import type { SettingValues } from '../core/ports/settings.ts';
import { chooseFormat, type Format, type FormatRequest } from './choose-format.ts';
import { listEntries } from './entries.ts';
import type { FormatWriter } from './format.ts';
import { subscriptionHeaders } from './headers.ts';
import { links, plain } from './links.ts';
import { mihomo } from './mihomo.ts';
import { singBox } from './sing-box.ts';
import { xray } from './xray.ts';

export interface RenderedSubscription {
  readonly status: number;
  /** Lower-case names, printable ASCII values. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export const WRITERS: Readonly<Record<Exclude<Format, 'html'>, FormatWriter>> = {
  links,
  plain,
  mihomo,
  'sing-box': singBox,
  xray,
};

/** How many of the user's connections the format cannot carry; absent where it carries all. */
const LEFT_OUT_HEADER = 'x-gatehouse-left-out';

/** The reply to `GET /<sub path>/<token>`; never an empty body. For a user who cannot connect, the name of the only entry says why. */
export function renderSubscription(
  sub: Subscription,
  settings: SettingValues,
  request: FormatRequest,
): RenderedSubscription {
  const format = chooseFormat(request);
  const writer = WRITERS[format === 'html' ? 'plain' : format];
  const { entries, leftOut } = listEntries(sub, settings, writer);
  const headers: Record<string, string> = { 'content-type': writer.type, ...subscriptionHeaders(sub, settings) };
  if (leftOut > 0) headers[LEFT_OUT_HEADER] = String(leftOut);
  return { status: 200, headers, body: writer.write(entries, settings.subscriptionTitle) };
}
