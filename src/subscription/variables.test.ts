import { describe, expect, it } from 'vitest';
import { expandVariables, VARIABLES } from '../domain/subscription/variables.ts';
import { entryVariables, userVariables } from './variables.ts';

const NOW = Date.parse('2026-11-28T09:00:00.000Z');
const USER = {
  id: 7,
  name: 'anna',
  state: 'active',
  usedUp: 400_000_000,
  usedDown: 1_000_000_000,
  expiresAt: Date.parse('2026-12-10T08:00:00.000Z'),
} as const;
const LINK = { user: USER, total: 50_000_000_000, url: 'https://p.example/sub/t' };
const SETTINGS = { language: 'en', timeZone: 'Europe/Moscow', subscriptionTitle: 'VPN' } as const;

type Link = Parameters<typeof userVariables>[0];
const expand = (text: string, link: Link = LINK, settings: Parameters<typeof userVariables>[1] = SETTINGS) =>
  expandVariables(text, userVariables(link, settings, NOW));

describe('Variables of a user', () => {
  it.each([
    ['USERNAME', 'anna'],
    ['ID', '7'],
    ['STATUS', 'ACTIVE'],
    ['STATUS_EMOJI', '✅'],
    ['STATUS_TEXT', 'Active'],
    ['DAYS_LEFT', '12'],
    ['TIME_LEFT', '12 days'],
    ['EXPIRE_DATE', '10 December 2026'],
    ['JALALI_EXPIRE_DATE', '1405/09/19'],
    ['EXPIRE_UNIX', '1796889600'],
    ['TRAFFIC_USED', '1.4 GB'],
    ['TRAFFIC_LEFT', '48.6 GB'],
    ['TOTAL_TRAFFIC', '50 GB'],
    ['TRAFFIC_USED_BYTES', '1400000000'],
    ['TRAFFIC_LEFT_BYTES', '48600000000'],
    ['TOTAL_TRAFFIC_BYTES', '50000000000'],
    ['USAGE_PERCENTAGE', '2'],
    ['SUBSCRIPTION_URL', 'https://p.example/sub/t'],
    ['PROFILE_TITLE', 'VPN'],
  ])('%s is %s', (variable, expected) => {
    expect(expand(`{{${variable}}}`)).toBe(expected);
  });

  it('without limits are unlimited', () => {
    const free: Link = { ...LINK, user: { ...USER, expiresAt: null }, total: null };
    expect(expand('({{DAYS_LEFT}} {{EXPIRE_DATE}} {{TRAFFIC_LEFT}} {{USAGE_PERCENTAGE}} {{ID}})', free)).toBe(
      '(∞ ∞ ∞ ∞ 7)',
    );
    expect(expand('DE | {{DAYS_LEFT}} d | {{TRAFFIC_LEFT}}', free)).toBe('DE');
  });

  it('of a term that has not begun are empty', () => {
    const held: Link = { ...LINK, user: { ...USER, state: 'on_hold', expiresAt: null } };
    expect(expand('{{STATUS}} {{DAYS_LEFT}}', held)).toBe('ON_HOLD ');
  });

  it('after the end of the term and of the traffic are zero', () => {
    const ended: Link = { ...LINK, user: { ...USER, state: 'expired', expiresAt: NOW - 1 }, total: 1 };
    expect(expand('{{DAYS_LEFT}} {{TIME_LEFT}} {{TRAFFIC_LEFT_BYTES}} {{USAGE_PERCENTAGE}}', ended)).toBe(
      '0 0 minutes 0 100',
    );
  });

  it('are in the language and time zone of the panel', () => {
    const settings = { ...SETTINGS, language: 'ru' } as const;
    expect(expand('{{STATUS_TEXT}}, {{TIME_LEFT}}, {{EXPIRE_DATE}}', LINK, settings)).toBe(
      'Активна, 12 дней, 10 декабря 2026',
    );
  });

  it('of a connection are known in its name, and empty elsewhere', () => {
    const inbound = { protocol: 'vless', network: 'ws', security: 'tls' } as const;
    const text = '{{PROTOCOL}} {{TRANSPORT}} {{SECURITY}} {{SERVER_IP}} {{USERNAME}}';
    const user = userVariables(LINK, SETTINGS, NOW);
    const values = entryVariables(user, { inbound: inbound as never, address: 'cdn.example' });
    expect(expandVariables(text, values)).toBe('vless ws tls cdn.example anna');
    expect(expand(text)).toBe('     anna'.slice(1));
  });

  it('all have a value', () => {
    const values = entryVariables(userVariables(LINK, SETTINGS, NOW), {
      inbound: { protocol: 'vless', network: 'ws', security: 'tls' } as never,
      address: 'cdn.example',
    });
    for (const variable of VARIABLES) expect(values(variable), variable).not.toBe('');
  });
});
