// Holds the page of a subscription: what it says, in whose language, what it offers on which system, and that nothing in it is executed.
import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { SETTINGS as DEFAULTS } from '../../../tests/support/fake-core.ts';
import {
  buildSubscription,
  buildUser,
  hostileName,
  sampleHost,
  sampleInbound,
} from '../../../tests/support/subscription-samples.ts';
import { offeredApp, SYSTEMS } from '../../contract/subscription/apps.ts';
import { DEFAULT_APPS } from '../../contract/subscription/default-apps.ts';
import type { Subscription } from '../../core/kernel/core.ts';
import type { InboundRow } from '../../core/ports/inbounds.ts';
import { renderSubscription } from '../render.ts';
import { buildAppLink, detectSystem, findStore } from './apps.ts';
import { encryptForHapp } from './happ-link.ts';

const NOW = Date.UTC(2026, 10, 20, 10);
const DAY = 86_400_000;
const URL_OF_LINK = 'https://192.168.1.10:8443/sub/Zp3kVn0cQm6yT1uXw8RsLg';

interface Asked {
  readonly sub?: Partial<Subscription>;
  readonly settings?: Partial<typeof DEFAULTS>;
  readonly acceptLanguage?: string;
  readonly userAgent?: string;
  readonly connection?: string;
}

function render({ sub = {}, settings = {}, ...request }: Asked = {}) {
  const subscription = buildSubscription([sampleInbound({ security: 'tls' })], sub);
  return renderSubscription(subscription, { ...DEFAULTS, ...settings }, { format: 'html', now: NOW, ...request });
}
const renderBody = (asked: Asked = {}) => render(asked).body.replaceAll('\u00a0', ' ');

describe('the page', () => {
  it('is a document to show, with the headers of the subscription', () => {
    const { headers, inline, body } = render();
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers).toHaveProperty('subscription-userinfo');
    expect(headers).not.toHaveProperty('content-disposition');
    expect(body).toContain(`<style>${inline?.style}</style>`);
    expect(body).toContain(`<script>${inline?.script}</script>`);
  });

  it('says in which apps not all connections work', () => {
    const reality = sampleInbound({ security: 'reality', sni: 'a.example', publicKey: 'k'.repeat(43) });
    const tls = sampleInbound({ id: 2, security: 'tls' });
    const pageOf = (version: string, rows: readonly (typeof reality)[]) =>
      render({ sub: { inbounds: buildSubscription(rows, {}, { name: 'xray', version }).inbounds } }).body;
    const count = (body: string, text: string) => body.split(text).length - 1;
    // Hiddify on six systems, Karing on six, sing-box on four.
    expect(count(pageOf('26.9.8', [reality]), 'Your connections do not work in this app.')).toBe(16);
    expect(count(pageOf('26.9.8', [reality, tls]), '1 of your 2 connections works in this app.')).toBe(16);
    expect(pageOf('26.9.7', [reality, tls])).not.toContain('in this app.');
  });

  it('tells traffic, term and devices', () => {
    const user = buildUser({
      usedUp: 2_400_000_000,
      usedDown: 10_000_000_000,
      expiresAt: NOW + 29.5 * DAY,
      resetsAt: Date.UTC(2026, 11, 1),
      deviceLimit: 3,
    });
    const body = renderBody({ sub: { user, total: 50_000_000_000 } });
    for (const text of [
      '12.4 GB of 50 GB',
      'value="24"',
      '37.6 GB left',
      'Resets on 1 December 2026',
      '19 December 2026',
      '30 days left',
      'Meant for 3 devices',
      '>Active<',
    ]) {
      expect(body).toContain(text);
    }
  });

  it('tells that there is no limit and no end', () => {
    const body = renderBody();
    expect(body).toContain('0 bytes used');
    expect(body).toContain('Unlimited');
    expect(body).toContain('Never expires');
    expect(body).not.toContain('<progress');
    expect(renderBody({ sub: { user: buildUser({ state: 'on_hold' }) } })).toContain(
      'Starts with your first connection',
    );
  });

  it('says why there is nothing to connect to', () => {
    const user = buildUser({ state: 'expired', expiresAt: NOW - DAY });
    const body = renderBody({ sub: { user, canConnect: false, inbounds: [] } });
    expect(body).toContain('<p class="notice bad">Expired on 19 November 2026</p>');
    expect(body).not.toContain('days left');
    expect(renderBody({ sub: { inbounds: [] } })).toContain('No connections available yet');
  });

  it.each<[acceptLanguage: string | undefined, panel: 'en' | 'ru', shown: 'en' | 'ru']>([
    ['ru-RU,ru;q=0.9,en;q=0.8', 'en', 'ru'],
    ['en-GB,en;q=0.9,ru;q=0.8', 'ru', 'en'],
    ['de, ru;q=0.2, en;q=0.1', 'en', 'ru'],
    ['ru;q=0, en;q=0.1', 'ru', 'en'],
    ['fa-IR', 'ru', 'ru'],
    ['*', 'ru', 'ru'],
    [undefined, 'ru', 'ru'],
    ['', 'en', 'en'],
    ['x'.repeat(10_000), 'en', 'en'],
  ])('in answer to %s of a panel in %s is in %s', (acceptLanguage, language, shown) => {
    const body = renderBody({ settings: { language }, ...(acceptLanguage !== undefined && { acceptLanguage }) });
    expect(body).toContain(`<html lang="${shown}">`);
    expect(body).toContain(shown === 'ru' ? 'Скопировать ссылку' : 'Copy the link');
  });

  it('declines Russian', () => {
    const days = (count: number) =>
      renderBody({ acceptLanguage: 'ru', sub: { user: buildUser({ expiresAt: NOW + count * DAY }) } });
    expect(days(1)).toContain('Остался 1 день');
    expect(days(3)).toContain('Осталось 3 дня');
    expect(days(11)).toContain('Осталось 11 дней');
  });

  test.prop([hostileName, hostileName, hostileName])('contains texts as texts', (title, announcement, name) => {
    const marked = `<script>${title}</script><b class="x" onclick='y'>`;
    const settings = {
      subscriptionTitle: marked,
      announcement: `${announcement}<i>&amp;`,
      supportUrl: 'https://a.example/"><s>',
    };
    const { inbounds } = buildSubscription([sampleInbound({ name })]);
    const body = renderBody({ settings, sub: { inbounds } });
    expect(body.match(/<script/g)).toHaveLength(1);
    expect(body).not.toMatch(/<b |<i>|<s>|onclick='/);
  });
});

