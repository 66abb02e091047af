// Settings as the administrator changes them, in the panel only.
import { z } from 'zod';
import { LANGUAGE_CODES } from '../i18n/languages.ts';
import { panelOperation } from './operation.ts';
import * as s from './scalars.ts';

const fields = {
  time_zone: z.string().max(64).meta({ description: 'IANA name. Resets and calendar months follow it from now on.' }),
  language: z.enum(LANGUAGE_CODES),
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
  events_kept_days: z.int().min(1).max(365),
  audit_kept_days: z.int().min(30).max(3650),
};

export const panelSettings = z.object(fields).meta({ id: 'PanelSettings' });
export type PanelSettings = z.output<typeof panelSettings>;

const example: PanelSettings = {
  time_zone: 'Europe/Berlin',
  language: 'en',
  panel_title: 'Gatehouse',
  subscription_title: 'Gatehouse',
  update_interval_hours: 12,
  support_url: 'https://t.me/example',
  announcement: '',
  rate_limit: 1200,
  events_kept_days: 30,
  audit_kept_days: 365,
};

export const getPanelSettings = panelOperation({
  id: 'getPanelSettings',
  access: 'session',
  effect: 'read',
  tag: 'Panel',
  summary: 'Read the settings',
  input: z.strictObject({}),
  output: panelSettings,
  example: { body: {}, reply: example },
});

export const updateSettings = panelOperation({
  id: 'updateSettings',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Change settings',
  input: z.strictObject(fields).partial(),
  output: panelSettings,
  example: { body: { time_zone: 'Europe/Berlin', announcement: '' }, reply: example },
});
