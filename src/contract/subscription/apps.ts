// The apps that the subscription page and the bot offer: their systems, where to install them, and how they import a link.
import { z } from 'zod';
import { panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';
import { CONFIGURATION_FORMATS } from './formats.ts';

export const SYSTEMS = ['ios', 'android', 'windows', 'macos', 'linux', 'tv'] as const;
export type System = (typeof SYSTEMS)[number];

export const APP_CORES = ['xray', 'sing-box', 'mihomo'] as const;

export const MAX_APPS = 40;

/** A link with an app's own scheme, which a browser neither runs as a script nor opens as a page. */
const APP_LINK =
  /^(?!(?:javascript|data|vbscript|file|blob|about|https?):)[a-z][a-z0-9+.-]{1,30}:\/\/[\x21-\x7e]*\{url(?:_encoded|_base64|_happ)?\}[\x21-\x7e]*$/;

const store = z.strictObject({
  system: z.enum(SYSTEMS),
  url: z.url({ protocol: /^https$/ }).max(300),
});
export const offeredApp = z.strictObject({
  name: s.text({ min: 1, max: 40 }),
  core: z.enum(APP_CORES).nullable().meta({
    description: 'The program that it is built on, by which the page counts working connections; null: another.',
  }),
  link: z.string().max(300).regex(APP_LINK).meta({
    description:
      'The address that opens the app with the subscription. `{url}` is the link as it is, `{url_encoded}` percent-encoded, `{url_base64}` in base64url, `{url_happ}` encrypted for Happ behind `happ://crypt3/`, `{name}` the percent-encoded title.',
  }),
  format: z
    .enum(CONFIGURATION_FORMATS)
    .nullable()
    .meta({ description: 'Added to the link as `format`; null: by the User-Agent of the app.' }),
  stores: z
    .array(store)
    .min(1)
    .max(SYSTEMS.length)
    .refine((stores) => new Set(stores.map(({ system }) => system)).size === stores.length, {
      message: 'must not repeat a system',
    })
    .meta({ description: 'Where it is installed from. It is offered on these systems alone.' }),
});
export type OfferedApp = z.output<typeof offeredApp>;

const items = z.array(offeredApp).max(MAX_APPS).meta({ description: 'The first is offered first.' });
const appsView = z
  .object({ items, is_default: z.boolean().meta({ description: "Whether it is the panel's own list." }) })
  .meta({ id: 'SubscriptionApps' });

const example: OfferedApp = {
  name: 'Happ',
  core: 'xray',
  link: 'happ://add/{url}',
  format: null,
  stores: [{ system: 'ios', url: 'https://apps.apple.com/app/happ-proxy-utility/id6504287215' }],
};

export const getSubscriptionApps = panelOperation({
  id: 'getSubscriptionApps',
  access: 'session',
  effect: 'read',
  tag: 'Panel',
  summary: 'Read the apps that users are offered',
  input: z.strictObject({}),
  output: appsView,
  example: { body: {}, reply: { items: [example], is_default: true } },
});

export const saveSubscriptionApps = panelOperation({
  id: 'saveSubscriptionApps',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Set the apps that users are offered',
  input: z.strictObject({ items: items.nullable().meta({ description: "null: the panel's own list." }) }),
  output: appsView,
  example: { body: { items: [example] }, reply: { items: [example], is_default: false } },
});