describe('WireGuard', () => {
  const shape = { protocol: 'wireguard', network: 'udp', addressPool: '10.64.0.0/24' } as const;
  const publicKey = 'jNXHt1yRo0vDuchQlIP6Z0ZvjT3KtzVI-T4E7RoLJS0';
  const both = [
    sampleInbound({ ...shape, publicKey, id: 4, name: 'DE <1>' }),
    sampleInbound(),
    sampleInbound({ ...shape, publicKey, id: 9, name: 'NL' }),
  ];
  const bodyWith = (changes: Partial<Subscription>) => renderBody({ sub: buildSubscription(both, changes) });

  it('has the file and the code of each connection', () => {
    const body = bodyWith({});
    const files = [...body.matchAll(/href="([^"]+)" download aria-label="([^"]+)"/g)].map(([, href, label]) => [
      href,
      label,
    ]);
    expect(files).toEqual([
      ['Zp3kVn0cQm6yT1uXw8RsLg?format=wireguard&amp;connection=4', 'Download the file of DE &lt;1&gt;'],
      ['Zp3kVn0cQm6yT1uXw8RsLg?format=wireguard&amp;connection=9', 'Download the file of NL'],
    ]);
    expect(body).toContain('aria-label="QR code of NL"');
    expect(renderBody({ sub: buildSubscription(both), acceptLanguage: 'ru' })).toContain('Скачать файл «NL»');
  });

  it('has those of each host', () => {
    const second = both.find(({ id }) => id === 9);
    const hosts = [sampleHost({ address: '203.0.113.7' }), sampleHost({ name: 'B', address: '203.0.113.8' })];
    const sub = buildSubscription([{ ...(second ?? sampleInbound()), hosts }]);
    const request = (connection: string) =>
      renderSubscription(sub, DEFAULTS, { format: 'wireguard', connection, now: NOW }).body;
    expect(request('9')).toContain('Endpoint = 203.0.113.7:');
    expect(request('9.2')).toContain('Endpoint = 203.0.113.8:');
    expect(renderBody({ sub })).toContain('connection=9.2" download aria-label="Download the file of B"');
  });

  it('is not on the page of a user without it, who may not connect, or beyond its pool', () => {
    expect(renderBody()).not.toContain('WireGuard');
    expect(bodyWith({ canConnect: false })).not.toContain('WireGuard');
    expect(bodyWith({ user: buildUser({ id: 500 }) })).not.toContain('WireGuard');
  });
});

