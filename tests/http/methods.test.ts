// How requests are spoken: methods, media types, sizes and encodings.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixtures, fill } from '../support/fixtures.ts';
import type { Sent } from '../support/http-client.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';
import { exchangeRaw, requestText } from '../support/raw-socket.ts';

const MIB = 1_048_576;
const json = { 'content-type': 'application/json' };

let panel: TestPanel;
let fixtures: Fixtures;
beforeAll(async () => {
  panel = await startPanel();
  fixtures = await fill(panel);
});
afterAll(() => panel.stop());

const post = (body: string | Buffer, headers: Sent['headers'] = json, path = '/tariffs'): Sent => ({
  method: 'POST',
  path,
  headers,
  body,
});
const send = (request: Sent) => panel.full.send<{ id: number; name: string }>(request);

describe('methods', () => {
  it.each([
    ['/users', 'GET, HEAD, POST, OPTIONS'],
    ['/users/1', 'GET, HEAD, PATCH, DELETE, OPTIONS'],
    ['/users/1/extend', 'POST, OPTIONS'],
    ['/nodes', 'GET, HEAD, OPTIONS'],
    ['/metrics', 'GET, HEAD, OPTIONS'],
    ['/users/1/grants/1', 'GET, HEAD, DELETE, OPTIONS'],
  ])('OPTIONS %s tells %s, and nothing for other origins', async (path, allow) => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
    const answer = await panel.read.send({ method: 'OPTIONS', path, headers });
    expect({ status: answer.status, allow: answer.headers.allow, text: answer.text }).toEqual({
      status: 204,
      allow,
      text: '',
    });
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('HEAD refuses as GET does, without a body', async () => {
    for (const [path, status] of [
      ['/users/4711', 404],
      ['/users?limit=0', 422],
      ['/nothing', 404],
      ['/keys', 403],
    ] as const) {
      const answer = await panel.read.send({ method: 'HEAD', path });
      expect({ status: answer.status, text: answer.text }).toEqual({ status, text: '' });
      expect(answer.headers['content-type']).toBe('application/problem+json');
    }
    expect((await panel.read.as(null).send({ method: 'HEAD', path: '/users' })).headers['www-authenticate']).toBe(
      'Bearer',
    );
  });

  it('no header turns one method into another', async () => {
    const override = { 'x-http-method-override': 'DELETE', 'x-method-override': 'DELETE', 'x-http-method': 'DELETE' };
    const path = `/users/${fixtures.users.active.id}`;
    expect((await panel.full.send({ method: 'GET', path: `${path}`, headers: override })).status).toBe(200);
    expect((await panel.full.send({ method: 'POST', path, headers: override })).status).toBe(405);
    expect((await panel.full.call('getUser', { id: fixtures.users.active.id })).status).toBe(200);
  });

  it('a body of GET and DELETE is not looked at', async () => {
    const answer = await panel.read.send({ method: 'GET', path: '/settings', headers: json, body: '{broken' });
    expect(answer.status).toBe(200);
    expect((await panel.read.call('getSettings')).status, 'and the next request is understood').toBe(200);
  });
});

describe('Accept', () => {
  it.each([
    '*/*',
    'application/json',
    'application/*',
    'text/html, */*;q=0.1',
    'APPLICATION/JSON',
    'application/json;q=0.1',
    '',
  ])('%j gets JSON', async (accept) => {
    const answer = await panel.read.send({ method: 'GET', path: '/settings', headers: { accept } });
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json']);
  });

  it.each(['text/html', 'application/xml, text/*', 'application/json;q=0', '*/*;q=0'])(
    '%j gets 406',
    async (accept) => {
      const answer = await panel.read.send({ method: 'GET', path: '/settings', headers: { accept } });
      expect(answer.problem).toMatchObject({ status: 406, detail: 'not_acceptable' });
    },
  );

  it('nothing is asked of it where there is no body to send', async () => {
    const { id } = await panel.act('createTariff', { name: 'T' });
    expect((await panel.full.call('deleteTariff', { id }, { accept: 'text/html' })).status).toBe(204);
  });
});

describe('bodies', () => {
  it('of 1 MiB are taken, of a byte more are not', async () => {
    const frame = '{"name":""}';
    const fitting = `${' '.repeat(MIB - frame.length)}${frame}`;
    expect((await send(post(fitting))).problem.detail, 'read, and found wrong').toBe('validation');
    expect((await send(post(` ${fitting}`))).problem.detail).toBe('body_too_large');
  });

  it('announced as too large are refused before they come; chunked ones as soon as they are', async () => {
    const host = `Host: 127.0.0.1:${panel.port}`;
    const lines = [host, `Authorization: Bearer ${panel.keys.full}`, 'Content-Type: application/json'];
    const path = `POST /${panel.secretPath}/api/v1/tariffs HTTP/1.1`;
    const announced = await exchangeRaw(panel, requestText(path, [...lines, `Content-Length: ${MIB + 1}`]));
    expect(announced).toMatch(/^HTTP\/1\.1 413 .*"detail":"body_too_large"/s);
    expect(announced).not.toContain('100 Continue');
    const waiting = [...lines, `Content-Length: ${2 ** 40}`, 'Expect: 100-continue'];
    expect(await exchangeRaw(panel, requestText(path, waiting))).toMatch(/^HTTP\/1\.1 413 /);
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const chunked = await exchangeRaw(
      panel,
      requestText(path, [...lines, 'Transfer-Encoding: chunked'], chunk.repeat(17)),
    );
    expect(chunked).toMatch(/^HTTP\/1\.1 413 .*"detail":"body_too_large"/s);
  });

  it('may be waited for with Expect', async () => {
    const body = JSON.stringify({ name: 'expected' });
    const lines = [
      `Host: 127.0.0.1:${panel.port}`,
      `Authorization: Bearer ${panel.keys.full}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'Expect: 100-continue',
      'Connection: close',
    ];
    const reply = await exchangeRaw(
      panel,
      requestText(`POST /${panel.secretPath}/api/v1/tariffs HTTP/1.1`, lines, body),
    );
    expect(reply).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 Created\r\n/);
  });

  it.each([
    'application/json',
    'Application/JSON',
    'application/json;charset=utf-8',
    'application/json; charset="UTF-8"',
    'application/json; x=y',
  ])('of the type %j are read', async (type) => {
    expect((await send(post('{"name":"typed"}', { 'content-type': type }))).status).toBe(201);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/merge-patch+json',
    'json',
    'application/json; charset=utf-16',
    'application/json; charset=latin1',
    'application/jsonx',
    '*/*',
    '',
  ])('of the type %j are refused', async (type) => {
    expect((await send(post('{"name":"typed"}', { 'content-type': type }))).problem.detail).toBe(
      'unsupported_media_type',
    );
  });

  it('compressed are refused', async () => {
    const answer = await send(post('{}', { ...json, 'content-encoding': 'gzip' }));
    expect(answer.problem.detail).toBe('unsupported_media_type');
  });
});

describe('every reply', () => {
  it('names its request, is not cached and tells nothing of the server', async () => {
    const seen = new Set<unknown>();
    const requests: Sent[] = [
      ...['/settings', '/nothing', '/keys', '/users?limit=0', '/metrics', '/openapi.json'].map((path) => ({
        method: 'GET',
        path,
      })),
      post('{"name":"x"}'),
      { method: 'DELETE', path: '/users/4711' },
      { method: 'OPTIONS', path: '/users' },
    ];
    for (const request of requests) {
      const { headers } = await send({
        ...request,
        headers: { ...request.headers, 'x-request-id': 'mine', cookie: 'a=b' },
      });
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'x-request-id': expect.stringMatching(/^[0-9a-f]{32}$/),
      });
      for (const name of ['server', 'x-powered-by', 'set-cookie'])
        expect(headers, request.path).not.toHaveProperty(name);
      seen.add(headers['x-request-id']);
    }
    expect(seen.size).toBe(requests.length);
  });
});
