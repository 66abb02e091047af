// The reply to a subscription link: formats and headers, and that no reply is empty.
import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { SETTINGS as DEFAULTS } from '../../tests/support/fake-core.ts';
import {
  anyInbound,
  buildSubscription,
  buildUser,
  hostileName,
  readLink,
  sampleInbound,
} from '../../tests/support/subscription-samples.ts';
import type { Subscription } from '../core/kernel/core.ts';
import { renderSubscription, WRITERS } from './render.ts';

const SETTINGS = { ...DEFAULTS, timeZone: 'Europe/Berlin' };
const NOW = Date.UTC(2026, 10, 20, 10);
const DECEMBER = Date.UTC(2026, 11, 19, 23, 30);

function renderLines(sub: Subscription, settings = SETTINGS): readonly string[] {
  return renderSubscription(sub, settings, { format: 'plain', now: NOW }).body.split('\n');
}

function decoded(header: string | undefined): string {
  return Buffer.from((header ?? '').replace(/^base64:/, ''), 'base64').toString('utf8');
}

describe('renderSubscription', () => {
  it('replies with base64 of the lines of `plain`', () => {
    const sub = buildSubscription([
      sampleInbound(),
      sampleInbound({ id: 2, name: 'NL', protocol: 'trojan', security: 'tls' }),
    ]);
    const { status, headers, body } = renderSubscription(sub, SETTINGS, { now: NOW });
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(body).toMatch(/^[A-Za-z0-9+/]+=*$/);
    expect(Buffer.from(body, 'base64').toString('utf8').split('\n')).toEqual(renderLines(sub));
    expect(renderLines(sub).map((line) => readLink(line).name)).toEqual(['DE 1', 'NL']);
  });

  test.prop([
    fc.array(anyInbound, { minLength: 1, maxLength: 4 }),
    hostileName,
    fc.constantFrom(...Object.keys(WRITERS)),
  ])('writes names with variables as it writes other names', (rows, name, format) => {
    fc.pre(!/\{/.test(name));
    const render = (own: string) =>
      renderSubscription(
        buildSubscription(
          rows.map((row, index) => ({ ...row, id: index + 1, name: own })),
          { user: buildUser({ name }) },
        ),
        SETTINGS,
        { format, now: NOW },
      ).body;
    expect(render('{{USERNAME}}')).toBe(render(name));
  });

  it('fills in the variables of a name for each user anew, and then names no time of the last change', () => {
    const inbound = sampleInbound({ name: '{USERNAME} | {{DAYS_LEFT}} d | {{PROTOCOL}} {{SERVER_IP}}' });
    const renderFor = (name: string, expiresAt: number | null) =>
      renderSubscription(buildSubscription([inbound], { user: buildUser({ name, expiresAt }) }), SETTINGS, {
        format: 'plain',
        now: NOW,
      });
    const nameFor = (name: string, expiresAt: number | null) => readLink(renderFor(name, expiresAt).body).name;
    expect(nameFor('anna', NOW + 36 * 3_600_000)).toBe('anna | 2 d | vless de1.example.com');
    expect(nameFor('bob', null)).toBe('bob | vless de1.example.com');
    expect(renderFor('anna', null).headers['last-modified']).toBeUndefined();
  });

  it('names a connection by its address where its variables have nothing to show', () => {
    const sub = buildSubscription([sampleInbound({ name: '{{DAYS_LEFT}}' })], { user: buildUser({ expiresAt: null }) });
    expect(readLink(renderLines(sub)[0] ?? '').name).toBe('de1.example.com');
  });

  it('leaves out what a share link cannot represent', () => {
    const sub = buildSubscription([
      sampleInbound({ protocol: 'vmess', security: 'reality' }),
      sampleInbound({ name: 'NL' }),
    ]);
    expect(renderLines(sub).map((line) => readLink(line).name)).toEqual(['NL']);
  });

  it('leaves out what the engine of its node is known to refuse of the apps of a format, and counts it', () => {
    const reality = { security: 'reality', sni: 'a.example', publicKey: 'k'.repeat(43) } as const;
    const rows = [sampleInbound(reality), sampleInbound({ id: 2, name: 'NL', protocol: 'trojan', security: 'tls' })];
    const leftOut = (version: string, format: string) => {
      const sub = buildSubscription(rows, {}, { name: 'xray', version });
      const { headers, body } = renderSubscription(sub, SETTINGS, { format, now: NOW });
      expect(body.includes('DE 1')).toBe(headers['x-gatehouse-left-out'] === undefined);
      return headers['x-gatehouse-left-out'];
    };
    expect(leftOut('26.9.8', 'sing-box')).toBe('1');
    expect(leftOut('26.9.7', 'sing-box')).toBeUndefined();
    expect(['xray', 'mihomo'].map((format) => leftOut('26.9.8', format))).toEqual([undefined, undefined]);
  });

  it.each<[string, Partial<Subscription>, string, string]>([
    [
      'an expired user',
      { user: buildUser({ state: 'expired', expiresAt: DECEMBER }) },
      'Expired on 20 December 2026',
      'Срок истёк 20 декабря 2026',
    ],
    ['a limited user', { user: buildUser({ state: 'limited' }) }, 'Traffic used up', 'Трафик израсходован'],
    [
      'a limited user whose counter is reset later',
      { user: buildUser({ state: 'limited', resetsAt: DECEMBER }) },
      'Traffic used up, starts again on 20 December 2026',
      'Трафик израсходован, обновится 20 декабря 2026',
    ],
    ['a disabled user', { user: buildUser({ state: 'disabled' }) }, 'Access is disabled', 'Доступ отключён'],
  ])('tells why to %s', (_, changes, en, ru) => {
    const sub = buildSubscription([sampleInbound()], { canConnect: false, ...changes });
    const names = (language: 'en' | 'ru') =>
      renderLines(sub, { ...SETTINGS, language }).map((line) => readLink(line).name);
    expect(names('en')).toEqual([en]);
    expect(names('ru')).toEqual([ru]);
  });

  it('contains neither credentials nor addresses for a user who cannot connect', () => {
    const sub = buildSubscription([sampleInbound()], { canConnect: false, user: buildUser({ state: 'disabled' }) });
    expect(renderLines(sub).map(readLink)).toMatchObject([
      { scheme: 'vless', user: '00000000-0000-0000-0000-000000000000', host: '127.0.0.1', port: 1 },
    ]);
  });

  it('says so to a user without connections', () => {
    const listNames = (sub: Subscription) => renderLines(sub).map((line) => readLink(line).name);
    expect(listNames(buildSubscription([]))).toEqual(['No connections available yet']);
    const sub = buildSubscription([sampleInbound({ protocol: 'shadowsocks' })]);
    expect(listNames(sub)).toEqual(['Your connections need another app']);
  });

  test.prop([fc.array(fc.oneof(hostileName, fc.constantFrom('DE', 'DE 2', 'DE 3')), { minLength: 1, maxLength: 12 })])(
    'gives every connection a line and a name of its own',
    (names) => {
      const lines = renderLines(buildSubscription(names.map((name, id) => sampleInbound({ id: id + 1, name }))));
      const read = lines.map((line) => readLink(line).name);
      expect(read).toHaveLength(names.length);
      expect(new Set(read).size).toBe(names.length);
      for (const [index, name] of names.entries()) expect(read[index]?.startsWith(name)).toBe(true);
    },
  );
});

describe('the headers', () => {
  const renderHeaders = (changes: Partial<Subscription>, settings = {}) =>
    renderSubscription(buildSubscription([sampleInbound()], changes), { ...SETTINGS, ...settings }, { now: NOW })
      .headers;

  it('are in bytes and Unix seconds, 0 for no limit and no end', () => {
    const user = buildUser({ usedUp: 10, usedDown: 990, expiresAt: DECEMBER + 999 });
    expect(renderHeaders({ user, total: 50_000 })['subscription-userinfo']).toBe(
      `upload=10; download=990; total=50000; expire=${DECEMBER / 1000}`,
    );
    expect(renderHeaders({})['subscription-userinfo']).toBe('upload=0; download=0; total=0; expire=0');
  });

  it('say nothing of an end to Happ where there is none', () => {
    const readUserInfo = (userAgent: string, changes: Partial<Subscription> = {}) =>
      renderSubscription(buildSubscription([sampleInbound()], changes), SETTINGS, { userAgent, now: NOW }).headers[
        'subscription-userinfo'
      ];
    expect(readUserInfo('Happ/3.21.1')).toBe('upload=0; download=0; total=0');
    expect(readUserInfo('Happ/4.2.0/ios/2510201430')).toBe('upload=0; download=0; total=0');
    // Its parser needs the four members.
    expect(readUserInfo('HiddifyNext/2.5.7 (android) like ClashMeta v2ray sing-box')).toMatch(/; expire=0$/);
    expect(readUserInfo('Happ/3.21.1', { user: buildUser({ expiresAt: DECEMBER }) })).toMatch(
      `; expire=${DECEMBER / 1000}`,
    );
  });

  it('contain title, interval, support and the page of the link', () => {
    const headers = renderHeaders(
      {},
      { subscriptionTitle: 'Сеть', supportUrl: 'https://t.me/help', announcement: 'Привет' },
    );
    expect(decoded(headers['profile-title'])).toBe('Сеть');
    expect(decoded(headers.announce)).toBe('Привет');
    expect(headers).toMatchObject({
      'profile-update-interval': '12',
      'support-url': 'https://t.me/help',
      'profile-web-page-url': 'https://192.168.1.10:8443/sub/Zp3kVn0cQm6yT1uXw8RsLg',
      'content-disposition': `attachment; filename="subscription"; filename*=UTF-8''%D0%A1%D0%B5%D1%82%D1%8C`,
    });
  });

  it('tell when the user or a connection was changed last', () => {
    const inbounds = [sampleInbound({ updatedAt: NOW }), sampleInbound({ id: 2, updatedAt: NOW - 5000 })];
    const changed = (changes: Partial<Subscription>) =>
      renderSubscription(buildSubscription(inbounds, changes), SETTINGS, { now: NOW }).headers['last-modified'];
    expect(changed({})).toBe('Fri, 20 Nov 2026 10:00:00 GMT');
    expect(changed({ user: buildUser({ updatedAt: NOW + 60_000 }) })).toBe('Fri, 20 Nov 2026 10:01:00 GMT');
    expect(changed({ canConnect: false, user: buildUser({ state: 'expired' }) })).toBeUndefined();
  });

  it('leave out what is not set or not a link', () => {
    const headers = renderHeaders({}, { supportUrl: 'javascript:alert(1)' });
    expect(headers).not.toHaveProperty('support-url');
    expect(headers).not.toHaveProperty('announce');
    expect(headers['content-disposition']).toBe('attachment; filename="Gatehouse"');
  });

  it('truncate an announcement to 200 characters, never within a character', () => {
    const text = decoded(renderHeaders({}, { announcement: '🚀'.repeat(201) }).announce);
    expect([...text]).toHaveLength(200);
    expect(text).toBe(`${'🚀'.repeat(199)}…`);
  });

  test.prop([hostileName, hostileName, hostileName])('are legal whatever the settings hold', (title, text, support) => {
    const all = renderHeaders({}, { subscriptionTitle: title, announcement: text, supportUrl: `https://${support}` });
    for (const [name, value] of Object.entries(all)) {
      expect(name).toMatch(/^[a-z-]+$/);
      expect(value).toMatch(/^[\x20-\x7e]+$/);
    }
    expect(all['content-disposition']).toMatch(/^attachment; filename="[A-Za-z0-9._-]+"(; filename\*=UTF-8''[!-~]+)?$/);
    expect(decoded(all['profile-title'])).toBe(title);
  });
});
