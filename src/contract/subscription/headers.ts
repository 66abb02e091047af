// Headers of subscription links for single apps: routing, notices and what Happ lets a provider set. In the panel only.
import { z } from 'zod';
import { panelOperation } from '../operation.ts';

/** Apps and proxies in front of the panel refuse larger headers. */
const MAX_ROUTING = 6000;

export const FRAGMENT_PACKETS = ['tlshello', '1-2', '1-3', '1-5'] as const;
export const NOISE_KINDS = ['rand', 'str', 'base64'] as const;
export const NOISE_TARGETS = ['ip', 'ipv4', 'ipv6'] as const;

const range = z.string().regex(/^[0-9]{1,5}(?:-[0-9]{1,5})?$/);
const webUrl = z.url({ protocol: /^https?$/ }).max(300);

const happFragment = z
  .strictObject({
    packets: z.enum(FRAGMENT_PACKETS),
    length: range.meta({ description: 'Bytes, as in `50-100`.' }),
    interval: range.meta({ description: 'Milliseconds, as in `5` or `10-20`.' }),
  })
  .nullable()
  .meta({ description: 'The first packets are sent in fragments; null: they are not.' });
const happNoise = z
  .strictObject({
    kind: z.enum(NOISE_KINDS),
    packet: z
      .string()
      .regex(/^[\x21-\x7e]{1,200}$/)
      .meta({ description: 'As in `10-20` with `rand`, else the packet.' }),
    delay: range.meta({ description: 'Milliseconds.' }),
    apply_to: z.enum(NOISE_TARGETS),
  })
  .nullable()
  .meta({ description: 'Noise is sent before the first packet; null: none.' });

/** Members are in the words of the vendor's documentation. */
export const subscriptionHeaders = z
  .strictObject({
    web_page_url: webUrl
      .nullable()
      .meta({ description: 'The page that apps open for the subscription; null: the page of the link itself.' }),
    announce_url: webUrl.nullable().meta({ description: 'Where the announcement leads, in v2RayTun and Koala Clash.' }),
    update_always: z.boolean().meta({ description: 'Whether v2RayTun and Koala Clash read the link at each start.' }),
    happ_routing: z
      .string()
      .max(MAX_ROUTING)
      .regex(/^happ:\/\/routing\/(?:(?:add|onadd)\/[A-Za-z0-9+/_=-]+|off)$/)
      .nullable()
      .meta({ description: 'A routing profile, `happ://routing/add/…`, `/onadd/…` or `/off`.' }),
    v2raytun_routing: z
      .string()
      .max(MAX_ROUTING)
      .regex(/^[A-Za-z0-9+/_-]+={0,2}$/)
      .nullable()
      .meta({ description: 'A routing profile in base64, as v2RayTun exports it.' }),
    incy_routing: z
      .string()
      .max(MAX_ROUTING)
      .regex(/^incy:\/\/(?:auto)?routing\/(?:add|onadd)\/[\x21-\x7e]+$/)
      .nullable()
      .meta({ description: 'A routing profile, `incy://routing/add/…` or `incy://autorouting/add/…`.' }),
    happ_provider_id: z
      .string()
      .max(32)
      .regex(/^[A-Za-z0-9]{4,32}$/)
      .nullable()
      .meta({
        description:
          'The Provider ID of an account at the vendor of Happ. With it the app reports to its vendor each day: this id, a hash of the domain, the device id and the system. null: the following `happ_` settings are not sent.',
      }),
    happ_hide_settings: z.boolean().meta({ description: 'Whether users cannot see or change the servers.' }),
    happ_always_device: z.boolean().meta({ description: 'Whether users cannot turn off the device id.' }),
    happ_expiry_notices: z.boolean().meta({ description: 'Whether the app reminds of the end three days before.' }),
    happ_fragment: happFragment,
    happ_noise: happNoise,
  })
  .meta({ id: 'SubscriptionHeaders' });
export type SubscriptionHeaders = z.output<typeof subscriptionHeaders>;

export const DEFAULT_SUBSCRIPTION_HEADERS: SubscriptionHeaders = {
  web_page_url: null,
  announce_url: null,
  update_always: false,
  happ_routing: null,
  v2raytun_routing: null,
  incy_routing: null,
  happ_provider_id: null,
  happ_hide_settings: false,
  happ_always_device: false,
  happ_expiry_notices: false,
  happ_fragment: null,
  happ_noise: null,
};

export const getSubscriptionHeaders = panelOperation({
  id: 'getSubscriptionHeaders',
  access: 'session',
  effect: 'read',
  tag: 'Panel',
  summary: 'Read the headers of subscription links for single apps',
  input: z.strictObject({}),
  output: subscriptionHeaders,
  example: { body: {}, reply: DEFAULT_SUBSCRIPTION_HEADERS },
});

export const saveSubscriptionHeaders = panelOperation({
  id: 'saveSubscriptionHeaders',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Set the headers of subscription links for single apps',
  input: subscriptionHeaders,
  output: subscriptionHeaders,
  example: {
    body: { ...DEFAULT_SUBSCRIPTION_HEADERS, happ_routing: 'happ://routing/off' },
    reply: { ...DEFAULT_SUBSCRIPTION_HEADERS, happ_routing: 'happ://routing/off' },
  },
});
