// Settings and their sections.
import { addresses } from './settings/addresses.ts';
import { api } from './settings/api.ts';
import { backups } from './settings/backups.ts';
import { bot } from './settings/bot.ts';
import { certificates } from './settings/certificates.ts';
import { desktop } from './settings/desktop.ts';
import { imports } from './settings/imports.ts';
import { payments } from './settings/payments.ts';
import { security } from './settings/security.ts';
import { subscription } from './settings/subscription.ts';
import { updates } from './settings/updates.ts';
import { webhooks } from './settings/webhooks.ts';

export const settings = {
  title: 'Settings',
  nav: 'Sections of the settings',
  saved: 'Settings saved',
  sections: {
    general: 'General',
    subscription: 'Subscription',
    addresses: 'Addresses',
    certificates: 'Certificates',
    security: 'Security',
    api: 'API',
    webhooks: 'Webhooks',
    bot: 'Telegram bot',
    payments: 'Payments',
    backups: 'Backups',
    import: 'Import and export',
    updates: 'Updates',
    desktop: 'This computer',
  },
  general: {
    title: 'General',
    description: 'Language, time zone, limits and retention.',
    panelTitle: 'Title of the panel',
    panelTitleHint: 'Shown in the window and on the sign-in page.',
    language: 'Language',
    languageHint: 'Default for browsers and subscription pages.',
    timeZone: 'Time zone',
    timeZoneHint: 'Applies to calendar months, days in charts and resets of traffic from now on.',
    here: 'In this browser',
    hereText: 'Affects only this browser.',
    notices: 'Notices before the end of a term',
    noticesText: 'At these times before the end, bots and webhooks get the event user.expiring.',
    noticeDays: 'Days before the end',
    noticeDaysHint:
      'Up to 5 numbers from 1 to 90, Enter or comma after each. After a change, notices whose time has passed are not sent.',
    cutOff: 'Blocked users',
    cutOffText: 'Engines refuse new connections at once, but let open ones continue.',
    restart: 'Close connections of others to cut users off',
    restartHint:
      'Over Hysteria2 and gRPC the connection is reopened at once, at most every 2 minutes: its users reconnect, over Hysteria2 within 30 seconds. Otherwise, if there is still traffic two polls later, the engine restarts, at most every 10 minutes: all users of the node reconnect.',
    concurrent: 'Block users who are connected from too many addresses',
    concurrentHint:
      'For 5 minutes, where the plan or the user limits the addresses at once. While this is off, only an event is sent.',
    line: 'Traffic of nodes',
    lineText:
      'A node cannot have moved more than its line carries. What it reports beyond that is shown on its page and not counted.',
    lineSpeed: 'Speed of the fastest line',
    lineSpeedHint: 'In Gbit/s, from 1 to 100,000.',
    engine: 'Engine of local nodes',
    engineText: 'The program that carries the traffic of nodes on this machine: Xray or v2ray.',
    enginePath: 'Path of the program',
    enginePathHint:
      'Empty: the Xray that came with the panel, else xray or v2ray of this machine. It takes effect at the next start of an engine.',
    kept: 'Retention',
    keptText: 'Older records are deleted automatically.',
    events: 'Events, days',
    eventsHint: 'A bot that was offline for longer has to read everything again.',
    audit: 'Audit log, days',
  },
  subscription,
  addresses,
  api,
  backups,
  imports,
  certificates,
  desktop,
  security,
  updates,
  webhooks,
  bot,
  payments,
} as const;
