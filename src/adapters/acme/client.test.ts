// The administrator types the authority's address: neither its redirects nor a proxy in the environment may send the account elsewhere.
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { fakeLog } from '../../../tests/support/fake-core.ts';
import { tempFolder } from '../../../tests/support/temp-store.ts';
import type { AcmeSettings } from '../../core/ports/acme.ts';
import { systemTimers } from '../clock.ts';
import { createAcmeClient } from './client.ts';

const SETTINGS: Omit<AcmeSettings, 'directoryUrl'> = {
  email: null,
  names: ['panel.example.org'],
  challenge: 'tls-alpn-01',
  httpPort: 80,
  targets: ['panel'],
};

async function openServer(answer: http.RequestListener) {
  const asked: string[] = [];
  const server = http.createServer((request, reply) => {
    asked.push(String(request.url));
    answer(request, reply);
  });
  server.on('connect', (request, socket) => {
    asked.push(String(request.url));
    socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, asked, [Symbol.dispose]: () => server.close() };
}

afterEach(() => {
  vi.unstubAllEnvs();
});

it.each([301, 302, 303, 307, 308])('follows no redirect (%i), and uses no proxy', async (status) => {
  using folder = tempFolder();
  using elsewhere = await openServer((_request, reply) => reply.end('{}'));
  using authority = await openServer((_request, reply) =>
    reply.writeHead(status, { location: `${elsewhere.url}/directory` }).end(),
  );
  for (const name of ['http_proxy', 'https_proxy', 'all_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'])
    vi.stubEnv(name, elsewhere.url);
  vi.stubEnv('NO_PROXY', '');
  vi.stubEnv('no_proxy', '');
  const parts = { folder: folder.path, timers: systemTimers, alpnAnswers: new Map(), log: fakeLog() };
  const client = createAcmeClient(parts);
  const directoryUrl = `${authority.url}/directory`;
  await expect(client.order({ ...SETTINGS, directoryUrl }, null, AbortSignal.timeout(20_000))).rejects.toMatchObject({
    failure: { code: 'unreachable' },
  });
  expect(authority.asked).toEqual(['/directory']);
  expect(elsewhere.asked).toEqual([]);
});
