// Answers a subscription link: the format the client can read, and the headers it shows.
import type { Subscription } from '../core/core.ts';
import type { SettingValues } from '../core/ports/settings.ts';
import { chooseFormat, type Format, type Wish } from './choose.ts';
import { subscriptionHeaders } from './headers.ts';
import { renderLinks, renderPlain } from './links.ts';

export interface RenderedSubscription {
  readonly status: number;
  /** Lower-case names, printable ASCII values. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const RENDERERS: Readonly<Record<Format, (sub: Subscription, settings: SettingValues) => string>> = {
  links: renderLinks,
  plain: renderPlain,
};

/** The reply to `GET /<sub path>/<token>`; never an empty body. Who may not connect is told why by the name of the one entry. */
export function renderSubscription(sub: Subscription, settings: SettingValues, wish: Wish): RenderedSubscription {
  const body = RENDERERS[chooseFormat(wish)](sub, settings);
  return {
    status: 200,
    headers: { 'content-type': 'text/plain; charset=utf-8', ...subscriptionHeaders(sub, settings) },
    body,
  };
}
