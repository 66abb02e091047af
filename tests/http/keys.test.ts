// Keys as they live: refused from the very next request of an open connection, expired in their second, used without being slowed.
import { readFileSync } from 'node:fs';
import type { OutgoingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestClock, createTestTimers } from '../support/clock.ts';
import { createClient } from '../support/http-client.ts';
import { PASSWORD, startPanel, type TestPanel } from '../support/panel.ts';

const DAY = 86_400_000;
const clock = createTestClock(Date.parse('2026-11-20T10:00:00Z'));
const timers = createTestTimers();

let panel: TestPanel;
beforeAll(async () => {
  panel = await startPanel({ clock, timers });
});
afterAll(() => panel.stop());

const get = (value: string, more: readonly string[] = []) =>
  [
    `GET /${panel.secretPath}/api/v1/settings HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: Bearer ${value}`,
    ...more,
    '',
    '',
  ].join('\r\n');

/** An open connection: each call sends a request and resolves to the status line and headers of its reply. */
function openConnection(port: number) {
  const socket = connect(port, '127.0.0.1');
  socket.setEncoding('latin1');
  let received = '';
  let wake = () => {};
  socket.on('data', (text: string) => {
    received += text;
    wake();
  });
  return {
    socket,
    async ask(text: string): Promise<string> {
      socket.write(text);
      for (;;) {
        const end = received.indexOf('\r\n\r\n');
        const length = Number(/Content-Length: (\d+)/.exec(received)?.[1] ?? 0);
        if (end >= 0 && received.length >= end + 4 + length) {
          const head = received.slice(0, end);
          received = received.slice(end + 4 + length);
          return head;
        }
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        await promise;
      }
    },
  };
}

describe('a key', () => {
  it('revoked is refused on the very next request of an open connection', async () => {
    const { key, value } = await panel.makeKey('full');
    const { socket, ask } = openConnection(panel.port);
    for (let count = 0; count < 3; count++) expect(await ask(get(value))).toContain('HTTP/1.1 200 OK');
    await panel.act('revokeKey', { id: key.id });
    expect(await ask(get(value))).toContain('HTTP/1.1 401 Unauthorized');
    expect(await ask(get(panel.keys.read)), 'the connection itself stays').toContain('HTTP/1.1 200 OK');
    socket.destroy();
  });

  it('revoked is refused on every connection that is kept', async () => {
    const { key, value } = await panel.makeKey('full');
    const client = createClient({ baseUrl: panel.baseUrl, key: value });
    const all = () => Promise.all(Array.from({ length: 8 }, () => client.call('getSettings')));
    expect((await all()).map(({ status }) => status)).toEqual(Array(8).fill(200));
    await panel.act('revokeKey', { id: key.id });
    expect((await all()).map(({ status }) => status)).toEqual(Array(8).fill(401));
    client.close();
  });

  it.each([30, 90, 365] as const)('expires after %d days, in that very millisecond', async (days) => {
    const made = clock.now();
    const { key, value } = await panel.makeKey('read', days);
    expect(key.expires_at).toBe(new Date(made + days * DAY).toISOString());
    const client = panel.full.as(value);
    clock.set(made + days * DAY - 1);
    expect((await client.call('getSettings')).status).toBe(200);
    clock.advance(1);
    expect((await client.call('getSettings')).problem).toMatchObject({ status: 401, detail: 'unauthorized' });
    clock.set(made);
  });

  it('is all revoked by a reset of the password, on open connections too', async () => {
    await using other = await startPanel({ clock });
    const { socket, ask } = openConnection(other.port);
    const request = get(other.keys.full).replace(panel.secretPath, other.secretPath);
    expect(await ask(request)).toContain('200 OK');
    const session = await other.signIn();
    expect(other.core.authenticateSession(session)).not.toBeNull();
    expect(await other.core.local.resetPassword('violet otter under bridges')).toMatchObject({ keys: 2, sessions: 1 });
    expect(await ask(request)).toContain('401 Unauthorized');
    expect(other.core.authenticateSession(session)).toBeNull();
    socket.destroy();
  });

  it('is noted as used, at most once a minute, off the request', async () => {
    const { key, value } = await panel.makeKey('read');
    const used = async () => (await panel.act('listKeys', {})).items.find(({ id }) => id === key.id)?.last_used_at;
    const client = panel.full.as(value);
    expect(await used()).toBeNull();
    const first = clock.now();
    await client.call('getSettings');
    expect(await used(), 'not by the request itself').toBeNull();
    const flush = async () => {
      timers.tick();
      await panel.act('createTariff', { name: 'after the flush' });
    };
    await flush();
    expect(await used()).toBe(new Date(first).toISOString());
    clock.advance(30_000);
    await client.call('getSettings');
    await flush();
    expect(await used()).toBe(new Date(first).toISOString());
    clock.advance(30_000);
    await client.call('getSettings');
    await flush();
    expect(await used()).toBe(new Date(first + 60_000).toISOString());
  });

  it('stands nowhere in clear: not in the database, the log, the audit log or the list', async () => {
    const { value } = await panel.makeKey('full');
    await panel.full.as(value).call('createTariff', { name: 'by the key' });
    await panel.full.as(value).send({ method: 'GET', path: `/users?q=${value}` });
    const told = JSON.stringify([await panel.act('listKeys', {}), await panel.act('listAudit', {}), panel.log.lines]);
    expect(told).not.toContain(value);
    expect(told).not.toContain(PASSWORD);
    for (const file of [panel.database, `${panel.database}-wal`]) {
      const bytes = readFileSync(file);
      expect(bytes.includes(value), file).toBe(false);
      expect(bytes.includes(PASSWORD), file).toBe(false);
      // Eight characters are kept to tell keys apart.
      expect(bytes.includes(value.slice(0, 9)), file).toBe(false);
    }
  });

  it.each(['bearer', 'BEARER', 'Bearer  '])('is taken after the scheme written as %j', async (scheme) => {
    const headers = { authorization: `${scheme} ${panel.keys.read}` };
    expect((await panel.full.send({ method: 'GET', path: '/settings', headers })).status).toBe(200);
  });

  it('is not taken from two headers, nor with anything behind it', async () => {
    const { full, read } = panel.keys;
    for (const authorization of [
      [`Bearer ${read}`, `Bearer ${full}`],
      `Bearer ${read} ${full}`,
      `Bearer ${read},`,
      read,
      `Token ${read}`,
    ]) {
      const answer = await panel.full.send({
        method: 'GET',
        path: '/settings',
        headers: { authorization } as OutgoingHttpHeaders,
      });
      expect(answer.status, String(authorization).slice(0, 12)).toBe(401);
    }
  });
});
