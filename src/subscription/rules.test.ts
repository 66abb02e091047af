// Replies to apps: known apps without rules, and all apps with rules and headers for single apps.
import { describe, expect, it } from 'vitest';
import { SETTINGS as DEFAULTS } from '../../tests/support/fake-core.ts';
import { PLAIN_RULE } from '../../tests/support/plain-rule.ts';
import { buildSubscription, readLink, sampleInbound } from '../../tests/support/subscription-samples.ts';
import { DEFAULT_SUBSCRIPTION_HEADERS, subscriptionHeaders } from '../contract/subscription/headers.ts';
import { type SubscriptionRule, subscriptionRule } from '../contract/subscription/rules.ts';
import { KNOWN_APPS } from '../domain/subscription/known-apps.ts';
import { renderSubscription } from './render.ts';

const NOW = Date.UTC(2026, 10, 20, 10);
const SUB = buildSubscription([
  sampleInbound({ security: 'tls' }),
  sampleInbound({ id: 2, name: 'NL', security: 'tls' }),
]);
const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36';

interface Asked {
  readonly rules?: readonly Partial<SubscriptionRule>[];
  readonly headers?: Partial<typeof DEFAULT_SUBSCRIPTION_HEADERS>;
  readonly texts?: { readonly subscriptionTitle: string; readonly announcement: string };
  readonly format?: string;
  readonly accept?: string;
  readonly sent?: Readonly<Record<string, string>>;
}

function render(userAgent: string | undefined, { rules = [], headers = {}, texts, sent, ...request }: Asked = {}) {
  const settings = {
    ...DEFAULTS,
    announcement: 'Hello',
    ...texts,
    subscriptionRules: rules.map((rule, index) => ({ ...PLAIN_RULE, ...rule, id: index + 1 })),
    subscriptionHeaders: { ...DEFAULT_SUBSCRIPTION_HEADERS, ...headers },
  };
  return renderSubscription(SUB, settings, { now: NOW, userAgent, allHeaders: sent, ...request });
}

const decode = (header = '') => Buffer.from(header.replace('base64:', ''), 'base64').toString();

describe('an app without rules', () => {
  it.each(KNOWN_APPS)('$name gets $format', ({ userAgent, format }) => {
    const { choice, status } = render(userAgent, { accept: '*/*' });
    expect([status, choice.format, choice.rule]).toEqual([200, format, null]);
  });

  it('is known by its repository', () => {
    expect(KNOWN_APPS.length).toBeGreaterThanOrEqual(50);
    for (const { source } of KNOWN_APPS) expect(source).toMatch(/^[\w.-]+\/[\w.-]+$/);
    expect(new Set(KNOWN_APPS.map(({ userAgent }) => userAgent)).size).toBe(KNOWN_APPS.length);
  });
});

describe('a rule', () => {
  it('chooses the format, unless the link does', () => {
    const rules = [{ apps: ['Happ/*'], format: 'xray' as const }];
    expect(render('Happ/3', { rules }).choice).toMatchObject({ format: 'xray', reason: 'rule', rule: { id: 1 } });
    expect(render('Happ/3', { rules }).headers['content-type']).toContain('json');
    expect(render('Happ/3', { rules, format: 'plain' }).choice).toMatchObject({ format: 'plain', reason: 'link' });
    expect(render('SFA/1.14.1', { rules }).choice).toMatchObject({ format: 'sing-box', reason: 'app', rule: null });
  });

  it('goes before Accept, and never gives a sing-box below 1.12 what it refuses', () => {
    const rules = [{ format: 'sing-box' }] as const;
    expect(render('curl/8', { rules, accept: 'text/plain' }).choice).toMatchObject({ format: 'sing-box' });
    expect(render('SFI/1.11.4', { rules }).choice).toMatchObject({
      format: 'links',
      reason: 'old_core',
      rule: { id: 1 },
    });
  });

  it('refuses an app as if there were no link', () => {
    const refused = render('curl/8', { rules: [{ apps: ['curl/*'], action: 'refuse' }] });
    expect(refused).toMatchObject({ isRefused: true, status: 404, headers: {}, body: '' });
    expect(render('Happ/3', { rules: [{ apps: ['curl/*'], action: 'refuse' }] }).isRefused).toBeUndefined();
  });

  it('explains in place of connections, in each format', () => {
    const rules = [{ action: 'explain', text: 'Установите Happ' }] as const;
    const { body, headers } = render('v2rayN/7', { rules, format: 'plain' });
    expect(readLink(body)).toMatchObject({ name: 'Установите Happ', host: '127.0.0.1', port: 1 });
    expect(headers['last-modified']).toBeUndefined();
    for (const format of ['mihomo', 'clash', 'sing-box', 'xray']) {
      const document = render('x', { rules, format }).body;
      expect(document).toContain('Установите Happ');
      expect(document).not.toContain(SUB.credentials.uuid);
    }
  });

  it('is for apps: a browser gets the page', () => {
    const rules = [{ action: 'refuse' }] as const;
    expect(render(CHROME, { rules, accept: 'text/html,*/*;q=0.8' }).choice).toMatchObject({
      format: 'html',
      rule: null,
    });
    expect(render(CHROME, { rules, accept: '*/*' }).isRefused).toBe(true);
  });

  it('replaces, adds and removes headers', () => {
    const rules = [
      {
        headers: [
          { name: 'announce', value: 'Привет' },
          { name: 'profile-title', value: 'Plain' },
          { name: 'x-own', value: 'a b' },
          { name: 'profile-web-page-url', value: '' },
          // Not to be sent in a header, and not read as base64.
          { name: 'x-other', value: 'Привет' },
        ],
      },
    ];
    const { headers } = render('Happ/3', { rules });
    expect(headers).toMatchObject({
      announce: `base64:${Buffer.from('Привет').toString('base64')}`,
      'profile-title': 'Plain',
      'x-own': 'a b',
    });
    expect(headers).not.toHaveProperty('profile-web-page-url');
    expect(headers).not.toHaveProperty('x-other');
  });

  it('fills in variables, as the title and the announcement do', () => {
    const rules = [{ headers: [{ name: 'x-user', value: '{{ID}} | {DAYS_LEFT}' }] }];
    const texts = { subscriptionTitle: 'VPN {{ID}}', announcement: '{{USERNAME}}: {{STATUS}}' };
    const { headers, body } = render('Happ/3', { rules, texts, format: 'xray' });
    expect(headers['x-user']).toBe('7');
    expect(decode(headers['profile-title'])).toBe('VPN 7');
    expect(decode(headers.announce)).toBe('Anna: ACTIVE');
    expect(headers['content-disposition']).toContain('VPN-7');
    expect(headers['last-modified']).toBeUndefined();
    expect(JSON.parse(body)).toMatchObject({ remarks: 'VPN 7' });
    const explained = render('x', { rules: [{ action: 'explain', text: 'Ask for {{ID}}' }], format: 'plain' });
    expect(readLink(explained.body).name).toBe('Ask for 7');
  });

  it.each<[string, Partial<SubscriptionRule>]>([
    ['a header of the connection', { headers: [{ name: 'transfer-encoding', value: 'x' }] }],
    ['a cookie', { headers: [{ name: 'set-cookie', value: 'x' }] }],
    [
      'a header twice',
      {
        headers: [
          { name: 'x-a', value: '1' },
          { name: 'x-a', value: '2' },
        ],
      },
    ],
    ['a name that is none', { headers: [{ name: 'x a', value: '1' }] }],
    ['a value over two lines', { headers: [{ name: 'x-a', value: '1\r\nx-b: 2' }] }],
    ['a message without a text', { action: 'explain', text: ' ' }],
    ['an empty pattern', { apps: [''] }],
    ['a long pattern', { apps: ['x'.repeat(101)] }],
    ['many patterns', { apps: Array.from({ length: 31 }, () => 'x') }],
  ])('with %s is refused', (_, changes) => {
    expect(subscriptionRule.safeParse(PLAIN_RULE).success).toBe(true);
    expect(subscriptionRule.safeParse({ ...PLAIN_RULE, ...changes }).success).toBe(false);
  });
});

