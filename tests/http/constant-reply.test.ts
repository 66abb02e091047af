// Without the secret path every request gets one reply, the same bytes.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestClock } from '../support/clock.ts';
import { fill } from '../support/fixtures.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';
import { exchangeRaw, type RawTarget, requestText } from '../support/raw-socket.ts';

const clock = createTestClock(Date.parse('2026-11-20T10:00:00Z'));
const CONSTANT =
  'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\nDate: Fri, 20 Nov 2026 10:00:00 GMT\r\n\r\n';
const METHODS = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'QUERY',
  'SEARCH',
  'PURGE',
];

describe.each([
  ['TLS', true],
  ['plain HTTP', false],
] as const)('over %s', (_name, tls) => {
  let panel: TestPanel;
  let target: RawTarget;
  let secret: string;
  let host: string;
  let token: string;

  beforeAll(async () => {
    panel = await startPanel({ clock, tls });
    const { users } = await fill(panel);
    token = panel.store.users.get(users.active.id)?.token ?? '';
    secret = panel.secretPath;
    host = `Host: 127.0.0.1:${panel.port}`;
    target = { host: panel.host, port: panel.port, ca: panel.ca };
  });
  afterAll(() => panel.stop());

  const exchangeLine = (line: string, headers: readonly string[] = [host], body = '') =>
    exchangeRaw(target, requestText(line, headers, body));
  const key = () => `Authorization: Bearer ${panel.keys.full}`;

  it('knows the true paths, or nothing of this would mean anything', async () => {
    const api = await exchangeLine(`GET /${secret}/api/v1/settings HTTP/1.1`, [host, key(), 'Connection: close']);
    expect(api).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    const link = await exchangeLine(`GET /sub/${token} HTTP/1.1`, [host, 'Connection: close']);
    expect(link).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });

  /** Unknown paths, near and far: S stands for the secret path, T for a link's token, A for a path of the API. */
  const strangers = () => {
    const [first = '', ...rest] = secret;
    const turned = [...secret].map((c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase())).join('');
    const near = [
      secret.slice(0, -1),
      `${secret}x`,
      secret.slice(1),
      (first === 'a' ? 'b' : 'a') + rest.join(''),
      turned,
      secret.toUpperCase(),
      secret.toLowerCase(),
      `%${first.charCodeAt(0).toString(16)}${rest.join('')}`,
    ].filter((text) => text !== secret);
    const far = `/ /* /favicon.ico /robots.txt /admin /login A /metrics /.env /sub /sub/ /% /%zz /%ff%fe /\u00ff /?/SA /x?S /#/SA
      /%2fSA /S%2fA /S%00A /S%20A //SA /./SA /x/../SA /..;/SA /S;xA /S;A /\\S\\A /S\\A http://127.0.0.1/SA https://127.0.0.1/SA
      //127.0.0.1/SA http://SA /sub/Tx /sub//T /sub/T/ /SUB/T /Sub/T /sub/%T /sub%2fT /sub/T/../T /sub/../sub/T /sub/;/T /sub/T;x
      /sub/..%2f..%2fx /sub/T%00 http://127.0.0.1/sub/T`;
    const meant = far
      .split(/\s+/)
      .map((path) => path.replaceAll('S', secret).replaceAll('T', token).replaceAll('A', '/api/v1/settings'));
    const keyed = [`/sub/${panel.keys.full}`, `/${panel.keys.full}`, `/${'a'.repeat(4000)}`];
    return [...near.map((text) => `/${text}/api/v1/settings`), ...meant, ...keyed, `/sub/${token.slice(1)}`];
  };

  it.each(METHODS)('%s: any path that is not the panel’s', async (method) => {
    for (const path of strangers()) expect(await exchangeLine(`${method} ${path} HTTP/1.1`), path).toBe(CONSTANT);
  });

  it('a key makes no difference, nor do headers and bodies', async () => {
    const variants: (readonly string[])[] = [
      [host, key()],
      [host, 'Content-Type: application/json', 'Content-Length: 2'],
      [host, 'Expect: 100-continue', 'Content-Length: 2'],
      [host, 'Expect: something'],
      [host, 'Transfer-Encoding: chunked'],
      [host, 'Connection: Upgrade', 'Upgrade: websocket'],
      [host, 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'],
      [host, 'Connection: keep-alive', 'Origin: https://evil.example'],
      [host, `X-Forwarded-Host: 127.0.0.1`, `X-Original-URL: /${secret}/api/v1/settings`, `X-Rewrite-URL: /${secret}/`],
      [host, 'Accept: application/json', 'If-None-Match: *', 'Range: bytes=0-0'],
    ];
    for (const headers of variants) {
      const body = headers.includes('Transfer-Encoding: chunked') ? '2\r\n{}\r\n0\r\n\r\n' : '{}';
      const hasBody = headers.some((header) => /^(Content-Length|Transfer-Encoding)/.test(header));
      for (const method of ['GET', 'POST']) {
        expect(await exchangeLine(`${method} /x HTTP/1.1`, headers, hasBody ? body : ''), headers.join(' | ')).toBe(
          CONSTANT,
        );
      }
    }
  });

  it('a foreign Host, on the true path and with a key', async () => {
    const foreign = `evil.example|127.0.0.1.evil.example|localhost.evil.example|| |127.0.0.1@evil.example|evil.example:443|a b|[::1
      |0x7f.1|1|localhost,evil.example|127.0.0.1/x|127.0.0.1:x|127.0.0.1\r\nHost: evil.example|127.0.0.1\r\nHost: 127.0.0.1`;
    const hosts = ['X: no host at all', ...foreign.split('|').map((name) => `Host: ${name.trim()}`)];
    for (const line of hosts) {
      for (const path of [`/${secret}/api/v1/settings`, `/${secret}/`, `/sub/${token}`, '/x']) {
        expect(await exchangeLine(`GET ${path} HTTP/1.1`, [line, key()]), `${line} ${path}`).toBe(CONSTANT);
      }
    }
  });

  it('a host of its own, in any case, and any address', async () => {
    const own = 'localhost LOCALHOST:1 panel.example Panel.Example:8443 127.0.0.1 [::1] 203.0.113.9 [2001:db8::1]:99';
    for (const name of own.split(' ')) {
      const reply = await exchangeLine(`GET /${secret}/api/v1/settings HTTP/1.1`, [
        `Host: ${name}`,
        key(),
        'Connection: close',
      ]);
      expect(reply.slice(0, 15), name).toBe('HTTP/1.1 200 OK');
    }
  });

  /** Lines that no parser takes: G stands for the beginning of a whole request up to its headers, P for its path. */
  const UNREADABLE = [
    '\r\n\r\nx',
    'x\r\n\r\n',
    'GET\r\n\r\n',
    'GET /\r\n\r\n',
    'GET P\r\n\r\n',
    'GET P HTTP/9.9\r\n\r\n',
    'GET evil HTTP/1.1\r\n\r\n',
    'FOO P HTTP/1.1\r\n\r\n',
    'get P HTTP/1.1\r\n\r\n',
    'GET  P HTTP/1.1\r\n\r\n',
    'GET P HTTP/1.1\n\u0000',
    'GET P HTTP/1.1\rX: y\r\r',
    'GBad Header: x\r\n\r\n',
    'G: x\r\n\r\n',
    'G folded\r\n\r\n',
    'GX: a\u0000b\r\n\r\n',
    'GX\r\n\r\n',
    'GContent-Length: x\r\n\r\n',
    'GContent-Length: -1\r\n\r\n',
    'GContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
    `G${'X: y\r\n'.repeat(3000)}\r\n`,
    'GContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    `GX: ${'a'.repeat(20_000)}\r\n\r\n`,
    '\u0016\u0003\u0001',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'SSH-2.0-x\r\n',
    'CONNECT evil.example:443 HTTP/1.1\r\n\r\n',
    'CONNECT P HTTP/1.1\r\n\r\n',
    `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n\r\n`,
  ];

  it.each(UNREADABLE.map((bytes) => [JSON.stringify(bytes.slice(0, 70)), bytes]))(
    'what no parser can read: %s',
    async (_, bytes) => {
      for (const path of ['/x', `/${secret}/api/v1/settings`, `/sub/${token}`]) {
        const sent = bytes.replace(/^G(?!ET)/, `GET ${path} HTTP/1.1\r\n${host}\r\n`).replace(/(?<= )P(?= |\r)/, path);
        expect(await exchangeRaw(target, Buffer.from(sent, 'latin1')), path).toBe(CONSTANT);
      }
    },
  );

  it('a body that breaks off or is no body, outside the panel', async () => {
    for (const rest of [
      'Transfer-Encoding: x\r\n\r\n',
      'Transfer-Encoding: chunked\r\n\r\nxyz\r\n',
      'Content-Length: 9\r\n\r\n{}',
    ]) {
      expect(await exchangeRaw(target, `POST /x HTTP/1.1\r\n${host}\r\n${rest}`), rest).toBe(CONSTANT);
    }
  });

  it.each(['OPTIONS *', 'HEAD *', 'TRACE /'])('%s, for the whole server', async (line) => {
    expect(await exchangeLine(`${line} HTTP/1.1`)).toBe(CONSTANT);
    expect(await exchangeLine(`${line} HTTP/1.0`)).toBe(CONSTANT);
  });

  it('the link answers GET and HEAD alone', async () => {
    for (const method of METHODS.filter((name) => name !== 'GET' && name !== 'HEAD')) {
      expect(await exchangeLine(`${method} /sub/${token} HTTP/1.1`), method).toBe(CONSTANT);
    }
  });

  it('below the secret path nothing is decoded or tidied on the way to a handler', async () => {
    const below = `/api/v1x /api/v1%2fsettings /API/v1/settings /api/V1/settings /api//v1/settings //api/v1/settings /../S/api/v1/settings
      /./api/v1/settings /api/v2/settings /api/v1;x/settings /%61pi/v1/settings /api/v1/../settings /api/v1/./settings /api/v1//settings
      /api/v1/settings/ /api/v1/settings;x /api/v1/%73ettings /api/v1/SETTINGS /api/v1/settings%00 /api/v1/users/..%2fsettings
      /api/v1/users/1/../../settings /api/v1\\settings /x/../api/v1/settings`;
    for (const path of below.split(/\s+/)) {
      const line = `GET /${secret}${path.replace('S', secret)} HTTP/1.1`;
      const reply = await exchangeLine(line, [host, key(), 'Connection: close']);
      expect(reply, path).toMatch(/^HTTP\/1\.1 404 Not Found\r\n.*"detail":"not_found"/s);
    }
  });
});