describe('the servers one by one', () => {
  const hosts = [
    sampleHost({ name: 'CDN <1> | {{DAYS_LEFT}} d', address: 'cdn.example' }),
    sampleHost({ address: '203.0.113.7' }),
  ];
  const sub = buildSubscription([
    sampleInbound({ id: 4, hosts }),
    sampleInbound({ id: 9, name: 'NL', protocol: 'trojan', security: 'tls' }),
  ]);
  const links = renderSubscription(sub, DEFAULTS, { format: 'plain', now: NOW }).body.split('\n');

  it('are listed, each with the way to its code', () => {
    expect(renderBody({ sub })).toContain('href="Zp3kVn0cQm6yT1uXw8RsLg?format=html&amp;connection=list"');
    const list = renderBody({ sub, connection: 'list' });
    const found = [...list.matchAll(/href="([^"]+)" aria-label="QR code of ([^"]+)"/g)];
    expect(found.map(([, href, name]) => [href?.split('&amp;')[1], name])).toEqual([
      ['connection=4', 'CDN &lt;1&gt;'],
      ['connection=4.2', 'DE 1'],
      ['connection=9', 'NL'],
    ]);
    expect(renderBody({ sub, acceptLanguage: 'ru', connection: 'list' })).toContain('Серверы по отдельности');
  });

  it.each([
    ['4', 0],
    ['4.2', 1],
    ['9', 2],
  ])('have a page of their own: %s', (connection, index) => {
    const body = renderBody({ sub, connection });
    const [link = ''] = /(?<=<code id="link">)[^<]*/.exec(body) ?? [];
    expect(link.replaceAll('&amp;', '&').replaceAll('&#39;', "'")).toBe(links[index]);
    expect(body.match(/<svg class="qr"/g)).toHaveLength(1);
    expect(body).toContain('href="Zp3kVn0cQm6yT1uXw8RsLg?format=html&amp;connection=list"');
    expect(body).not.toContain('<progress');
  });

  it('have a code as long as the link fits into one', () => {
    const reality = {
      security: 'reality',
      sni: 'a.example',
      publicKey: 'k'.repeat(43),
      fingerprint: 'chrome',
    } as const;
    const renderLong = (change: Partial<InboundRow>) =>
      renderBody({ sub: buildSubscription([sampleInbound({ id: 4, ...reality, ...change })]), connection: '4' });
    const without = renderLong({ mldsa65Verify: 'v'.repeat(2603) });
    expect(without).toContain('too long for a code');
    expect(without).toContain('pqv=vvv');
    expect(without).not.toContain('<svg class="qr"');
    const [link = ''] = /(?<=<code id="link">)[^<]*/.exec(renderLong({ mldsa65Verify: '' })) ?? [];
    const room = 2331 - link.replaceAll('&amp;', '&').length;
    expect(renderLong({ mldsa65Verify: 'v'.repeat(room) })).toContain('<svg class="qr"');
    expect(renderLong({ mldsa65Verify: 'v'.repeat(room + 1) })).toContain('too long for a code');
  });

  it.each(['', '5', '4.3', 'x', '__proto__'])('lead to the whole page where there is none: %j', (connection) => {
    expect(renderBody({ sub, connection })).toBe(renderBody({ sub }));
  });

  it('are not on the page of a user who may not connect', () => {
    const stopped = { ...sub, canConnect: false };
    expect(renderBody({ sub: stopped })).not.toContain('connection=list');
    expect(renderBody({ sub: stopped, connection: 'list' })).toBe(renderBody({ sub: stopped }));
  });
});

