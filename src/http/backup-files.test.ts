// Backup files over the panel door: who may download and upload them, and that they are streamed completely.
import http from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SECRET_PATH } from '../../tests/support/fake-core.ts';
import { openPanelDoor, SIGNED, type TestPanelDoor } from '../../tests/support/panel-door.ts';

const NAME = 'gatehouse-manual-2026-11-20T10-00-00Z.gatehouse-backup';
const TYPE = { 'content-type': 'application/octet-stream' };
const PATH = '/panel/backups';

let door: TestPanelDoor;

beforeEach(async () => {
  door = await openPanelDoor();
  door.stub.backups.set(NAME, Buffer.alloc(3_000_000, 'backup '));
});

afterEach(() => door.close());

/** A request whose body the test writes piece by piece. */
function send(headers: http.OutgoingHttpHeaders) {
  const request = http.request(`${door.origin}/${SECRET_PATH}${PATH}`, {
    method: 'POST',
    agent: false,
    headers: { 'sec-fetch-site': 'same-origin', ...SIGNED, ...TYPE, ...headers },
  });
  const answer = new Promise<{ status: number; body: string }>((resolve, reject) => {
    request.on('error', reject);
    request.on('response', async (response) => {
      const chunks = await response.toArray();
      resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() });
    });
  });
  return { request, answer };
}

describe('taking one', () => {
  it('sends the file whole, as a download, and says who took it', async () => {
    const answer = await door.sendSigned('GET', `${PATH}/${NAME}`);
    expect(answer.status).toBe(200);
    expect(door.stub.backups.get(NAME)?.equals(Buffer.from(answer.text))).toBe(true);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': '3000000',
      'content-disposition': `attachment; filename="${NAME}"`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
    });
    expect(door.stub.dispatched.at(-1)).toMatchObject({
      id: 'downloadBackup',
      input: NAME,
      call: { actor: { id: 1 } },
    });
  });

  it('sends it to a form of the panel’s page, which has its half of the session as a field', async () => {
    const { cookie, 'panel-session': half = '' } = SIGNED;
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const send = (body: string, headers: Readonly<Record<string, string | undefined>> = {}) =>
      door.send('POST', `${PATH}/${NAME}`, { ...form, cookie, ...headers }, body);
    const taken = await send(`session=${half}`);
    expect([taken.status, taken.headers['content-disposition']]).toEqual([200, `attachment; filename="${NAME}"`]);
    const refused = [
      await send(''),
      await send(`session=${'x'.repeat(43)}`),
      await send(`session=${half}`, { cookie: undefined }),
      await send(`${'a='.repeat(1000)}&session=${half}`),
      await send('', SIGNED),
      await send(`session=${half}`, { 'sec-fetch-site': 'same-site' }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 403]);
    expect(door.stub.dispatched).toHaveLength(1);
    const operation = await door.sendSigned('POST', '/panel/listKeys', form, `session=${half}`);
    expect(operation.status).toBe(415);
  });

  it('is for the administrator on the panel’s own pages', async () => {
    expect((await door.send('GET', `${PATH}/${NAME}`)).status).toBe(401);
    const foreign = await door.sendSigned('GET', `${PATH}/${NAME}`, { 'sec-fetch-site': 'cross-site' });
    expect([foreign.status, foreign.problem?.detail]).toEqual([403, 'foreign_origin']);
    expect(door.stub.dispatched).toEqual([]);
  });

  it('knows no other names and methods', async () => {
    for (const name of ['', 'none.gatehouse-backup', '..%2f..%2fpanel.db', `${NAME}/`, '../panel.db']) {
      const { status } = await door.sendSigned('GET', `${PATH}/${name}`);
      expect([name, status === 404 || status === 405]).toEqual([name, true]);
    }
    const put = await door.sendSigned('PUT', `${PATH}/${NAME}`, TYPE, 'x');
    expect([put.status, put.headers.allow]).toEqual([405, 'GET, POST']);
  });
});

describe('bringing one', () => {
  it('takes it in as a stream, larger than any other body may be', async () => {
    const { request, answer } = send({ 'transfer-encoding': 'chunked' });
    const piece = Buffer.alloc(500_000, 'x');
    for (let count = 0; count < 6; count += 1) request.write(piece);
    request.end();
    const { status, body } = await answer;
    expect([status, JSON.parse(body)]).toMatchObject([201, { kind: 'uploaded', size_bytes: 3_000_000 }]);
    expect(door.stub.backups.get('uploaded')?.length).toBe(3_000_000);
  });

  it('answers who waits for a go-ahead', async () => {
    const { request, answer } = send({ expect: '100-continue', 'content-length': 5 });
    request.on('continue', () => request.end('hello'));
    request.flushHeaders();
    expect((await answer).status).toBe(201);
    expect(door.stub.backups.get('uploaded')?.toString()).toBe('hello');
  });

  it('is for the administrator on the panel’s own pages, as bytes', async () => {
    expect((await door.send('POST', PATH, TYPE, 'x')).status).toBe(401);
    expect((await door.sendSigned('POST', PATH, { ...TYPE, 'sec-fetch-site': 'cross-site' }, 'x')).status).toBe(403);
    expect((await door.sendSigned('POST', PATH, { 'content-type': 'multipart/form-data' }, 'x')).status).toBe(415);
    expect((await door.sendSigned('POST', PATH, { ...TYPE, 'content-encoding': 'gzip' }, 'x')).status).toBe(415);
    expect((await door.sendSigned('POST', `${PATH}/name`, TYPE, 'x')).status).toBe(404);
    expect(door.stub.dispatched).toEqual([]);
  });

  it('takes nothing of what breaks off, and logs no defect', async () => {
    const { request, answer } = send({ 'content-length': 1_000_000 });
    request.write(Buffer.alloc(1000));
    const arrived = new Promise((resolve) => request.on('socket', (socket) => socket.on('connect', resolve)));
    await arrived;
    request.destroy();
    await expect(answer).rejects.toThrow();
    expect((await door.sendSigned('GET', `${PATH}/${NAME}`)).status).toBe(200);
    expect(door.stub.backups.has('uploaded')).toBe(false);
    expect(door.log.lines.filter((line) => JSON.stringify(line).includes('request_failed'))).toEqual([]);
  });
});
