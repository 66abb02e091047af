// Settings on the wire: those that keys can read, without addresses and secrets, and those that the administrator changes.
import { z } from 'zod';
import { LANGUAGE_CODES } from '../../i18n/languages.ts';
import { PROOF_ERRORS, proof } from '../access/proof.ts';
import { apiOperation, hasMember, panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';

const language = z
  .enum(LANGUAGE_CODES)
  .meta({ id: 'Language', description: 'A language of the panel, as a BCP 47 tag.' });

const expiringNoticeDays = z
  .array(z.int().min(1).max(90))
  .min(1)
  .max(5)
  .refine((days) => new Set(days).size === days.length, { message: 'must not repeat a number' })
  .meta({
    uniqueItems: true,
    description:
      'The days (of 24 hours) before the end of a term at which `user.expiring` is emitted; in replies the longest notice first.',
  });

export const settings = z
  .object({
    version: z.string().meta({ description: "The panel's version." }),
    time_zone: z.string().meta({ description: 'IANA name; calendar months, days and resets follow it.' }),
    language,
    expiring_notice_days: expiringNoticeDays,
    subscription: z
      .object({
        title: z.string().meta({ description: 'The name of the subscription in the apps of users.' }),
        update_interval_hours: z.int().min(1).meta({ description: 'The update interval of apps, in hours.' }),
        support_url: z.string().nullable().meta({ description: 'The address of support for users; null: none.' }),
        announcement: z.string().meta({ description: 'A message that apps show to users; empty: none.' }),
      })
      .meta({ id: 'SubscriptionSettings', description: 'The subscription settings besides the inbounds.' }),
    limits: z
      .object({
        requests_per_minute: z.int().min(0).meta({ description: 'Per key; 0: no limit.' }),
        page: z.int().min(1).meta({ description: 'The highest `limit` of a list.' }),
        bulk: z.int().min(1).meta({ description: 'The highest number of ids in a bulk.' }),
        body_bytes: z.int().min(1).meta({ description: 'The largest body of a request, in bytes.' }),
        events_kept_days: z.int().min(1).meta({ description: 'The days that events are stored.' }),
        idempotency_hours: z.int().min(1).meta({ description: 'The hours that an Idempotency-Key is stored.' }),
      })
      .meta({ id: 'Limits', description: 'The limits of requests.' }),
  })
  .meta({ id: 'Settings', description: 'Settings without addresses and secrets.' });
export type SettingsView = z.output<typeof settings>;

export const getSettings = apiOperation({
  id: 'getSettings',
  method: 'GET',
  path: '/settings',
  access: 'read',
  tag: 'Panel',
  summary: 'Read the settings',
  params: z.strictObject({}),
  query: z.strictObject({}),
  body: null,
  status: 200,
  output: settings,
  example: {
    reply: {
      version: '0.1.0',
      time_zone: 'Europe/Berlin',
      language: 'en',
      expiring_notice_days: [7, 3, 1],
      subscription: { title: 'Gatehouse', update_interval_hours: 12, support_url: null, announcement: '' },
      limits: {
        requests_per_minute: 1200,
        page: 500,
        bulk: 10_000,
        body_bytes: 1_048_576,
        events_kept_days: 30,
        idempotency_hours: 24,
      },
    },
  },
});

/** Settings that the administrator changes, in the panel only. */
const fields = {
  time_zone: z.string().max(64).meta({ description: 'IANA name. Applies to resets and calendar months from now on.' }),
  language,
  panel_title: s.text({ min: 1, max: 60 }),
  subscription_title: s.text({ min: 1, max: 60 }),
  update_interval_hours: z
    .int()
    .min(1)
    .max(24 * 7),
  support_url: z
    .url({ protocol: /^(?:https?|mailto|tg)$/ })
    .max(300)
    .nullable(),
  announcement: s.text({ min: 0, max: 200 }),
  rate_limit: z.int().min(0).max(100_000).meta({ description: 'Requests a minute per key; 0: no limit.' }),
  expiring_notice_days: expiringNoticeDays,
  events_kept_days: z.int().min(1).max(365),
  audit_kept_days: z.int().min(30).max(3650),
  engine_path: z
    .string()
    .max(1000)
    .regex(/^(?:\/|[A-Za-z]:[\\/])[^\0\n\r]*$/)
    .nullable()
    .meta({
      description:
        'The absolute path of the program of local engines; null: the engine that came with the panel, else `xray` or `v2ray` in PATH.',
    }),
  cut_off_concurrent: z.boolean().meta({
    description:
      'Whether users are blocked for 5 minutes when they are connected from more addresses than `concurrent_limit`; false: only the event is emitted.',
  }),
  restart_to_cut_off: z.boolean().meta({
    description:
      'Whether connections of other users may be ended when users who may no longer connect still move bytes over open ones: those over the same Hysteria2 or gRPC inbound, at most every 2 minutes, or all of the engine by a restart, at most every 10 minutes.',
  }),
  node_line_gbps: z.int().min(1).max(100_000).meta({
    description:
      'The speed of the fastest line of a node, in Gbit/s. Traffic that a node reports beyond what such a line can carry is not counted.',
  }),
  selling: z.boolean().meta({ description: 'Whether users can order and pay at a provider.' }),
  stars_only_in_telegram: z.boolean().meta({
    description:
      'Whether the chat of the bot and the Mini App sell for Telegram Stars alone, as Telegram demands of digital goods.',
  }),
  update_checks: z.boolean().meta({
    description: 'Whether the panel checks for newer versions once a day. Nothing but the request is sent.',
  }),
};

export const panelSettings = z.object(fields).meta({ id: 'PanelSettings' });
export type PanelSettings = z.output<typeof panelSettings>;

const panelSettingsExample: PanelSettings = {
  time_zone: 'Europe/Berlin',
  language: 'en',
  panel_title: 'Gatehouse',
  subscription_title: 'Gatehouse',
  update_interval_hours: 12,
  support_url: 'https://t.me/example',
  announcement: '',
  rate_limit: 1200,
  expiring_notice_days: [7, 3, 1],
  events_kept_days: 30,
  audit_kept_days: 365,
  engine_path: null,
  cut_off_concurrent: false,
  restart_to_cut_off: true,
  node_line_gbps: 100,
  selling: false,
  stars_only_in_telegram: true,
  update_checks: true,
};

export const getPanelSettings = panelOperation({
  id: 'getPanelSettings',
  access: 'session',
  effect: 'read',
  tag: 'Panel',
  summary: 'Read the settings',
  input: z.strictObject({}),
  output: panelSettings,
  example: { body: {}, reply: panelSettingsExample },
});

export const updateSettings = panelOperation({
  id: 'updateSettings',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  proofFor: (input) =>
    hasMember(input, ['rate_limit', 'events_kept_days', 'audit_kept_days', 'engine_path', 'update_checks']),
  tag: 'Panel',
  summary: 'Change settings',
  input: z.strictObject({ ...proof, ...fields }).partial(),
  output: panelSettings,
  errors: PROOF_ERRORS,
  example: { body: { time_zone: 'Europe/Berlin', announcement: '' }, reply: panelSettingsExample },
});
