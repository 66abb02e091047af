// Large bodies: a caller without a session cannot send them, and many that never end do not keep a client's out.
import tls from 'node:tls';
import { expect, test } from 'vitest';
import { PASSWORD } from '../support/cli.ts';
import { createClient } from '../support/http-client.ts';
import { exchangeRaw, requestText } from '../support/raw-socket.ts';
import { type Attacked, openAttacked } from './attacked.ts';

const MIB = 1_048_576;
const HALF_SENT = 45;

function getTarget({ panel, ca }: Attacked) {
  const { hostname, port, pathname } = new URL(panel.panelUrl);
  return { host: hostname, port: Number(port), ca, pathname };
}

test('a caller without a session has 8 KiB, and only so many calls from his network', async () => {
  await using attacked = await openAttacked();
  const { host, port, ca, pathname } = getTarget(attacked);
  const send = (body: string, address: string) =>
    exchangeRaw(
      { host, port, ca },
      requestText(
        `POST ${pathname}panel/signIn HTTP/1.1`,
        [
          `Host: ${host}:${port}`,
          'Content-Type: application/json',
          'Sec-Fetch-Site: same-origin',
          `X-Forwarded-For: ${address}`,
          `Content-Length: ${body.length}`,
          'Connection: close',
        ],
        body,
      ),
    );
  expect(await send('['.repeat(MIB), '198.51.100.1')).toMatch(/^HTTP\/1\.1 413 /);
  expect(await send('['.repeat(8193), '198.51.100.1')).toMatch(/^HTTP\/1\.1 413 /);
  expect(await send('['.repeat(8192), '198.51.100.1')).toMatch(/^HTTP\/1\.1 400 .*"depth"/s);

  const flood = attacked.browserAt('198.51.100.2');
  const statuses = new Set<number>();
  while (!statuses.has(429)) {
    const replies = await Promise.all(Array.from({ length: 150 }, () => flood.call('panelState', {})));
    for (const { status } of replies) statuses.add(status);
  }
  expect(statuses).toEqual(new Set([200, 429]));
  expect((await attacked.browserAt('198.51.100.3').call('panelState', {})).status).toBe(200);
});

test('bodies that never end are given up for those that do', async () => {
  await using attacked = await openAttacked();
  const { cli, panel, ca } = attacked;
  const made = await cli.run(['key', 'add', '--name', 'bot', '--access', 'full'], PASSWORD);
  expect(made).toMatchObject({ code: 0 });
  const key = made.stdout.trim();
  const { host, port } = getTarget(attacked);
  const path = new URL(panel.baseUrl).pathname;
  const head = requestText(`POST ${path}/users HTTP/1.1`, [
    `Host: ${host}:${port}`,
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${MIB}`,
  ]);
  const replies: string[] = [];
  const sockets: tls.TLSSocket[] = [];
  while (sockets.length < HALF_SENT) {
    const socket = tls.connect({ host, port, ca });
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.once('data', (reply) => replies.push(String(reply).slice(0, 12)));
    // One after the other: what is given up while it is still being sent is reset after a second, and its reply may be lost.
    await new Promise((resolve) => socket.write(head + 'x'.repeat(MIB - 1), resolve));
  }
  // 32 MiB hold at most 31 of them, with what chunks cost.
  await expect.poll(() => replies.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(HALF_SENT - 31);
  expect(new Set(replies)).toEqual(new Set(['HTTP/1.1 503']));
  const client = createClient({ baseUrl: panel.baseUrl, key, ca });
  const reply = await client.send({
    method: 'POST',
    path: '/users',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'x'.repeat(MIB - 100) }),
  });
  expect([reply.status, reply.problem.detail]).toEqual([422, 'validation']);
  client.close();
  for (const socket of sockets) socket.destroy();
});