describe('headers for single apps', () => {
  const headers = {
    happ_routing: 'happ://routing/onadd/e30=',
    v2raytun_routing: 'e30=',
    incy_routing: 'incy://routing/onadd/e30=',
    announce_url: 'https://example.com/news',
    update_always: true,
    web_page_url: 'https://example.com/me',
    happ_hide_settings: true,
  } as const;
  const named = (userAgent: string, more: Asked['headers'] = {}) =>
    render(userAgent, { headers: { ...headers, ...more } }).headers;

  it.each([
    ['Happ/3.21.1', headers.happ_routing, undefined],
    ['v2raytun/ios', headers.v2raytun_routing, headers.announce_url],
    ['INCY/2.6.1', headers.incy_routing, undefined],
    ['koala-clash/v1', undefined, headers.announce_url],
    ['Streisand/1.6', undefined, undefined],
    ['Happy/1', undefined, undefined],
  ])('%s gets its own', (userAgent, routing, announceUrl) => {
    const found = named(userAgent);
    expect([found.routing, found['announce-url']]).toEqual([routing, announceUrl]);
    expect(found['profile-web-page-url']).toBe(headers.web_page_url);
  });

  it('send nothing that needs a Provider ID without one', () => {
    expect(
      Object.keys(named('Happ/3')).filter((name) => /^(provider|hide|frag|noises|subscription-always)/.test(name)),
    ).toEqual([]);
  });

  it('turn off what Happ would remember', () => {
    const found = named('Happ/3', { happ_provider_id: 'abcd1234', happ_hide_settings: false });
    expect(found).toMatchObject({
      providerid: 'abcd1234',
      'hide-settings': '0',
      'subscription-always-hwid-enable': '0',
      'notification-subs-expire': '0',
      'fragmentation-enable': '0',
      'noises-enable': '0',
    });
    expect(found).not.toHaveProperty('fragmentation-packets');
    const on = named('Happ/3', {
      happ_provider_id: 'abcd1234',
      happ_fragment: { packets: 'tlshello', length: '50-100', interval: '5' },
      happ_noise: { kind: 'rand', packet: '10-20', delay: '10-16', apply_to: 'ipv4' },
    });
    expect(on).toMatchObject({
      'hide-settings': '1',
      'fragmentation-enable': '1',
      'fragmentation-packets': 'tlshello',
      'fragmentation-length': '50-100',
      'fragmentation-interval': '5',
      'noises-enable': '1',
      'noises-type': 'rand',
      'noises-packet': '10-20',
      'noises-delay': '10-16',
      'noises-applyto': 'ipv4',
    });
  });

  it.each([
    ['a routing of another app', { happ_routing: 'incy://routing/add/e30=' }],
    ['a routing over two lines', { happ_routing: 'happ://routing/off\r\nx: y' }],
    ['a page that is none', { web_page_url: 'javascript:alert(1)' }],
    ['a Provider ID with other characters', { happ_provider_id: 'ab cd' }],
    ['a length that is no range', { happ_fragment: { packets: 'tlshello', length: 'x', interval: '5' } }],
  ])('with %s are refused', (_, changes) => {
    expect(subscriptionHeaders.safeParse({ ...DEFAULT_SUBSCRIPTION_HEADERS, ...changes }).success).toBe(false);
  });
});
