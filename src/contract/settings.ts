// Settings on the wire: what a bot may know. No address and no secret is among them.
import { z } from 'zod';
import { LANGUAGE_CODES } from '../i18n/languages.ts';
import { apiOperation } from './operation.ts';

export const settings = z
  .object({
    version: z.string().meta({ description: "The panel's version." }),
    time_zone: z.string().meta({ description: 'IANA name; calendar months, days and resets follow it.' }),
    language: z.enum(LANGUAGE_CODES),
    subscription: z.object({
      title: z.string(),
      update_interval_hours: z.int().min(1),
      support_url: z.string().nullable(),
      announcement: z.string(),
    }),
    limits: z.object({
      requests_per_minute: z.int().min(0).meta({ description: 'Per key; 0: no limit.' }),
      page: z.int().min(1),
      bulk: z.int().min(1),
      body_bytes: z.int().min(1),
      events_kept_days: z.int().min(1),
      idempotency_hours: z.int().min(1),
    }),
  })
  .meta({ id: 'Settings' });
export type SettingsView = z.output<typeof settings>;

export const getSettings = apiOperation({
  id: 'getSettings',
  method: 'GET',
  path: '/settings',
  access: 'read',
  tag: 'Panel',
  summary: 'Read the settings a bot may know',
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
