// Requests without the secret path always get the same bytes; and what the secret path opens.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDoor, type TestDoor } from '../../tests/support/door.ts';
import { FULL_KEY, SECRET_PATH, SETTINGS } from '../../tests/support/fake-core.ts';
import { exchangeRaw, readReply } from '../../tests/support/raw-http.ts';
import { beginsWithSegment, isHostAllowed } from './guards.ts';

const CONSTANT =
  'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\nDate: Fri, 20 Nov 2026 10:00:00 GMT\r\n\r\n';
const USERS = `/${SECRET_PATH}/api/v1/users/7`;

let door: TestDoor;
beforeEach(async () => {
  door = await openDoor();
});
afterEach(() => door.close());

const send = (...parts: string[]) => exchangeRaw(door.port, ...parts);
const get = (target: string, headers = 'Host: localhost') =>
  `GET ${target} HTTP/1.1\r\n${headers}\r\nAuthorization: Bearer ${FULL_KEY}\r\nConnection: close\r\n\r\n`;

describe('the constant reply', () => {
  const secret = SECRET_PATH;
  it.each([
    '/',
    '/sub',
    '/sub/',
    '/sub/short',
    '/sub/AAAAAAAAAAAAAAAAAAAAAA',
    '/sub/AAAAAAAAAAAAAAAAAAAAAA/',
    '/favicon.ico',
    `/${secret.toUpperCase()}/api/v1/users`,
    `/${secret.slice(0, -1)}/api/v1/users`,
    `/${secret}x/api/v1/users`,
    `//${secret}/api/v1/users`,
    `/./${secret}/api/v1/users`,
    `/x/../${secret}/api/v1/users`,
    `/%6b${secret.slice(1)}/`,
    `/${secret}%2fapi/v1/users`,
    `/${secret};/api/v1/users`,
    `/sub/..%2f${secret}/api/v1/users`,
    `/?/${secret}/`,
    `http://localhost${USERS}`,
    `https://localhost:8443${USERS}`,
    '*',
    '/'.repeat(4000),
    `/${'a'.repeat(10_000)}`,
    `/${secret}`,
    `/${secret}/`,
    `/${secret}/api`,
    `/${secret}/api/v2/users`,
    `/${secret}/api/v1x`,
    `/${secret}/panel/signIn`,
  ])('answers GET %s', async (target) => {
    expect(await send(get(target))).toBe(CONSTANT);
  });

  it.each(['HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'])(
    'answers %s outside the secret path',
    async (method) => {
      expect(await send(`${method} /api/v1/users HTTP/1.1\r\nHost: localhost\r\n\r\n`)).toBe(CONSTANT);
    },
  );

  it.each([
    ['a foreign Host', get(USERS, 'Host: evil.example')],
    ['no Host', get(USERS, 'X-Nothing: 1')],
    ['two Hosts', get(USERS, 'Host: localhost\r\nHost: localhost')],
    ['an unknown method', `FETCH ${USERS} HTTP/1.1\r\nHost: localhost\r\n\r\n`],
    ['what is no HTTP', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'],
    ['HTTP/2 in clear', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['HTTP/0.9', `GET ${USERS}\r\n\r\n`],
    ['a malformed header', get(USERS, 'Host: localhost\r\nbroken header')],
    ['too large headers', get(USERS, `Host: localhost\r\nX-Large: ${'a'.repeat(17_000)}`)],
    ['a too long path', get(`/${'a'.repeat(17_000)}`)],
    ['two lengths', `POST ${USERS} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n`],
    [
      'length and coding at once',
      `POST ${USERS} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['CONNECT', 'CONNECT localhost:443 HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['an upgrade', get(USERS, 'Host: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket')],
    ['100-continue', 'POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n'],
    ['another expectation', 'POST / HTTP/1.1\r\nHost: localhost\r\nExpect: tea\r\nContent-Length: 9\r\n\r\n'],
    ['a body', `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 200000\r\n\r\n${'a'.repeat(200_000)}`],
    ['an Origin', get('/', 'Host: localhost\r\nOrigin: https://evil.example')],
    [
      'a preflight',
      'OPTIONS / HTTP/1.1\r\nHost: localhost\r\nOrigin: https://a.example\r\nAccess-Control-Request-Method: GET\r\n\r\n',
    ],
    ['HTTP/1.0', 'GET / HTTP/1.0\r\nHost: localhost\r\n\r\n'],
  ])('answers %s', async (_what, request) => {
    expect(await send(request)).toBe(CONSTANT);
  });

  it('never reached the core', async () => {
    await send(get(USERS, 'Host: evil.example'));
    expect(door.core.asked).toEqual([]);
  });
});

describe('behind the secret path', () => {
  it('answers by the API, under every name of the machine', async () => {
    for (const host of ['localhost', '127.0.0.1:8443', '[::1]', 'panel.example']) {
      expect(readReply(await send(get(USERS, `Host: ${host}`))).status).toBe(200);
    }
  });

  it('follows a new secret path from the next request on', async () => {
    door.core.values = { ...SETTINGS, secretPath: 'anotherSecretPathOfTheSameKind' };
    expect(await send(get(USERS))).toBe(CONSTANT);
    expect(readReply(await send(get('/anotherSecretPathOfTheSameKind/api/v1/users/7'))).status).toBe(200);
  });

  it('sends no CORS header to any origin', async () => {
    const { status, headers } = readReply(await send(get(USERS, 'Host: localhost\r\nOrigin: https://evil.example')));
    expect(status).toBe(200);
    expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('hands everything but the API to the panel door and its pages', async () => {
    const own = await openDoor({ panel: { pages: null } });
    const at = async (path: string) => readReply(await exchangeRaw(own.port, get(`/${SECRET_PATH}${path}`)));
    for (const path of ['', '?x=1']) {
      const { status, headers } = await at(path);
      expect([status, headers.get('location')]).toEqual([308, `/${SECRET_PATH}/`]);
    }
    expect((await at('/')).body).toContain('npm run build:pages');
    expect((await at('/panel/signIn?x=1')).status).toBe(405);
    for (const path of ['/api/v2', '/missing', '/setup/', '/link/abc', '/secret/']) {
      expect((await at(path)).body).toContain('"not_found"');
    }
    await own.close();
  });

  it('has the constant reply below the secret path where no panel door is on a socket', async () => {
    for (const path of ['', '/', '/panel/panelState', '/api/v2']) {
      expect(await send(get(`/${SECRET_PATH}${path}`))).toBe(CONSTANT);
    }
  });

  it('answers an unexpected failure of a handler with the constant reply, and logs it', async () => {
    const broken = () => {
      throw new Error('broken');
    };
    const pages = { index: broken, has: broken, read: broken, files: broken };
    const own = await openDoor({ panel: { pages } });
    expect(await exchangeRaw(own.port, get(`/${SECRET_PATH}/throw`))).toBe(CONSTANT);
    expect(own.log.lines.map(({ event }) => event)).toEqual(['http_failed']);
    await own.close();
  });
});

describe('a listener for links', () => {
  it('knows nothing else', async () => {
    const own = await openDoor({ linksOnly: true });
    expect(await exchangeRaw(own.port, get(USERS))).toBe(CONSTANT);
    expect(own.core.asked).toEqual([]);
    await own.close();
  });
});

describe('beginsWithSegment', () => {
  it('compares whole segments', () => {
    expect(beginsWithSegment('/abc', 'abc')).toBe(true);
    expect(beginsWithSegment('/abc/', 'abc')).toBe(true);
    expect(beginsWithSegment('/abc?x', 'abc')).toBe(true);
    for (const url of ['/abcd', '/ab', '/ab\u0163', 'abc/', '', '/', '/abc%2f', '/abc;', '/abc#']) {
      expect(beginsWithSegment(url, 'abc')).toBe(false);
    }
    expect(beginsWithSegment('/', '')).toBe(false);
    expect(beginsWithSegment('//x', '')).toBe(false);
  });
});

const names = new Set(['panel.example', 'box.local', '*.wild.example']);

describe('isHostAllowed', () => {
  it.each([
    'localhost',
    'LOCALHOST:8443',
    '127.0.0.1',
    '192.0.2.1:8443',
    '[::1]',
    '[2001:db8::1]:8443',
    'panel.example',
    'Panel.Example:443',
    'box.local',
    'a.wild.example',
    'B.Wild.example:8443',
  ])('accepts %s', (host) => {
    expect(isHostAllowed(host, names)).toBe(true);
  });

  it.each([
    '',
    'evil.example',
    'panel.example.evil.example',
    'panel.example.',
    'a.panel.example',
    'wild.example',
    '.wild.example',
    'a.b.wild.example',
    'localhost.',
    'localhost:',
    'localhost:x',
    'user@localhost',
    'localhost/',
    '::1',
    '[::1',
    '[localhost]',
    '127.1',
    '0x7f.0.0.1',
    'localhost:8443:1',
    ' ',
  ])('refuses %j', (host) => {
    expect(isHostAllowed(host, names)).toBe(false);
  });
});