describe('the applications', () => {
  it.each<[userAgent: string | undefined, system: string]>([
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15', 'ios'],
    ['Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 Chrome/148.0 Mobile Safari/537.36', 'android'],
    ['Mozilla/5.0 (Linux; Android 14; BRAVIA 4K UR3) AppleWebKit/537.36 Chrome/140.0 Safari/537.36', 'tv'],
    ['Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/148.0 Safari/537.36', 'windows'],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/19.0 Safari/605.1.15', 'macos'],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:152.0) Gecko/20100101 Firefox/152.0', 'linux'],
    [undefined, 'android'],
  ])('of %s', (userAgent, system) => {
    expect(detectSystem(userAgent)).toBe(system);
    const body = renderBody(userAgent === undefined ? {} : { userAgent });
    expect(body.match(/id="s-(\w+)" checked/)?.[1]).toBe(system);
  });

  it('are some for each system', () => {
    for (const system of SYSTEMS) {
      expect(DEFAULT_APPS.filter((app) => findStore(app, system) !== undefined).length, system).toBeGreaterThanOrEqual(
        4,
      );
    }
  });

  it.each<[name: string, link: string]>([
    ['Happ', `happ://add/${URL_OF_LINK}`],
    ['v2RayTun', `v2raytun://import/${URL_OF_LINK}`],
    ['INCY', `incy://import/${URL_OF_LINK}`],
    ['v2rayNG', `v2rayng://install-sub?url=${encodeURIComponent(URL_OF_LINK)}#My%20net`],
    ['Clash Mi', `clashmi://install-config?overwrite=no&name=My%20net&url=${encodeURIComponent(URL_OF_LINK)}`],
    ['Streisand', `streisand://import/${URL_OF_LINK}#My%20net`],
    ['Hiddify', `hiddify://import/${URL_OF_LINK}#My%20net`],
    ['Shadowrocket', `shadowrocket://add/sub://${Buffer.from(URL_OF_LINK).toString('base64url')}?remark=My%20net`],
    ['V2Box', `v2box://install-sub?url=${encodeURIComponent(URL_OF_LINK)}&name=My%20net`],
    ['FlClash', `flclash://install-config?url=${encodeURIComponent(URL_OF_LINK)}&name=My%20net`],
    ['Clash Verge Rev', `clash://install-config?url=${encodeURIComponent(URL_OF_LINK)}&name=My%20net`],
    ['Karing', `karing://install-config?url=${encodeURIComponent(URL_OF_LINK)}&name=My%20net`],
    ['sing-box', `sing-box://import-remote-profile?url=${encodeURIComponent(URL_OF_LINK)}#My%20net`],
  ])('%s gets the link with one tap', (name, link) => {
    const found = DEFAULT_APPS.find((app) => app.name === name);
    expect(found && buildAppLink(found, URL_OF_LINK, 'My net')).toBe(link);
    expect(renderBody({ settings: { subscriptionTitle: 'My net' } })).toContain(
      `href="${link.replaceAll('&', '&amp;')}"`,
    );
  });

  it('are such as the administrator could enter', () => {
    for (const app of DEFAULT_APPS) expect(offeredApp.safeParse(app).error?.issues).toBeUndefined();
    expect(JSON.stringify(DEFAULT_APPS)).not.toContain('sing-box-vt');
  });

  it('are those of the settings, with a format of their own', () => {
    const own = {
      ...DEFAULT_APPS[0],
      name: '<b>Own</b>',
      core: null,
      link: 'own://add?u={url_encoded}&n={name}',
      format: 'xray' as const,
      stores: [{ system: 'ios' as const, url: 'https://own.example/app' }],
    };
    const body = renderBody({ settings: { subscriptionApps: [own], subscriptionTitle: 'My net' } });
    const link = `own://add?u=${encodeURIComponent(`${URL_OF_LINK}?format=xray`)}&amp;n=My%20net`;
    expect(body).toContain('&lt;b&gt;Own&lt;/b&gt;');
    expect(body).toContain(`href="${link}"`);
    expect(body).toContain('href="https://own.example/app"');
    expect(body).not.toContain('happ://');
    expect(renderBody()).toContain('happ://');
  });

  it('get the link encrypted for Happ where theirs says so', () => {
    const app = { link: 'happ://crypt3/{url_happ}', format: null };
    expect(offeredApp.safeParse({ ...DEFAULT_APPS[0], ...app }).success).toBe(true);
    expect(buildAppLink(app, URL_OF_LINK, 'My net')).toBe(`happ://crypt3/${encryptForHapp(URL_OF_LINK)}`);
  });

  it.each([
    'javascript:alert("{url}")',
    'javascript://{url}',
    'https://example.com/{url}',
    'data://{url}',
    'own://no-place',
    'own://{url} x',
    '{url}',
  ])('cannot have the link %s', (link) => {
    expect(offeredApp.safeParse({ ...DEFAULT_APPS[0], link }).success).toBe(false);
  });

  test.prop([fc.webUrl({ withQueryParameters: true, withFragments: true }), hostileName])(
    'get an address that a browser takes, whatever link and title',
    (url, title) => {
      for (const app of DEFAULT_APPS) expect(buildAppLink(app, url, title)).toMatch(/^[a-z0-9-]+:\/\/[\x21-\x7e]+$/);
    },
  );
});
